/** Files of a namespace over the API: paths, requests, uploads with progress. */
import { ApiError, get, send, sendText, urlOf } from "../../api/client.ts";
import { apiPath } from "../../core/places.ts";
import { t } from "../../texts/mod.ts";

/** An entry of a folder. */
export interface FileEntry {
  readonly type: "File" | "Directory";
  readonly fileName: string;
  /** Bytes. */
  readonly size: number;
  /** Of a file. */
  readonly revision?: number;
  /** Milliseconds since 1970. */
  readonly lastModifiedTime: number;
}

/** A stored content of a file. */
export interface FileRevision extends Required<Pick<FileEntry, "revision" | "size" | "lastModifiedTime">> {
  /** The user, or `execution:{id}`; absent: unknown. */
  readonly author?: string;
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

/** Address that downloads a revision of a file, the present one by default. */
export function downloadUrl(namespace: string, path: string, revision?: number): string {
  return urlOf(filesPath(namespace), { path, revision });
}

/** The paths of all files. */
export function searchFiles(namespace: string, signal?: AbortSignal): Promise<readonly string[]> {
  return get<readonly string[]>(`${filesPath(namespace)}/search`, {}, signal);
}

/** What the server says of a file. @throws ApiError */
export function readStats(namespace: string, path: string, signal?: AbortSignal): Promise<FileEntry> {
  return get<FileEntry>(`${filesPath(namespace)}/stats`, { path }, signal);
}

/** The text of a revision, the present one by default. @throws ApiError */
export function readText(
  namespace: string,
  path: string,
  { revision, signal }: { readonly revision?: number; readonly signal?: AbortSignal } = {},
): Promise<string> {
  return sendText("GET", filesPath(namespace), { query: { path, revision }, signal });
}

/** The bytes of a file as base64. @throws ApiError */
export async function readBase64(namespace: string, path: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(downloadUrl(namespace, path), { signal });
  if (!response.ok) {
    throw new ApiError(`The server responded with status ${response.status}`, response.status);
  }
  const blob = await response.blob();
  return await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** The stored revisions of a file, oldest first. @throws ApiError */
export function listRevisions(
  namespace: string,
  path: string,
  signal?: AbortSignal,
): Promise<readonly FileRevision[]> {
  return get<readonly FileRevision[]>(`${filesPath(namespace)}/revisions`, { path }, signal);
}

/** Makes the content of a revision the present one. @throws ApiError */
export function restoreRevision(namespace: string, path: string, revision: number): Promise<unknown> {
  return send("POST", `${filesPath(namespace)}/revisions/restore`, { query: { path, revision } });
}

/** Writes a text file if its latest revision is the expected one; 0: if there is no such file. @throws ApiError */
export function writeFile(namespace: string, path: string, text: string, expected: number): Promise<unknown> {
  const body = new FormData();
  body.append("fileContent", new Blob([text]), "content");
  const headers: Record<string, string> = expected === 0
    ? { "if-none-match": "*" }
    : { "if-match": `"${expected}"` };
  return send("POST", filesPath(namespace), { query: { path: normalPath(path) }, body, headers });
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
    request.onerror = () => reject(new Error(t("error.unreachable")));
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
