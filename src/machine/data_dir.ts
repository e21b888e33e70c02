/**
 * The data directory: its lock, the encryption key, and a reserve of disk space. Independent of the content of the
 * database.
 */
import { CIPHER_KEY_BYTES } from "../base/crypto/cipher.ts";
import type { Clock } from "../base/time/clock.ts";
import type { RandomBytes } from "../base/id.ts";
import { readEncryptionKey } from "../config/values.ts";
import type { DiskProblem } from "../model/server_health.ts";
import { readDiskSpace } from "./disk_space.ts";
import { tryLock } from "./file_lock.ts";
import { prepareNewDatabase } from "./new_database.ts";

const LOCK_FILE = "sluice.lock";
const PID_FILE = "sluice.pid";
const KEY_FILE = "encryption.key";
const RESERVE_FILE = "reserve.bin";
const DATABASE_FILE = "sluice.db";
const CATALOG_FOLDER = "catalog";
const BACKUP_FOLDER = "backups";
/** Written and removed to find out what is wrong with the disk. */
const PROBE_FILE = "probe.bin";
/** As much as a small commit needs. */
const PROBE_BYTES = 65_536;
/** Mode of files with secrets. */
const OWNER_ONLY = 0o600;

/** Size of the reserve: enough for the commits of a purge or a shutdown on a full disk. */
export const RESERVE_BYTES = 16 * 1024 * 1024;
/** Limit of one call of `getRandomValues`. */
const RANDOM_BLOCK_BYTES = 65_536;

/** The data directory cannot be used; the message is one line for the operator. */
export class DataDirError extends Error {
  override readonly name = "DataDirError";
}

interface DataDirOptions {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly processId: number;
}

/** A locked data directory. The lock belongs to the operating system: it ends with the process in any case. */
export class DataDir implements AsyncDisposable {
  /** Path of the directory, as given. */
  readonly path: string;
  readonly #lock: Deno.FsFile;
  readonly #randomBytes: RandomBytes;
  /** Space that is kept for the server itself; 0 if the disk had no room for it. */
  #reserveBytes = 0;

  private constructor(path: string, lock: Deno.FsFile, randomBytes: RandomBytes) {
    this.path = path;
    this.#lock = lock;
    this.#randomBytes = randomBytes;
  }

  /** Creates the directory (mode 0700) if absent, locks it, writes the process id, fills the reserve. @throws DataDirError it cannot be used; its content is then unchanged */
  static async open(path: string, options: DataDirOptions): Promise<DataDir> {
    await createFolder(path);
    const file = await lock(path, options.clock);
    const directory = new DataDir(path, file, options.randomBytes);
    try {
      await directory.#writePid(options.processId);
      await directory.#fillReserve();
      await directory.#restrictDatabase();
      return directory;
    } catch (error) {
      unlock(file);
      throw error;
    }
  }

  /** Locks a directory that has a database and writes nothing else. @throws DataDirError it has none, or is in use */
  static async lockExisting(path: string, options: DataDirOptions): Promise<DataDir> {
    if (await sizeOf(join(path, DATABASE_FILE)).catch(() => undefined) === undefined) {
      throw new DataDirError(`Cannot use the data directory "${path}": it has no database`);
    }
    return new DataDir(path, await lock(path, options.clock), options.randomBytes);
  }

  /** Path of the database file. */
  get databasePath(): string {
    return join(this.path, DATABASE_FILE);
  }

  /** Folder of what is derived from the catalog. */
  get catalogFolder(): string {
    return join(this.path, CATALOG_FOLDER);
  }

  /** Folder of backups, unless another one is configured. */
  get backupFolder(): string {
    return join(this.path, BACKUP_FOLDER);
  }

  /** Path of the encryption key. */
  get keyPath(): string {
    return join(this.path, KEY_FILE);
  }

  /** The encryption key, 32 bytes; created (mode 0600) by the first call ever. @throws DataDirError */
  async readOrCreateKey(): Promise<Uint8Array<ArrayBuffer>> {
    return await this.readKey() ?? await this.#createKey();
  }

