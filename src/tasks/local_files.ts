/**
 * Input and output files of tasks in a local directory. Names are relative; neither a name from a user nor a symbolic link
 * made by a program can lead out of the directory.
 */
import { releaseBytes } from "../base/bytes.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
  stringifyJson,
  tryParseJson,
} from "../base/json.ts";
import { normalizeFileName, parentPath } from "../model/namespaces/file_path.ts";
import type { FileKeeper } from "../model/executions/attempt_identity.ts";
import { type FilePart, limitedContent, type OpenedFile } from "../model/ports/storage.ts";
import type { RunContext } from "../model/ports/run_context.ts";
import { isStorageUri, namespaceFileOf } from "../model/namespaces/storage_uri.ts";
import { compileGlobs, compileNamespaceGlobs, type PathTest } from "../model/namespaces/glob.ts";

/** Whose files they are, and the ports that keep them. */
export type FileOwner = FileKeeper & Pick<RunContext, "ports">;

/** A directory and the owner of its files. */
interface FilePlace {
  readonly context: FileOwner;
  /** Absolute path. */
  readonly directory: string;
}

/** A working directory and its attempt. */
export interface LocalPlace extends FilePlace {
  readonly context: RunContext;
}

/** Bytes that are read at once. */
const PIECE_BYTES = 64 * 1024;
/** Maximum number of output files of a task. */
const MAX_OUTPUT_FILES = 10_000;

/**
 * Creates files by relative name: a storage URI is fetched, null gives an empty file unless it is there, any other value is the
 * content. `files` is a map, or a JSON text of one. Returns the names. @throws Error a name leaves the directory, or a file is
 * missing
 */
export async function createFiles(place: FilePlace, files: JsonValue | undefined): Promise<string[]> {
  const map = readMap(files, "Files to create");
  const names: string[] = [];
  for (const [name, value] of Object.entries(map)) {
    const isThere = value === null && await hasFile(place.directory, localName(name));
    const content = value === null ? "" : await contentOf(place.context, value);
    names.push(isThere ? localName(name) : await writeLocalFile(place.directory, name, content));
  }
  return names;
}

/** Stores the files that match a glob; returns their storage URIs by relative name, sorted. */
export async function storeFiles(place: FilePlace, globs: JsonValue | undefined): Promise<JsonObject> {
  const uris: JsonObject = {};
  const patterns = readTexts(globs, "Globs of files");
  if (patterns.length === 0) return uris;
  const names = await findFiles(place.directory, compileGlobs(patterns));
  await checkSize(place, names);
  for (const name of names) {
    setOwnProperty(uris, name, await storeFile(place, name));
  }
  return uris;
}

async function checkSize({ context, directory }: FilePlace, names: readonly string[]): Promise<void> {
  const { maxFileBytes } = context.ports.processes;
  if (maxFileBytes === undefined) return;
  let bytes = 0;
  for (const name of names) bytes += (await Deno.lstat(`${directory}/${name}`)).size;
  if (bytes <= maxFileBytes) return;
  throw new Error(
    `Cannot store the output files: they have ${bytes} bytes, and --script-files allows ${maxFileBytes}`,
  );
}

/** Stores a file that {@link findFiles} or {@link hasFile} has found; returns its storage URI. */
export async function storeFile({ context, directory }: FilePlace, name: string): Promise<string> {
  const base = name.slice(name.lastIndexOf("/") + 1);
  return (await context.ports.storage.write(context, base, piecesOf(directory, name))).uri;
}

/** The canonical form of a relative name, which may begin with a slash. @throws DomainError it leaves the directory */
function localName(name: string): string {
  return normalizeFileName(name.replace(/^\/+/, ""));
}

/** Whether there is a regular file of that canonical name, to which no link leads. */
export async function hasFile(directory: string, name: string): Promise<boolean> {
  const parts = name.split("/");
  for (let count = 1; count < parts.length; count++) {
    const info = await infoOf(`${directory}/${parts.slice(0, count).join("/")}`);
    if (!info?.isDirectory) return false;
  }
  return (await infoOf(`${directory}/${name}`))?.isFile ?? false;
}

/** The content of a file of the directory. */
export async function openLocalFile(directory: string, name: string): Promise<ReadableStream<Uint8Array>> {
  return (await openFile(`${directory}/${name}`)).readable;
}

/** Opens a regular file; a link is not followed. @throws Error it is something else, or was exchanged meanwhile */
async function openFile(path: string): Promise<Deno.FsFile> {
  const { isFile, ino, dev } = await Deno.lstat(path);
  // To open a pipe would wait for a writer.
  const file = isFile ? await Deno.open(path, { read: true }) : undefined;
  const opened = await file?.stat();
  if (file && opened?.ino === ino && opened.dev === dev) return file;
  file?.close();
  throw new Error(`Cannot read "${path}": it is not the file that was listed`);
}

