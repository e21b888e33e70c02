/**
 * Directories of scripts with their own user. A directory belongs to that user only while a script runs in it. Otherwise all of
 * its folders are the server's, which is root then: neither scripts of other tasks nor leftover processes can exchange a name
 * in them, so the server can follow paths. A leftover process can only write to files that it has open.
 */
import { closeSync, constants, fchownSync, fstatSync, openSync } from "node:fs";
import type { MachineUser } from "../../config/mod.ts";

const ROOT = 0;
const OWNER_ONLY = 0o700;
/** Read access for the group: folders, programs, other files. */
const GROUP_READS = 0o750;
const GROUP_RUNS_FILE = 0o550;
const GROUP_READS_FILE = 0o440;
const EXECUTABLE = 0o100;
/** Follows no link, and does not block on other files than regular ones. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Linux opens no longer path. */
const MAX_PATH_BYTES = 4_095;
const VISITS_AT_ONCE = 64;

/** Lends directories to the script user. */
export class ScriptOwner {
  readonly #user: MachineUser;
  /** Number of scripts running in a directory: a stopped one may still run when the next starts. */
  readonly #running = new Map<string, number>();

  constructor(user: MachineUser) {
    this.#user = user;
  }

  /** Runs a script in a directory; the directory and its content belong to the user meanwhile. */
  async lend<T>(directory: string, run: () => Promise<T>): Promise<T> {
    this.#running.set(directory, (this.#running.get(directory) ?? 0) + 1);
    try {
      // Entries first: while the server owns the directory, no other user can change its content.
      const real = await Deno.realPath(directory);
      await this.#giveEntries(real);
      this.#give(real);
      return await run();
    } finally {
      const left = (this.#running.get(directory) ?? 1) - 1;
      if (left > 0) this.#running.set(directory, left);
      else await this.#takeBack(directory);
    }
  }

  /** Gives an empty directory to the user for good. The server must not use its content. */
  async give(directory: string): Promise<void> {
    await Deno.chown(directory, this.#user.userId, this.#user.groupId);
  }

  /** Lets scripts read a directory with its content from now on, but not change it. */
  async show(directory: string): Promise<void> {
    const { groupId } = this.#user;
    await Deno.chown(directory, ROOT, groupId);
    await Deno.chmod(directory, GROUP_READS);
    await this.#eachEntry(directory, async (path, { isDirectory, isFile, mode }) => {
      if (!isDirectory && !isFile) return;
      await Deno.chown(path, ROOT, groupId);
      const isProgram = ((mode ?? 0) & EXECUTABLE) !== 0;
      await Deno.chmod(path, isDirectory ? GROUP_READS : isProgram ? GROUP_RUNS_FILE : GROUP_READS_FILE);
    });
  }

  /** From the top: the entries of a folder cannot be exchanged any more when they are visited. */
  async #takeBack(directory: string): Promise<void> {
    this.#running.delete(directory);
    try {
      await takeFolder(directory);
      await this.#eachEntry(directory, async (path, info) => {
        if (info.isDirectory) return await takeFolder(path);
        // A second name of a file that is not the user's: the server must neither read nor give it.
        const isForeign = info.isFile && info.uid !== this.#user.userId && (info.nlink ?? 1) > 1;
        if (isForeign) await Deno.remove(path);
      });
    } catch (error) {
      // Already removed, with the task of a stopped attempt.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  /** Visits all entries, each before its content. What has too long a path cannot be opened, thus needs no visit. */
  async #eachEntry(
    directory: string,
    visit: (path: string, info: Deno.FileInfo) => Promise<void>,
  ): Promise<void> {
    const folders = [directory];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const visits: Promise<void>[] = [];
      for await (const { name, isDirectory } of Deno.readDir(folder)) {
        const path = `${folder}/${name}`;
        if (isTooLong(path)) continue;
        visits.push(Deno.lstat(path).then((info) => visit(path, info)));
        if (isDirectory) folders.push(path);
        if (visits.length === VISITS_AT_ONCE) await Promise.all(visits.splice(0));
      }
      await Promise.all(visits);
    }
  }

  async #giveEntries(directory: string): Promise<void> {
    for await (const { name, isDirectory } of Deno.readDir(directory)) {
      const path = `${directory}/${name}`;
      if (isDirectory) await this.#giveEntries(path);
      const { uid, isSymlink } = await Deno.lstat(path);
      if (uid !== this.#user.userId && !isSymlink) this.#give(path);
    }
  }

  /** Changes the owner of an open file, which cannot be exchanged any more; refuses one that was moved or has another hard link. */
  #give(path: string): void {
    const file = openSync(path, OPEN_FLAGS);
    try {
      const { ino, dev, nlink } = fstatSync(file);
      const place = Deno.lstatSync(path);
      const isInPlace = Deno.realPathSync(path) === path && place.ino === ino && place.dev === dev;
      if (!isInPlace || !place.isDirectory && nlink > 1) {
        throw new Error(`Cannot give "${path}" to the user of scripts: something has exchanged it`);
      }
      fchownSync(file, this.#user.userId, this.#user.groupId);
    } finally {
      closeSync(file);
    }
  }
}

/** The change of owner comes first: before it the script could revert the mode. The mode also revokes access lists. */
async function takeFolder(path: string): Promise<void> {
  await Deno.chown(path, ROOT, ROOT);
  await Deno.chmod(path, OWNER_ONLY);
}

function isTooLong(path: string): boolean {
  // A code unit has at most three bytes.
  return path.length * 3 > MAX_PATH_BYTES && new TextEncoder().encode(path).length > MAX_PATH_BYTES;
}
