/** Opens the database of a server: a file in the data directory, a server that speaks KV Connect, or that of Deno Deploy. */
import { systemClock } from "../base/time/clock.ts";
import { systemRandomBytes } from "../base/id.ts";
import { isLoopback } from "../base/network/ip.ts";
import type { Logger } from "../base/log.ts";
import { shellWord } from "../base/text/shell_word.ts";
import { type Config, type DatabaseServer, VERSION } from "../config/mod.ts";
import { BackupFolder } from "../machine/backup/backup_folder.ts";
import { ByteFileFolder } from "../machine/byte_files.ts";
import { DataDir, DataDirError } from "../machine/data_dir.ts";
import type { DatabaseKind } from "../model/server_health.ts";
import { KvConnectStore } from "../store/kv_connect/kv_connect_store.ts";
import { KvStore } from "../store/kv_store.ts";
import type { ReadFailed } from "../store/read_refusal.ts";
import type { Store } from "../store/store.ts";

/** An open database. */
export interface OpenDatabase {
  readonly kind: DatabaseKind;
  readonly store: Store;
  readonly encryptionKey: Uint8Array<ArrayBuffer>;
  /** Folder of the file; absent: the database is no file here. */
  readonly dataDir?: string;
  /** Makes backups; absent: the database is no file here. */
  readonly backups?: BackupFolder;
  /** Holds what is derived from the catalog; absent: the database is no file here. */
  readonly catalogFiles?: ByteFileFolder;
  /** The refusal of a start because of what is in the database. */
  readonly mismatch: (reason: string) => DataDirError;
  /** The refusal of a start that cannot read the database. */
  readonly unreadable: (error: Error) => DataDirError;
  /** Releases what was locked; the store must be closed. */
  readonly release: () => Promise<void>;
}

const PLATFORM_DATABASE = "the database of Deno Deploy";

/** Opens the database that is configured. @throws DataDirError */
export async function openDatabase(config: Config, logger: Logger): Promise<OpenDatabase> {
  const readFailed = (error: Error) =>
    logger.repeated("error", "The database cannot be read", { error: error.message });
  if (config.database) return await openServer(config.database, config, { logger, readFailed });
  if (config.isDeploy) return await openHosted(config, readFailed);
  return await openFile(config, readFailed);
}

async function openFile(config: Config, readFailed: ReadFailed): Promise<OpenDatabase> {
  const { dataDir } = config;
  const unreadable = (error: Error) => damaged(dataDir, error);
  const directory = await DataDir.open(dataDir, {
    clock: systemClock,
    randomBytes: systemRandomBytes,
    processId: Deno.pid,
  });
  try {
    const store = await KvStore.open(directory.databasePath, { disk: directory, readFailed }).catch(
      (error) => {
        throw unreadable(error);
      },
    );
    return {
      kind: "file",
      store,
      encryptionKey: config.encryptionKey ?? await directory.readOrCreateKey(),
      dataDir,
      backups: backupsOf(directory, config),
      catalogFiles: await ByteFileFolder.open(directory.catalogFolder),
      mismatch: (reason) => new DataDirError(`Cannot use the data directory "${dataDir}": ${reason}`),
      unreadable,
      release: () => directory[Symbol.asyncDispose](),
    };
  } catch (error) {
    await directory[Symbol.asyncDispose]();
    throw error;
  }
}

function backupsOf({ databasePath, keyPath, backupFolder }: DataDir, config: Config): BackupFolder {
  return new BackupFolder({
    databasePath,
    keyPath: config.encryptionKey ? undefined : keyPath,
    folder: config.backupDir ?? backupFolder,
    version: VERSION,
  });
}

/** The database cannot be opened, or what a start needs cannot be read from it. */
function damaged(dataDir: string, error: Error): DataDirError {
  return new DataDirError(
    `Cannot use the data directory "${dataDir}": its database cannot be read: ${
      firstLine(error)
    }; check the ` +
      `disk, restore a copy, or look at it with: sluice doctor --data-dir ${shellWord(dataDir)}`,
  );
}

/** Hosted: the platform provides the database. */
async function openHosted({ encryptionKey }: Config, readFailed: ReadFailed): Promise<OpenDatabase> {
  if (!encryptionKey) {
    throw new DataDirError(
      "Cannot start: a hosted server needs an encryption key; set SLUICE_ENCRYPTION_KEY (base64, 32 bytes)",
    );
  }
  const store = await KvStore.open(undefined, { readFailed, usesQueue: false });
  return { kind: "deno_deploy", store, encryptionKey, ...refusals(PLATFORM_DATABASE, "try again later") };
}

async function openServer(
  { url, token }: DatabaseServer,
  { encryptionKey }: Config,
  { logger, readFailed }: { readonly logger: Logger; readonly readFailed: ReadFailed },
): Promise<OpenDatabase> {
  if (!encryptionKey) throw new DataDirError("Cannot start: a database server needs an encryption key");
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && !isLoopback(hostname)) {
    logger.warn(
      "The token and the data of the database travel unencrypted: give --database an https address",
    );
  }
  const texts = refusals(`the database "${url}"`, "check its address, its token and its server");
  const store = await KvConnectStore.open({ url, token, clock: systemClock }, readFailed).catch((error) => {
    throw texts.unreadable(error);
  });
  return { kind: "kv_connect", store, encryptionKey, ...texts };
}

/** What a database that is no file here has in common. */
function refusals(name: string, advice: string): Pick<OpenDatabase, "mismatch" | "unreadable" | "release"> {
  return {
    mismatch: (reason) => new DataDirError(`Cannot use ${name}: ${reason}`),
    unreadable: (error) =>
      new DataDirError(`Cannot use ${name}: it cannot be read: ${firstLine(error)}; ${advice}`),
    release: () => Promise.resolve(),
  };
}

function firstLine(error: Error): string {
  const { message } = error.cause instanceof Error ? error.cause : error;
  return message.split("\n", 1)[0] ?? "";
}
