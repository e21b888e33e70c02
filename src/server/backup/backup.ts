/** `sluice backup`: makes a backup of a data directory, or lets a running server make one. */
import { systemClock } from "../../base/time/clock.ts";
import { type BackupOptions, VERSION } from "../../config/mod.ts";
import { BackupFolder } from "../../machine/backup/backup_folder.ts";
import type { ProcessPlatform } from "../../machine/server_process/server_process.ts";
import { BackupClient } from "./backup_client.ts";

type Output = Pick<ProcessPlatform, "print" | "printError">;

/** What was made, and where it is. */
interface Made {
  readonly id: string;
  readonly bytes: number;
  readonly hasKey: boolean;
  /** Absent: the server keeps it. */
  readonly path?: string;
}

const PROGRESS_MS = 2_000;
const NO_KEY = "The backup has no encryption key, which is an option of the server: keep it elsewhere";

/** Makes a backup; returns the exit code. */
export async function runBackup(options: BackupOptions, output: Output): Promise<number> {
  const progress = createProgress(output);
  try {
    const made = options.server
      ? await backUpServer(options, options.server, progress)
      : await backUpFolder(options, progress);
    if (options.isJson) output.print(JSON.stringify(made));
    else {
      const place = made.path ?? "the folder of the server";
      output.print(`Made the backup ${made.id} in ${place}, ${megabytes(made.bytes)}`);
      if (!made.hasKey) output.printError(NO_KEY);
    }
    return 0;
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    output.printError(message.startsWith("Cannot ") ? message : `Cannot back up: ${message}`);
    return 1;
  }
}

async function backUpFolder({ dataDir, to }: BackupOptions, progress: Progress): Promise<Made> {
  const root = dataDir.replace(/(?<=.)\/+$/, "");
  const databasePath = `${root}/sluice.db`;
  if (!await isThere(databasePath)) {
    throw new Error(`Cannot back up the data directory "${root}": it has no database`);
  }
  const folder = to ?? `${root}/backups`;
  const keyFile = `${root}/encryption.key`;
  const keyPath = await isThere(keyFile) ? keyFile : undefined;
  const backups = new BackupFolder({ databasePath, keyPath, folder, version: VERSION });
  await backups.check();
  const { signal } = new AbortController();
  const request = { createdAt: systemClock.now(), origin: "MANUAL", signal, progress } as const;
  const { id, bytes, hasKey } = await backups.create(request);
  return { id, bytes, hasKey, path: `${folder}/${id}` };
}

function isThere(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}

async function backUpServer(
  { to }: BackupOptions,
  server: NonNullable<BackupOptions["server"]>,
  progress: Progress,
): Promise<Made> {
  const client = new BackupClient(server);
  const { id, bytes, hasKey } = await client.create(progress);
  return { id, bytes, hasKey, path: to === undefined ? undefined : await client.download(id, to) };
}

type Progress = (bytes: number, totalBytes: number) => void;

function createProgress({ printError }: Output): Progress {
  let nextMs = systemClock.monotonicMs() + PROGRESS_MS;
  return (bytes, totalBytes) => {
    if (systemClock.monotonicMs() < nextMs) return;
    nextMs = systemClock.monotonicMs() + PROGRESS_MS;
    printError(`  ${megabytes(bytes)} of ${megabytes(totalBytes)}`);
  };
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024).toLocaleString("en")} MB`;
}
