/** Directories of this machine that tasks work in. Each has a name; its path is the same at any time. */

/** Makes and removes directories. */
export interface WorkingDirectoryPort {
  /** Absolute path of the directory of that name, which need not exist. */
  pathOf(name: string): string;
  /** Makes it, empty: what was there before is removed. Gives its path. */
  make(name: string): Promise<string>;
  /** Removes it with everything in it; does nothing when there is none. */
  remove(name: string): Promise<void>;
}
