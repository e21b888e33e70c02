/**
 * Directories of scripts with their own user. A directory belongs to that user only while a script runs in it. Otherwise
 * only the server, which is root then, can access it: neither scripts of other tasks nor leftover processes can.
 */
import { closeSync, constants, fchownSync, fstatSync, openSync } from "node:fs";
import type { MachineUser } from "../../config/mod.ts";

const ROOT = 0;
const OWNER_ONLY = 0o700;
/** Read access for the group. */
const GROUP_READS = 0o750;
/** Follows no link, and does not block on other files than regular ones. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

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

  /** Lets scripts read a directory from now on, but not write to it. */
  async show(directory: string): Promise<void> {
    await Deno.chown(directory, ROOT, this.#user.groupId);
    await Deno.chmod(directory, GROUP_READS);
  }

  async #takeBack(directory: string): Promise<void> {
    this.#running.delete(directory);
    try {
      await Deno.chown(directory, ROOT, ROOT);
      // After the change of owner: before it the script could revert the mode.
      await Deno.chmod(directory, OWNER_ONLY);
    } catch (error) {
      // Already removed, with the task of a stopped attempt.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
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
