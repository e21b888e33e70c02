/** What the types of `fs.local` and `fs.nfs` have in common: both use folders of this machine that the operator allows. */
import type { JsonObject } from "../../../base/json.ts";
import type { LocalFile } from "../../../model/ports/local_files.ts";
import { folderOf, type RemoteFile } from "../remote_files.ts";

/** The beginning of the names of the types. */
export type Place = "local" | "nfs";

/** The end of the description of each type. */
export const NEEDS_FOLDER =
  "The server, or the worker that runs the task, must allow the folder: `--local-files <folder>`.";

/** How titles name the files. */
export function filesIn(place: Place): string {
  return place === "local" ? "of the machine" : "of a mounted share of NFS";
}

/** A file as outputs show it. `storedAt` is its storage URI, if it was stored. */
export function localOutput(file: RemoteFile | LocalFile, storedAt?: string): JsonObject {
  const { path, name, size, updatedAt, isFolder } = file;
  return {
    name,
    path: storedAt ?? path,
    uri: storedAt ?? fileUri(path),
    localPath: path,
    parent: folderOf(path).replace(/(.)\/$/, "$1"),
    size,
    isDirectory: isFolder,
    ...updatedAt !== undefined && { modifiedDate: updatedAt, lastModifiedTime: updatedAt },
  };
}

/** `file:///path`. */
export function fileUri(path: string): string {
  return `file://${path.split("/").map(encodeURIComponent).join("/")}`;
}
