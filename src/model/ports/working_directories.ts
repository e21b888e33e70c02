/** Directories of this machine that tasks work in. Each has a name; its path is the same at any time. */
import type { Instant } from "../../base/clock.ts";

/** How a directory that attempts share comes to be. */
export interface SharedDirectoryRequest {
  /** What it holds: attempts that say the same share it. */
  readonly key: string;
  readonly now: Instant;
  /** Whoever waits for a directory that another attempt fills gives up when it is aborted. */
  readonly signal: AbortSignal;
  /** Fills it, empty as it is; false when that cannot be done: then nothing of it is kept, and the next attempt tries again. */
  fill(path: string): Promise<boolean>;
}

/** A directory that is used. It must not be changed. */
export interface SharedDirectory {
  readonly path: string;
  /** It is used no more; calling it again does nothing. */
  release(): void;
}

/** Makes and removes directories. */
export interface WorkingDirectoryPort {
  /** Absolute path of the directory of that name, which need not exist. */
  pathOf(name: string): string;
  /** Makes it, empty: what was there before is removed. Gives its path. */
  make(name: string): Promise<string>;
  /** Removes it with everything in it; does nothing when there is none. */
  remove(name: string): Promise<void>;
  /** As {@link remove}, soon: nobody waits for it. */
  discard(name: string): void;
  /** A directory that was filled once; `undefined` when it cannot be, or the wait was given up. */
  share(request: SharedDirectoryRequest): Promise<SharedDirectory | undefined>;
}
