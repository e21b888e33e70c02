/**
 * Directories of scripts that run as a user of their own. One belongs to that user only while a script runs in it, so that
 * this server, which is root then, reads and writes where nobody else gets in: not a script of another task, and not one
 * that has ended and left something behind.
 */
import { closeSync, constants, fchownSync, fstatSync, openSync } from "node:fs";
import type { MachineUser } from "../../config/mod.ts";

const ROOT = 0;
const OWNER_ONLY = 0o700;
/** The group may read, not write. */
const GROUP_READS = 0o750;
/** No link is followed, and nothing that is no file is waited for. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Gives directories to a user, and takes them back. */
export class ScriptOwner {
  readonly #user: MachineUser;
  /** How many scripts run in a directory: one that was told to stop may still be there when the next begins. */
  readonly #running = new Map<string, number>();

  constructor(user: MachineUser) {
    this.#user = user;
  }

  /** Runs a script in a directory, which belongs to the user meanwhile, with all that the server has put there. */
  async lend<T>(directory: string, run: () => Promise<T>): Promise<T> {
    this.#running.set(directory, (this.#running.get(directory) ?? 0) + 1);
    try {
      // From below: as long as the directory itself is the server's, nobody else changes what is in it.
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

  /** Lets scripts read what is in a directory from now on; they can add nothing to it. */
  async show(directory: string): Promise<void> {
    await Deno.chown(directory, ROOT, this.#user.groupId);
    await Deno.chmod(directory, GROUP_READS);
  }

  async #takeBack(directory: string): Promise<void> {
    this.#running.delete(directory);
    try {
      await Deno.chown(directory, ROOT, ROOT);
      // After that: until then the script could change it again.
      await Deno.chmod(directory, OWNER_ONLY);
    } catch (error) {
      // Removed, with the task around an attempt that was told to stop.
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

  /** What is open cannot be exchanged any more; it is given when it is in its place, under no other name. */
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
