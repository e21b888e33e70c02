/** Files of this machine that do not belong to the server, in folders that the operator allows. */

/** A file or a folder of an allowed folder. */
export interface LocalFile {
  /** As it was given, or the entry of a folder that was given. */
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
  /** A regular file; links, pipes and devices are neither. */
  readonly isFile: boolean;
  /** Bytes. */
  readonly size: number;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/**
 * The files of one work. Paths are absolute. Each method throws an Error for a path that is not in an allowed folder, by its
 * text or by what its links lead to.
 */
export interface LocalFiles {
  /** Entries of a folder. */
  list(folder: string): Promise<LocalFile[]>;
  /** A file or a folder; `undefined` if it does not exist. */
  find(path: string): Promise<LocalFile | undefined>;
  /** When a file was changed, ISO 8601. */
  dateOf(path: string): Promise<string>;
  /** Copies a file into a new one of the directory of the work. */
  download(path: string, localPath: string): Promise<void>;
  /** Copies a file of the directory of the work into a new or existing one, which changes at once or not at all. */
  upload(localPath: string, path: string): Promise<void>;
  /** As {@link LocalFiles.upload}, from another file of an allowed folder. */
  copy(from: string, to: string): Promise<void>;
  /** Makes a folder and its parents. */
  makeFolder(path: string): Promise<void>;
  /** Deletes a file, a link or an empty folder. */
  delete(path: string): Promise<void>;
  /** Renames a file or a folder; replaces a file. */
  move(from: string, to: string): Promise<void>;
  /** The number that the system gives the kind of the file system of a path. */
  fileSystemOf(path: string): Promise<number>;
}

/** Gives access to these files. */
export interface LocalFilePort {
  /** The files for work of a tenant; copies end with the signal. @throws Error the operator allows none */
  filesFor(tenant: string, signal: AbortSignal): LocalFiles;
}
