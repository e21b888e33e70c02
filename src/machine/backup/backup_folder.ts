/**
 * A folder of backups. Each is a folder in it, a complete data directory with a description. It is made under a temporary
 * name and renamed when everything in it is on the disk, so that what has the name of a backup is complete.
 */
import { type Instant, systemClock, toIso } from "../../base/time/clock.ts";
import { isJsonObject, tryParseJson } from "../../base/json.ts";
import type { StoredBackup } from "../../model/backup.ts";
import { DomainError, illegalState } from "../../model/errors.ts";
import type { BackupDownload, BackupPort, BackupRequest } from "../../model/ports/backups.ts";
import { readDiskSpace } from "../disk_space.ts";
import { tryLock } from "../file_lock.ts";
import { copyApart } from "./database_copy.ts";
import { tarBytes, type TarFile, tarStream } from "./tar.ts";

/** What is backed up, and where to. */
interface BackupFolderOptions {
  readonly databasePath: string;
  /** Absent: the key is an option of the server. */
  readonly keyPath?: string;
  readonly folder: string;
  readonly version: string;
}

const DATABASE_FILE = "sluice.db";
const KEY_FILE = "encryption.key";
const DESCRIPTION_FILE = "backup.json";
const UNFINISHED = ".unfinished";
const ID = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;
/** What a backup leaves free on its disk, which may be that of the database: what a server needs to work. */
const KEPT_FREE_BYTES = 256 * 1024 * 1024;
const OWNER_ONLY = 0o600;
/** Descriptions that are read side by side. One after the other, a thousand take more than a second on a busy server. */
const READ_TOGETHER = 64;

/** Makes, lists, opens and removes the backups of a folder. */
export class BackupFolder implements BackupPort {
  readonly #options: BackupFolderOptions;

  constructor(options: BackupFolderOptions) {
    this.#options = options;
  }

  /** @inheritdoc */
  idOf(createdAt: Instant): string {
    return toIso(createdAt).replaceAll(/[:.]/g, "-");
  }

