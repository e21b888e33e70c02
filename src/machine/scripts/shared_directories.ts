/** Directories that are filled once and used by many attempts, such as installed packages. They are removed when the server stops. */
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { SharedDirectory, SharedDirectoryRequest } from "../../model/ports/working_directories.ts";

/** Most unused directories; the least recently used is removed first. */
export const MAX_UNUSED_DIRECTORIES = 20;
/** Older directories are filled again, since their source may have changed. */
export const MAX_DIRECTORY_AGE_MS = 24 * 3_600_000;

/** Creates and removes directories. */
interface DirectoryMaker {
  /** Creates an empty directory; returns its path. */
  make(name: string): Promise<string>;
  /** Removes a directory with its content. */
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
  /** By key, least recently used first. */
  readonly #filled = new Map<string, Filled>();
  #count = 0;

  constructor(maker: DirectoryMaker) {
    this.#maker = maker;
  }

  /** A filled directory; one of several concurrent attempts fills it. */
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

  /** Serializes requests for the same key; an aborted one stops waiting. */
  async #inTurn(
    { key, signal }: SharedDirectoryRequest,
    work: () => Promise<Filled | undefined>,
  ): Promise<Filled | undefined> {
    const aborted = Promise.withResolvers<undefined>();
    let isBegun = false;
    const onAbort = () => isBegun || aborted.resolve(undefined);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    const turn = this.#locks.run(key, () => {
      if (signal.aborted) return Promise.resolve(undefined);
      isBegun = true;
      return work();
    });
    try {
      return await Promise.race([turn, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #find({ key, now }: SharedDirectoryRequest): Promise<Filled | undefined> {
    const found = this.#filled.get(key);
    if (!found) return undefined;
    this.#filled.delete(key);
    const isFresh = now - found.madeAt < MAX_DIRECTORY_AGE_MS;
    // Users of an old one keep it; it is removed with all others when the server stops.
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
