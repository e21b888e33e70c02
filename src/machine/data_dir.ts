/**
 * The data directory: its lock, the encryption key, and a reserve of disk space. Knows nothing of what the database
 * holds. Uses the platform's file functions, as no other file of this layer does.
 */
import { CIPHER_KEY_BYTES } from "../base/cipher.ts";
import type { Clock } from "../base/clock.ts";
import type { RandomBytes } from "../base/id.ts";
import { readEncryptionKey } from "../config/values.ts";

const LOCK_FILE = "sluice.lock";
const PID_FILE = "sluice.pid";
const KEY_FILE = "encryption.key";
const RESERVE_FILE = "reserve.bin";
const DATABASE_FILE = "sluice.db";
/** Of files with secrets in them. */
const OWNER_ONLY = 0o600;

/** Size of the reserve: enough for the commits of a purge or a shut-down on a full disk. */
export const RESERVE_BYTES = 16 * 1024 * 1024;
/** The most that `getRandomValues` fills at once. */
const RANDOM_BLOCK_BYTES = 65_536;
/** How long a free lock may take where it cannot be asked for without waiting. */
const LOCK_WAIT_MS = 250;

/** The data directory cannot be used; the message is one line for the person who started the process. */
export class DataDirError extends Error {
  override readonly name = "DataDirError";
}

/** What a data directory needs of its surroundings. */
interface DataDirOptions {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly processId: number;
}

/** A locked data directory. The lock is the operating system's: it ends with the process, however that ends. */
export class DataDir implements AsyncDisposable {
  /** Path of the folder, as given. */
  readonly path: string;
  readonly #lock: Deno.FsFile;
  readonly #randomBytes: RandomBytes;

  private constructor(path: string, lock: Deno.FsFile, randomBytes: RandomBytes) {
    this.path = path;
    this.#lock = lock;
    this.#randomBytes = randomBytes;
  }

  /** Creates the folder (mode 0700) when absent, locks it, leaves the process id, and fills the reserve. @throws DataDirError when it cannot be used; nothing in it has changed then */
  static async open(path: string, options: DataDirOptions): Promise<DataDir> {
    await createFolder(path);
    const file = await openLockFile(path);
    const isLocked = await tryLock(file, options.clock).catch((error) => {
      file.close();
      throw new DataDirError(`Cannot lock the data directory "${path}": ${reasonOf(error)}`);
    });
    if (!isLocked) {
      file.close();
      throw new DataDirError(await inUseMessage(path));
    }
    const directory = new DataDir(path, file, options.randomBytes);
    try {
      await directory.#writePid(options.processId);
      await directory.#fillReserve();
      await directory.#closeDatabase();
      return directory;
    } catch (error) {
      unlock(file);
      throw error;
    }
  }

  /** Path of the database file. */
  get databasePath(): string {
    return join(this.path, DATABASE_FILE);
  }

  /** Path of the file that holds the encryption key. */
  get keyPath(): string {
    return join(this.path, KEY_FILE);
  }

  /** The encryption key of this directory, 32 bytes; made and written (mode 0600) at the first call ever. @throws DataDirError */
  async readOrCreateKey(): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return decodeKey(await Deno.readTextFile(this.keyPath), this.keyPath);
    } catch (error) {
      if (error instanceof DataDirError) throw error;
      if (!(error instanceof Deno.errors.NotFound)) {
        throw new DataDirError(`Cannot read the encryption key "${this.keyPath}": ${reasonOf(error)}`);
      }
      return await this.#createKey();
    }
  }

  /** Gives up the reserve, so that a full disk has room again; false when there is none left. Filled anew by the next {@link open}. */
  async releaseReserve(): Promise<boolean> {
    return await removeIfPresent(join(this.path, RESERVE_FILE));
  }

  /** Ends the lock; the directory may be opened again. */
  async [Symbol.asyncDispose](): Promise<void> {
    await removeIfPresent(join(this.path, PID_FILE));
    unlock(this.#lock);
  }

  /** Written aside and renamed, so that a crash leaves either no key or a whole one. */
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

  /** The id only helps people; on a full disk it is left out, and an old one must not stay. */
  async #writePid(processId: number): Promise<void> {
    const path = join(this.path, PID_FILE);
    try {
      await Deno.writeTextFile(path, `${processId}\n`);
    } catch (error) {
      if (!isDiskFull(error)) throw cannotWrite(this.path, error);
      await removeIfPresent(path);
    }
  }

  /** Only the server's user reads what is stored, also where others get into the folder; new files beside the database get its mode. */
  async #closeDatabase(): Promise<void> {
    try {
      await Deno.open(this.databasePath, { write: true, create: true, mode: OWNER_ONLY }).then((file) =>
        file.close()
      );
    } catch (error) {
      if (!isDiskFull(error)) throw cannotWrite(this.path, error);
      return;
    }
    for (const ending of ["", "-wal", "-shm"]) await closeFile(this.databasePath + ending);
  }

  /** Random bytes, since a file system may store zeros in no space at all. Without room there is no reserve. */
  async #fillReserve(): Promise<void> {
    const path = join(this.path, RESERVE_FILE);
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
      await removeIfPresent(path);
    }
  }
}

/** True for the error of a write that found no room on the disk. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT";
}

async function createFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataDirError(`Cannot create the data directory "${path}": ${reasonOf(error)}`);
  }
}

async function closeFile(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  try {
    await Deno.chmod(path, OWNER_ONLY);
  } catch (error) {
    // It is not there, or belongs to somebody else, who has decided.
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

/** Where the runtime cannot try a lock without waiting (before 2.7), a lock that takes longer than a moment counts as held. */
async function tryLock(file: Deno.FsFile, clock: Clock): Promise<boolean> {
  if (typeof file.tryLock === "function") return await file.tryLock(true);
  const { promise: waited, resolve } = Promise.withResolvers<boolean>();
  const cancel = clock.setTimer(LOCK_WAIT_MS, () => resolve(false));
  try {
    return await Promise.race([file.lock(true).then(() => true), waited]);
  } finally {
    cancel();
  }
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
  if (error instanceof Deno.errors.AlreadyExists) return "there is a file of that name";
  if (error instanceof Deno.errors.NotADirectory) return "a part of the path is a file";
  if (isDiskFull(error)) return "the disk is full";
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/ \(os error \d+\).*$/s, "").toLowerCase();
}

function join(folder: string, name: string): string {
  return `${folder.replace(/(?<=.)\/+$/, "")}/${name}`;
}