/** Sorted relative names of the matching files. Symbolic links are skipped and not followed. @throws Error too many files */
export async function findFiles(directory: string, isMatch: PathTest): Promise<string[]> {
  const found: string[] = [];
  const folders = (await Deno.lstat(directory)).isDirectory ? [""] : [];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of Deno.readDir(`${directory}/${folder}`)) {
      const name = folder + entry.name;
      if (entry.isDirectory) folders.push(`${name}/`);
      else if (entry.isFile && isMatch(name)) found.push(name);
    }
    if (found.length > MAX_OUTPUT_FILES) {
      throw new Error(
        `Cannot store the files of the directory: there are more than ${MAX_OUTPUT_FILES} of them`,
      );
    }
  }
  return found.sort();
}

/**
 * Creates or replaces a file of at most `maxBytes` and creates missing folders; returns its canonical name.
 * @throws DomainError too_large, …; Error a link leads out of the directory
 */
export async function writeLocalFile(
  directory: string,
  name: string,
  content: string | ReadableStream<Uint8Array>,
  maxBytes = Infinity,
): Promise<string> {
  const { path, isNew } = await openPath(directory, name, content);
  const target = `${directory}/${path}`;
  if (typeof content === "string") await Deno.writeTextFile(target, content, { createNew: isNew });
  else await writeStream(target, limitedContent(content, maxBytes), isNew);
  return path;
}

/** Each piece belongs to the reader of the stream, so it can be released. */
async function writeStream(
  path: string,
  content: AsyncIterable<Uint8Array>,
  isNew: boolean,
): Promise<void> {
  const options = { write: true, truncate: true, ...isNew ? { createNew: true } : { create: true } };
  using file = await Deno.open(path, options);
  for await (const piece of content) {
    for (let at = 0; at < piece.length;) at += await file.write(piece.subarray(at));
    releaseBytes(piece);
  }
}

async function openPath(
  directory: string,
  name: string,
  content: string | ReadableStream<Uint8Array>,
): Promise<{ readonly path: string; readonly isNew: boolean }> {
  let isOpen = false;
  try {
    const path = localName(name);
    const parent = `${directory}/${parentPath(path)}`;
    const root = await Deno.realPath(directory);
    const isWithin = await isFolderWithin(root, parent);
    if (isWithin) await Deno.mkdir(parent, { recursive: true });
    if (!isWithin || !await isFolderWithin(root, parent)) {
      throw new Error(`Cannot write "${path}": a link leads out of the directory`);
    }
    const info = await infoOf(`${directory}/${path}`);
    const isReplaced = info !== undefined && isSpecial(info);
    if (isReplaced) await Deno.remove(`${directory}/${path}`);
    isOpen = true;
    return { path, isNew: info === undefined || isReplaced };
  } finally {
    if (!isOpen && typeof content !== "string") await content.cancel();
  }
}

/** Whether a write must replace it: it would change a file elsewhere, or wait for the reader of a pipe. */
function isSpecial({ isDirectory, isFile, nlink }: Deno.FileInfo): boolean {
  return !isDirectory && (!isFile || (nlink ?? 1) > 1);
}

/** The canonical name of a file that may be created or changed in place. @throws DomainError; Error a link is there, or leads out of the directory */
export async function plainName(directory: string, name: string): Promise<string> {
  const path = normalizeFileName(name);
  const info = await infoOf(`${directory}/${path}`);
  const isWithin = await isFolderWithin(await Deno.realPath(directory), `${directory}/${parentPath(path)}`);
  if (isWithin && (!info || info.isFile && !isSpecial(info))) return path;
  throw new Error(`Cannot open "${path}": it is no plain file of the directory`);
}

/** Whether the folder, or its nearest existing parent, is within the directory with that real path. */
async function isFolderWithin(root: string, folder: string): Promise<boolean> {
  try {
    const real = await Deno.realPath(folder);
    return real === root || real.startsWith(`${root}/`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) || folder === "") throw error;
    return await isFolderWithin(root, parentPath(folder));
  }
}

async function contentOf(
  context: FileOwner,
  value: JsonValue,
): Promise<string | ReadableStream<Uint8Array>> {
  if (typeof value !== "string") return typeof value === "object" ? stringifyJson(value) : String(value);
  const text = value.trim();
  return isFileAddress(text) ? (await openAny(context, text)).content : value;
}

/** True for the URI of a stored file: a storage URI, `nsfile:///<path>` or `nsfile://<namespace>/<path>`. */
export function isFileAddress(text: string): boolean {
  return isStorageUri(text) || namespaceFileOf(text, "") !== undefined;
}

