/** What tasks do with the files of another server, whatever its protocol. */

/** A file or folder of a server. */
export interface RemoteFile {
  /** Absolute path, or one relative to the folder of the log-in, as it was given. */
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
  /** A regular file; links and devices are neither. */
  readonly isFile: boolean;
  /** Bytes. */
  readonly size: number;
  /** ISO 8601; absent if the server does not tell. */
  readonly updatedAt?: string;
}

/** An open connection. Each method throws an Error with the words of the server. */
export interface RemoteFiles {
  /** Entries of a folder. */
  list(folder: string): Promise<RemoteFile[]>;
  /** A file or a folder; `undefined` if it does not exist. */
  find(path: string): Promise<RemoteFile | undefined>;
  /** When a file was changed, ISO 8601, where lists do not tell. */
  dateOf(path: string): Promise<string>;
  /** Copies a file of at most `maxBytes` into a new local one. */
  download(path: string, localPath: string, maxBytes: number): Promise<void>;
  /** Copies a local file into a new or existing one; its folder exists. */
  upload(localPath: string, path: string): Promise<void>;
  /** Makes a folder and its parents. */
  makeFolder(path: string): Promise<void>;
  /** Deletes a file. */
  delete(path: string): Promise<void>;
  /** Renames a file or a folder. */
  move(from: string, to: string): Promise<void>;
}

/** Files of one task, and folders that it lists. */
const MAX_FILES = 25_000;
const MAX_FOLDERS = 100_000;

/** The files of a folder, or the file itself, sorted by path; with `recursive` also those of folders below. */
export async function filesBelow(
  files: RemoteFiles,
  path: string,
  { recursive, matches }: { readonly recursive: boolean; readonly matches: (path: string) => boolean },
): Promise<RemoteFile[]> {
  const start = await files.find(path);
  if (!start) throw new Error(`there is no file or folder "${path}"`);
  if (!start.isFolder) return matches(start.path) ? [start] : [];
  const found: RemoteFile[] = [];
  const folders = [path];
  let folderCount = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await files.list(folder)) {
      if (entry.isFolder && recursive && folders.push(entry.path) && ++folderCount > MAX_FOLDERS) {
        throw new Error(`"${path}" has more than ${MAX_FOLDERS} folders`);
      }
      if (entry.isFile && matches(entry.path)) found.push(entry);
    }
    if (found.length > MAX_FILES) throw new Error(`"${path}" has more than ${MAX_FILES} files`);
  }
  return found.sort((a, b) => a.path < b.path ? -1 : 1);
}

/** The path of an entry of a folder. */
export function pathIn(folder: string, name: string): string {
  return folder === "" || folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** The folder of a path; `""` for a name alone. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), path.startsWith("/") ? 1 : 0));
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.replace(/(?<!\/)\/+$/, "").replace(/^.*\//, "");
}