  /** The encryption key; `undefined` when there is no file. @throws DataDirError */
  async readKey(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      return decodeKey(await Deno.readTextFile(this.keyPath), this.keyPath);
    } catch (error) {
      if (error instanceof DataDirError) throw error;
      if (!(error instanceof Deno.errors.NotFound)) {
        throw new DataDirError(`Cannot read the encryption key "${this.keyPath}": ${reasonOf(error)}`);
      }
      return undefined;
    }
  }

  /** Copies the database with its write-ahead log to a new folder in the directory; its path. @throws DataDirError */
  async copyDatabase(name: string): Promise<string> {
    const folder = join(this.path, name);
    try {
      await Deno.mkdir(folder, { mode: 0o700 });
      for (const file of [DATABASE_FILE, `${DATABASE_FILE}-wal`]) {
        const source = join(this.path, file);
        if (await sizeOf(source) !== undefined) await Deno.copyFile(source, join(folder, file));
      }
    } catch (error) {
      throw new DataDirError(`Cannot copy the database to "${folder}": ${reasonOf(error)}`);
    }
    return folder;
  }

  /** Bytes of the write-ahead log; 0 after an orderly stop. */
  async walBytes(): Promise<number> {
    return await sizeOf(`${this.databasePath}-wal`) ?? 0;
  }

  /** Removes the reserve to free disk space; false if the reserve does not exist. The next {@link open} fills it again. */
  async releaseReserve(): Promise<boolean> {
    return await removeIfPresent(join(this.path, RESERVE_FILE));
  }

  /**
   * The problem of the disk, found by writing a small file; `undefined` when it can be written. A disk has to have more space
   * than the reserve, which is for the server itself.
   */
  async findDiskProblem(): Promise<DiskProblem | undefined> {
    const path = join(this.path, PROBE_FILE);
    const block = new Uint8Array(PROBE_BYTES);
    this.#randomBytes(block);
    try {
      using file = await Deno.open(path, { write: true, create: true, truncate: true, mode: OWNER_ONLY });
      await writeAll(file, block);
      await file.sync();
      return await this.freeBytes() < this.#reserveBytes + PROBE_BYTES ? "disk_full" : undefined;
    } catch (error) {
      return diskProblemOf(error);
    } finally {
      await removeIfPresent(path).catch(() => false);
    }
  }

  /** Bytes that the disk has left; Infinity if this is not known. */
  async freeBytes(): Promise<number> {
    return (await readDiskSpace(this.path))?.freeBytes ?? Infinity;
  }

  /** Releases the lock. */
  async [Symbol.asyncDispose](): Promise<void> {
    await removeIfPresent(join(this.path, PID_FILE));
    unlock(this.#lock);
  }

  /** Written to a temporary file and renamed, so that a crash leaves either no key or a complete one. */
  async #createKey(): Promise<Uint8Array<ArrayBuffer>> {
    const key = new Uint8Array(CIPHER_KEY_BYTES);
    this.#randomBytes(key);
    const draft = `${this.keyPath}.new`;
    try {
      await removeIfPresent(draft);
      using file = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
      await writeAll(file, new TextEncoder().encode(btoa(String.fromCharCode(...key)) + "\n"));
      await file.sync();
      await Deno.rename(draft, this.keyPath);
    } catch (error) {
      throw new DataDirError(`Cannot write the encryption key "${this.keyPath}": ${reasonOf(error)}`);
    }
    return key;
  }

  /** Only for messages: on a full disk it is omitted, and an old one removed. */
  async #writePid(processId: number): Promise<void> {
    const path = join(this.path, PID_FILE);
    try {
      await Deno.writeTextFile(path, `${processId}\n`);
    } catch (error) {
      if (!isDiskFull(error)) throw cannotWrite(this.path, error);
      await removeIfPresent(path);
    }
  }

  /** Mode 0600 for the database, also in a directory that others can enter; SQLite copies it to its other files. */
  async #restrictDatabase(): Promise<void> {
    try {
      await Deno.open(this.databasePath, { write: true, create: true, mode: OWNER_ONLY }).then((file) =>
        file.close()
      );
    } catch (error) {
      if (!isDiskFull(error)) throw cannotWrite(this.path, error);
      return;
    }
    for (const ending of ["", "-wal", "-shm"]) await restrictFile(this.databasePath + ending);
    // Without space on the disk, Deno KV reports it.
    if (await sizeOf(this.databasePath) === 0) await prepareNewDatabase(this.databasePath).catch(() => {});
  }

  /** Random bytes, since file systems may store zeros without space. On a full disk there is no reserve. */
  async #fillReserve(): Promise<void> {
    const path = join(this.path, RESERVE_FILE);
    this.#reserveBytes = RESERVE_BYTES;
    if (await sizeOf(path) === RESERVE_BYTES) return;
    const block = new Uint8Array(RANDOM_BLOCK_BYTES);
    try {
      using file = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
      for (let written = 0; written < RESERVE_BYTES; written += block.length) {
        this.#randomBytes(block);
        await writeAll(file, block);
      }
    } catch (error) {
      if (!isDiskFull(error)) throw cannotWrite(this.path, error);
      this.#reserveBytes = 0;
      await removeIfPresent(path);
    }
  }
}

