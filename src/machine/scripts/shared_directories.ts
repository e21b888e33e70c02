/** Directories that are filled once and then used by many attempts, such as installed packages. They last as long as the server. */
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { SharedDirectory, SharedDirectoryRequest } from "../../model/ports/working_directories.ts";

/** Directories that are kept while nobody uses them; the one not used for longest goes first. */
export const MAX_UNUSED_DIRECTORIES = 20;
/** After that time one is filled anew, since what it was filled from may have changed. */
export const MAX_DIRECTORY_AGE_MS = 24 * 3_600_000;

/** What makes and removes the directories. */
interface DirectoryMaker {
  /** Makes an empty one; its path. */
  make(name: string): Promise<string>;
  /** Removes it with what it holds. */
  remove(name: string): Promise<void>;
}

interface Filled {
  readonly name: string;
  readonly path: string;
  readonly madeAt: number;
  users: number;
}

/** The shared directories of one server. */
export class SharedDirectories {
  readonly #maker: DirectoryMaker;
  readonly #locks = new KeyedLock();
  /** By what they hold; the one used last comes last. */
  readonly #filled = new Map<string, Filled>();
  #count = 0;

  constructor(maker: DirectoryMaker) {
    this.#maker = maker;
  }

  /** A directory that holds what is asked for; of several attempts that ask at once, one fills it. */
  async use(request: SharedDirectoryRequest): Promise<SharedDirectory | undefined> {
    const filled = await this.#inTurn(request, async () => {
      const found = await this.#find(request) ?? await this.#fill(request);
      if (found) found.users++;
      return found;
    });
    if (!filled) return undefined;
    let isHeld = true;
    return {
      path: filled.path,
      release: () => {
        if (isHeld) filled.users--;
        isHeld = false;
      },
    };
  }

  /** Those who ask for the same come one after the other; whoever is told to stop before does not wait any longer. */
  async #inTurn(
    { key, signal }: SharedDirectoryRequest,
    work: () => Promise<Filled | undefined>,
  ): Promise<Filled | undefined> {
    const givenUp = Promise.withResolvers<undefined>();
    let isBegun = false;
    const giveUp = () => isBegun || givenUp.resolve(undefined);
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    const turn = this.#locks.run(key, () => {
      if (signal.aborted) return Promise.resolve(undefined);
      isBegun = true;
      return work();
    });
    try {
      return await Promise.race([turn, givenUp.promise]);
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  async #find({ key, now }: SharedDirectoryRequest): Promise<Filled | undefined> {
    const found = this.#filled.get(key);
    if (!found) return undefined;
    this.#filled.delete(key);
    const isFresh = now - found.madeAt < MAX_DIRECTORY_AGE_MS;
    // Those who use an old one go on with it; it is removed with all the others when the server ends.
    if (isFresh) this.#filled.set(key, found);
    else if (found.users === 0) await this.#maker.remove(found.name);
    return isFresh ? found : undefined;
  }

  async #fill({ key, now, fill }: SharedDirectoryRequest): Promise<Filled | undefined> {
    await this.#makeRoom();
    const name = `shared-${++this.#count}`;
    const path = await this.#maker.make(name);
    let isFilled = false;
    try {
      isFilled = await fill(path);
    } finally {
      if (!isFilled) await this.#maker.remove(name);
    }
    if (!isFilled) return undefined;
    const filled: Filled = { name, path, madeAt: now, users: 0 };
    this.#filled.set(key, filled);
    return filled;
  }

  async #makeRoom(): Promise<void> {
    const unused = [...this.#filled].filter(([, { users }]) => users === 0);
    const surplus = unused.slice(0, Math.max(0, unused.length - MAX_UNUSED_DIRECTORIES + 1));
    for (const [key] of surplus) this.#filled.delete(key);
    for (const [, { name }] of surplus) await this.#maker.remove(name);
  }
}