  /** @inheritdoc */
  async check(): Promise<number> {
    const { databasePath, folder } = this.#options;
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
      throw illegalState(`Cannot back up to "${folder}": ${error.message}`);
    });
    const bytes = await sizeOf(databasePath) + await sizeOf(`${databasePath}-wal`);
    const free = await freeBytes(folder);
    if (free >= bytes + KEPT_FREE_BYTES) return bytes;
    throw new DomainError(
      "storage_full",
      `Cannot back up to "${folder}": its disk has ${megabytes(free)} left, the backup needs up to ${
        megabytes(bytes)
      }, and ${megabytes(KEPT_FREE_BYTES)} must stay free`,
    );
  }

  /** @inheritdoc */
  async create(request: BackupRequest): Promise<StoredBackup> {
    const { folder } = this.#options;
    await this.check();
    const id = this.idOf(request.createdAt);
    const unfinished = join(folder, id + UNFINISHED);
    await Deno.mkdir(unfinished, { mode: 0o700 });
    const lock = await lockFolder(unfinished);
    try {
      await this.#copyDatabase(unfinished, request);
      const hasKey = await this.#copyKey(unfinished);
      const stored = await this.#describe(unfinished, request, hasKey);
      await syncFolder(unfinished);
      request.signal.throwIfAborted();
      await Deno.rename(unfinished, join(folder, id));
      await syncFolder(folder);
      return stored;
    } catch (error) {
      await Deno.remove(unfinished, { recursive: true }).catch(() => {});
      throw isDiskFull(error) ? await this.#diskFull() : error;
    } finally {
      lock?.close();
    }
  }

  /** @inheritdoc */
  async list(): Promise<StoredBackup[]> {
    const ids = await this.#ids();
    const found: StoredBackup[] = [];
    for (let start = 0; start < ids.length; start += READ_TOGETHER) {
      const read = await Promise.all(ids.slice(start, start + READ_TOGETHER).map((id) => this.find(id)));
      found.push(...read.filter((stored) => stored !== undefined));
    }
    return found.sort((a, b) => a.id < b.id ? 1 : -1);
  }

  /** @inheritdoc */
  async find(id: string): Promise<StoredBackup | undefined> {
    if (!ID.test(id)) return undefined;
    const path = join(this.#options.folder, `${id}/${DESCRIPTION_FILE}`);
    const value = tryParseJson(await Deno.readTextFile(path).catch(() => ""));
    if (!isJsonObject(value) || value.id !== id) return undefined;
    return {
      id,
      createdAt: Number(value.createdAt),
      origin: value.origin === "SCHEDULE" ? "SCHEDULE" : "MANUAL",
      bytes: Number(value.bytes),
      hasKey: value.hasKey === true,
      version: String(value.version),
    };
  }

  /** @inheritdoc */
  async open(id: string): Promise<BackupDownload | undefined> {
    const stored = await this.find(id);
    if (!stored) return undefined;
    const names = [DATABASE_FILE, ...stored.hasKey ? [KEY_FILE] : [], DESCRIPTION_FILE];
    const folder = `sluice-backup-${id}`;
    const files: TarFile[] = [];
    try {
      for (const name of names) {
        const file = await Deno.open(join(this.#options.folder, `${id}/${name}`));
        files.push({ name: `${folder}/${name}`, bytes: (await file.stat()).size, file });
      }
    } catch (error) {
      for (const { file } of files) file.close();
      throw illegalState(`Cannot read backup "${id}": ${(error as Error).message}`);
    }
    return {
      fileName: `${folder}.tar`,
      bytes: tarBytes(files.map(({ bytes }) => bytes)),
      stream: tarStream(files, stored.createdAt),
    };
  }

  /** Renamed before: what remains after a crash has no name of a backup. @inheritdoc */
  async remove(id: string): Promise<boolean> {
    if (!await this.find(id)) return false;
    const unfinished = join(this.#options.folder, id + UNFINISHED);
    await Deno.rename(join(this.#options.folder, id), unfinished);
    await Deno.remove(unfinished, { recursive: true });
    return true;
  }

  /** @inheritdoc */
  async removeUnfinished(): Promise<void> {
    const { folder } = this.#options;
    for (const name of await namesIn(folder)) {
      const isOurs = name.endsWith(UNFINISHED) && ID.test(name.slice(0, -UNFINISHED.length));
      if (!isOurs) continue;
      const lock = await lockFolder(join(folder, name));
      if (lock === undefined) continue;
      await Deno.remove(join(folder, name), { recursive: true });
      lock?.close();
    }
  }

  async #copyDatabase(unfinished: string, { signal, progress }: BackupRequest): Promise<void> {
    const { databasePath, folder } = this.#options;
    const full = new AbortController();
    const target = join(unfinished, DATABASE_FILE);
    await copyApart({ source: databasePath, target }, {
      signal: AbortSignal.any([signal, full.signal]),
      progress: (bytes, totalBytes) => {
        progress(bytes, totalBytes);
        // Others may fill a disk meanwhile, and the log of the database grows. The server must keep its room.
        for (const path of [folder, databasePath]) {
          void freeBytes(path).then((free) => {
            if (free < KEPT_FREE_BYTES / 2) full.abort(new DiskFullError());
          });
        }
      },
    });
  }

  /** False if there is no file of a key. */
  async #copyKey(unfinished: string): Promise<boolean> {
    const { keyPath } = this.#options;
    if (keyPath === undefined) return false;
    await writeSynced(join(unfinished, KEY_FILE), await Deno.readFile(keyPath));
    return true;
  }

  async #describe(unfinished: string, request: BackupRequest, hasKey: boolean): Promise<StoredBackup> {
    const { createdAt, origin } = request;
    const bytes = await sizeOf(join(unfinished, DATABASE_FILE)) + await sizeOf(join(unfinished, KEY_FILE));
    const stored = {
      id: this.idOf(createdAt),
      createdAt,
      origin,
      bytes,
      hasKey,
      version: this.#options.version,
    };
    const text = `${JSON.stringify(stored)}\n`;
    await writeSynced(join(unfinished, DESCRIPTION_FILE), new TextEncoder().encode(text));
    return stored;
  }

  async #ids(): Promise<string[]> {
    return (await namesIn(this.#options.folder)).filter((name) => ID.test(name));
  }

  async #diskFull(): Promise<DomainError> {
    const { folder } = this.#options;
    const free = megabytes(await freeBytes(folder));
    const text = `Cannot back up to "${folder}": its disk is full; ${free} were left when the backup ended`;
    return new DomainError("storage_full", text);
  }
}

class DiskFullError extends Error {
  override readonly name = "DiskFullError";
}

function isDiskFull(error: unknown): boolean {
  if (error instanceof DiskFullError) return true;
  if (!(error instanceof Error)) return false;
  return ("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) ||
    /database or disk is full|No space left on device/i.test(error.message);
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: OWNER_ONLY });
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  await file.sync();
}

/** Locks a folder for this process; `undefined` if another one has locked it, `null` where folders cannot be locked. */
async function lockFolder(path: string): Promise<Deno.FsFile | undefined | null> {
  if (Deno.build.os === "windows") return null;
  const folder = await Deno.open(path);
  if (await tryLock(folder, systemClock)) return folder;
  folder.close();
  return undefined;
}

/** Makes the names in a folder durable. Windows cannot open folders. */
async function syncFolder(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  const folder = await Deno.open(path);
  try {
    await folder.sync();
  } finally {
    // Not by `using`: the bundler puts the value of a variable that is used once in place of it, and the file stays open.
    folder.close();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).filter((each) => each.isDirectory).map(({ name }) =>
      name
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw error;
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

async function freeBytes(folder: string): Promise<number> {
  return (await readDiskSpace(folder))?.freeBytes ?? Infinity;
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024).toLocaleString("en")} MB`;
}

function join(folder: string, name: string): string {
  return `${folder.replace(/(?<=.)\/+$/, "")}/${name}`;
}
