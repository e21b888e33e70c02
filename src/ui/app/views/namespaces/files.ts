/** Files of a namespace over the API: paths, requests, uploads with progress. */
import { get, send, urlOf } from "../../api/client.ts";
import { apiPath } from "../../core/places.ts";

/** An entry of a folder. */
export interface FileEntry {
  readonly type: "File" | "Directory";
  readonly fileName: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly lastModifiedTime: number;
}

/** Larger files are not opened in the editor. */
export const MAX_EDITED_BYTES = 1024 * 1024;

/** Path of the files of a namespace in the API. */
export function filesPath(namespace: string): string {
  return `/namespaces${apiPath(namespace)}/files`;
}

/** The entries of a folder, folders first. */
export async function listFolder(
  namespace: string,
  path: string,
  signal?: AbortSignal,
): Promise<readonly FileEntry[]> {
  const entries = await get<readonly FileEntry[]>(`${filesPath(namespace)}/directory`, { path }, signal);
  return [...entries].sort((a, b) => a.type.localeCompare(b.type) || a.fileName.localeCompare(b.fileName));
}

/** Path of an entry below a folder; folders end with a slash, as in the address of the page. */
export function pathBelow(folder: string, { fileName, type }: Pick<FileEntry, "fileName" | "type">): string {
  return `${folder}${fileName}${type === "Directory" ? "/" : ""}`;
}

/** The folder of a path, with a slash at its end; of a folder the folder itself. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1) || "/";
}

/** The last part of a path, without a slash. */
export function nameOf(path: string): string {
  return path.replace(/\/$/, "").split("/").at(-1) ?? "";
}

/** A path as a person writes it: one slash at its beginning, none doubled, none at its end. */
export function normalPath(path: string): string {
  return `/${path.split("/").filter((part) => part !== "").join("/")}`;
}

/** Moves a file or folder. */
export function moveFile(namespace: string, from: string, to: string): Promise<unknown> {
  return send("PUT", filesPath(namespace), { query: { from: normalPath(from), to: normalPath(to) } });
}

/** Deletes a file, or a folder with all that is in it. */
export function deleteFile(namespace: string, path: string): Promise<unknown> {
  return send("DELETE", filesPath(namespace), { query: { path: normalPath(path) } });
}

/** Creates an empty folder. */
export function createFolder(namespace: string, path: string): Promise<unknown> {
  return send("POST", `${filesPath(namespace)}/directory`, { query: { path: normalPath(path) } });
}

/** Address that downloads a file. */
export function downloadUrl(namespace: string, path: string): string {
  return urlOf(filesPath(namespace), { path });
}

/** Writes a text file. */
export function writeFile(namespace: string, path: string, text: string): Promise<unknown> {
  const body = new FormData();
  body.append("fileContent", new Blob([text]), "content");
  return send("POST", filesPath(namespace), { query: { path: normalPath(path) }, body });
}

/** Uploads a file; `onProgress` gets the part that is sent, from 0 to 1. @throws Error with the reason of the server */
export function uploadFile(
  namespace: string,
  path: string,
  file: File,
  onProgress: (part: number) => void,
): Promise<void> {
  const body = new FormData();
  body.append("fileContent", file, file.name);
  // `fetch` does not report how much of a body is sent.
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onerror = () => reject(new Error("The server cannot be reached"));
    request.onload = () => request.status < 300 ? resolve() : reject(new Error(reasonOf(request)));
    request.open("POST", urlOf(filesPath(namespace), { path }));
    request.send(body);
  });
}

function reasonOf({ responseText, status }: XMLHttpRequest): string {
  try {
    return String(JSON.parse(responseText).message ?? status);
  } catch {
    return `The server responded with status ${status}`;
  }
}