/** True for a write error due to a full disk or quota. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT";
}

function diskProblemOf(error: unknown): DiskProblem | undefined {
  if (isDiskFull(error)) return "disk_full";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EROFS") return "read_only";
  return code === "EIO" ? "io_error" : undefined;
}

async function createFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataDirError(`Cannot create the data directory "${path}": ${reasonOf(error)}`);
  }
}

async function restrictFile(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  try {
    await Deno.chmod(path, OWNER_ONLY);
  } catch (error) {
    // Absent, or owned by another user, whose mode is kept.
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) return;
    throw error;
  }
}

async function openLockFile(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(join(path, LOCK_FILE), { write: true, create: true, mode: 0o600 });
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** The locked file. @throws DataDirError */
async function lock(path: string, clock: Clock): Promise<Deno.FsFile> {
  const file = await openLockFile(path);
  const isLocked = await tryLock(file, clock).catch((error) => {
    file.close();
    throw new DataDirError(`Cannot lock the data directory "${path}": ${reasonOf(error)}`);
  });
  if (isLocked) return file;
  file.close();
  throw new DataDirError(await inUseMessage(path));
}

/**
 * Ends the lock and closes its file. The end of the file alone is not enough: a process that is being started has all that is
 * open here until it becomes its program, and with it the lock.
 */
function unlock(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}

async function inUseMessage(path: string): Promise<string> {
  const pid = await Deno.readTextFile(join(path, PID_FILE)).then((text) => text.trim(), () => "");
  const holder = /^\d+$/.test(pid) ? `process ${pid}` : "another process";
  return `Cannot use the data directory "${path}": it is in use by ${holder}; stop that process, or give another --data-dir`;
}

function decodeKey(text: string, path: string): Uint8Array<ArrayBuffer> {
  const key = readEncryptionKey(text.trim());
  if (key) return key;
  throw new DataDirError(`Cannot use the encryption key "${path}": it must be base64 text of 32 bytes`);
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length;) offset += await file.write(bytes.subarray(offset));
}

async function removeIfPresent(path: string): Promise<boolean> {
  try {
    await Deno.remove(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function cannotWrite(path: string, error: unknown): DataDirError {
  return new DataDirError(`Cannot write to the data directory "${path}": ${reasonOf(error)}`);
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.AlreadyExists) return "a file of that name exists";
  if (error instanceof Deno.errors.NotADirectory) return "a part of the path is a file";
  if (isDiskFull(error)) return "the disk is full";
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/ \(os error \d+\).*$/s, "").toLowerCase();
}

function join(folder: string, name: string): string {
  return `${folder.replace(/(?<=.)\/+$/, "")}/${name}`;
}