/** Opens the file of such a URI. @throws Error there is no such file */
export async function openAny(context: FileOwner, uri: string): Promise<OpenedFile> {
  const { storage, namespaceFiles } = context.ports;
  const file = namespaceFileOf(uri, context.namespace);
  const found =
    await (file ? namespaceFiles.open(context, file.namespace, file.path) : storage.open(context, uri));
  if (found) return found;
  throw new Error(`Cannot read "${uri}": there is no such file`);
}

/** A map, also as JSON text; null, absent and empty give an empty map. @throws Error no map */
export function readMap(value: JsonValue | undefined, what: string): JsonObject {
  if (value === undefined || value === null || value === "") return {};
  const map = typeof value === "string" ? tryParseJson(value) ?? value : value;
  if (isJsonObject(map)) return map;
  throw new Error(`${what} must be a map of names, or the JSON text of one`);
}

/** A list of texts, also as a single text or as JSON text; empty if absent. @throws Error neither */
export function readTexts(value: JsonValue | undefined, what: string): string[] {
  if (value === undefined || value === null || value === "") return [];
  const list = typeof value === "string" && value.trimStart().startsWith("[")
    ? tryParseJson(value) ?? value
    : value;
  if (typeof list === "string") return [list];
  if (Array.isArray(list)) return list.map((item) => typeof item === "string" ? item : stringifyJson(item));
  throw new Error(`${what} must be a text or a list of texts`);
}

/**
 * Copies the namespace files of the property `namespaceFiles` into the directory; returns their names. @throws Error a file
 * exists and `ifExists` is FAIL
 */
export async function copyNamespaceFiles(
  place: LocalPlace,
  options: JsonValue | undefined,
): Promise<string[]> {
  if (!isJsonObject(options) || String(ownProperty(options, "enabled") ?? true) !== "true") return [];
  const { context } = place;
  const given = readTexts(ownProperty(options, "namespaces"), "Namespaces");
  const include = readTexts(ownProperty(options, "include"), "Globs of namespace files");
  const isIncluded = include.length > 0 ? compileNamespaceGlobs(include) : () => true;
  const isExcluded = compileNamespaceGlobs(
    readTexts(ownProperty(options, "exclude"), "Globs of namespace files"),
  );
  const isFoldered = String(ownProperty(options, "folderPerNamespace") ?? false) === "true";
  const ifExists = String(ownProperty(options, "ifExists") ?? "OVERWRITE").toUpperCase();
  const namespaces = given.length > 0 ? given : [context.namespace];
  const startedAt = context.now();
  const names: string[] = [];
  let count = 0;
  for (const namespace of namespaces) {
    for (const path of await context.ports.namespaceFiles.list(context, namespace)) {
      if (!isIncluded(path) || isExcluded(path)) continue;
      count++;
      const name = isFoldered ? `${namespace}/${path}` : path;
      if (await copyNamespaceFile(place, { namespace, path, name, ifExists })) names.push(name);
    }
  }
  context.metric({ name: "namespacefiles.count", type: "counter", value: count });
  context.metric({ name: "namespacefiles.duration", type: "timer", value: context.now() - startedAt });
  context.log("INFO", `Loaded ${count} namespace files from '${namespaces.join(", ")}'`);
  return names;
}

async function copyNamespaceFile(
  { context, directory }: LocalPlace,
  { namespace, path, name, ifExists }: Record<"namespace" | "path" | "name" | "ifExists", string>,
): Promise<boolean> {
  if (ifExists !== "OVERWRITE" && await infoOf(`${directory}/${name}`)) {
    if (ifExists === "FAIL") {
      throw new Error(`Cannot copy namespace file "${path}": "${name}" exists already`);
    }
    if (ifExists === "WARN") {
      context.log("WARN", `Namespace file "${path}" is not copied: "${name}" exists already`);
    }
    return false;
  }
  const file = await context.ports.namespaceFiles.open(context, namespace, path);
  if (file) await writeLocalFile(directory, name, file.content);
  return file !== undefined;
}

async function infoOf(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * The content of a regular file, or of a part of it, read on demand in pieces that share one buffer: each is overwritten by the
 * next.
 */
export async function* piecesOf(
  directory: string,
  name: string,
  part?: FilePart,
): AsyncGenerator<Uint8Array> {
  using file = await openFile(`${directory}/${name}`);
  if (part) await file.seek(part.offset, Deno.SeekMode.Start);
  const buffer = new Uint8Array(PIECE_BYTES);
  for (let left = part?.length ?? Infinity; left > 0;) {
    const count = await file.read(left < PIECE_BYTES ? buffer.subarray(0, left) : buffer);
    if (count === null) return;
    yield buffer.subarray(0, count);
    left -= count;
  }
}
