/**
 * The files that `--local-files` allows. A path is checked by its text, by the place that its links lead to, and once more when
 * the file is open: names may be exchanged at any time by those who can write to the folder.
 */
import { statfs } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { sourceUrl } from "../base/source_url.ts";
import { MAIN_TENANT } from "../model/flows/flow.ts";
import type { LocalFile, LocalFilePort, LocalFiles } from "../model/ports/local_files.ts";

const OPTION = "--local-files";
/** Where the system shows processes, devices and itself. */
const SYSTEM_FOLDERS = ["/proc", "/sys", "/dev"];
/** Parts of paths that are never taken: the parent folder, and the end of a text of the system. */
const LEAVING = /(^|\/)\.{1,2}(\/|$)|\0/;

/** What flows may use, and what never. */
interface LocalFileRules {
  /** Folders that the operator allows. */
  readonly folders: readonly string[];
  /** Files and folders of the server itself. */
  readonly ownPaths: () => readonly string[];
}

/** Absolute paths. */
interface Paths {
  readonly folders: readonly string[];
  readonly ownPaths: readonly string[];
}

/** Allows the files of some folders to the flows of the tenant `main`. */
export class AllowedFiles implements LocalFilePort {
  readonly #rules: LocalFileRules;

  constructor(rules: LocalFileRules) {
    this.#rules = rules;
  }

  /** @inheritdoc */
  filesFor(tenant: string, signal: AbortSignal): LocalFiles {
    if (this.#rules.folders.length === 0) {
      throw new Error(
        `Cannot use files of this machine: no folder is allowed; the server needs ${OPTION} <folder>`,
      );
    }
    if (tenant !== MAIN_TENANT) {
      throw new Error(
        `Cannot use files of this machine: ${OPTION} is for flows of the tenant "${MAIN_TENANT}" only`,
      );
    }
    return new CheckedFiles(new Boundary(this.#rules), signal);
  }
}

/** The program of this process, and in a clone its folder. */
export function programPaths(): string[] {
  return [Deno.execPath(), fileURLToPath(sourceUrl("..")).replace(/\/$/, "")];
}

/** Decides on paths. */
class Boundary {
  readonly #given: Paths;
  #real: Promise<Paths> | undefined;

  constructor({ folders, ownPaths }: LocalFileRules) {
    const absolute = (path: string) => resolve(path);
    this.#given = { folders: folders.map(absolute), ownPaths: ownPaths().map(absolute) };
  }

  /** The place of a path without links: of an existing one, or one in an existing folder. @throws Error it may not be used */
  async placeOf(path: string, asked = path): Promise<string> {
    const real = await this.#realPaths();
    const text = path.replace(/\/+/g, "/").replace(/(.)\/$/, "$1");
    const isNamed = [...this.#given.folders, ...real.folders].some((folder) => isWithin(text, folder));
    if (!isNamed || LEAVING.test(text)) throw refusal(asked);
    const place = await realPlace(text, asked);
    if (!real.folders.some((folder) => isWithin(place, folder))) throw refusal(asked);
    if (isOwn(place, real)) throw ownRefusal(asked);
    return place;
  }

  /** As {@link placeOf}, of the name itself, which may be a link and which the caller replaces or removes. */
  async nameOf(path: string): Promise<string> {
    const text = path.replace(/(?<=^\/|[^/])\/+$/, "");
    if (LEAVING.test(text)) throw refusal(path);
    const place = `${await this.placeOf(dirname(text), path)}/${basename(text)}`;
    const real = await this.#realPaths();
    const isKept = [...real.folders, ...real.ownPaths].some((kept) => isWithin(kept, place));
    if (basename(text) === "" || isKept || isOwn(place, real)) throw ownRefusal(path);
    return place;
  }

  #realPaths(): Promise<Paths> {
    return this.#real ??= realPaths(this.#given);
  }
}

/** Those that exist without links; a folder that does not exist cannot be used yet. */
async function realPaths({ folders, ownPaths }: Paths): Promise<Paths> {
  const real = async (paths: readonly string[], missing: (path: string) => string[]) =>
    (await Promise.all(paths.map((path) => Deno.realPath(path).catch(() => missing(path))))).flat();
  return { folders: await real(folders, () => []), ownPaths: await real(ownPaths, (path) => [path]) };
}

/** Whether a place belongs to the server or the system. */
function isOwn(place: string, { ownPaths }: Paths): boolean {
  return [...ownPaths, ...SYSTEM_FOLDERS].some((own) => isWithin(place, own));
}

/** The real path of the part that exists, with the rest. */
async function realPlace(text: string, path: string): Promise<string> {
  try {
    return await Deno.realPath(text);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw refusal(path);
    if (!(error instanceof Deno.errors.NotFound) || text === "/") throw error;
    return `${await realPlace(dirname(text), path)}/${basename(text)}`;
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function refusal(path: string): Error {
  return new Error(`Cannot use "${path}": it is not in a folder that ${OPTION} allows`);
}

function ownRefusal(path: string): Error {
  return new Error(
    `Cannot use "${path}": it belongs to the server or the system, or is an allowed folder itself`,
  );
}

class CheckedFiles implements LocalFiles {
  readonly #boundary: Boundary;
  readonly #signal: AbortSignal;

  constructor(boundary: Boundary, signal: AbortSignal) {
    this.#boundary = boundary;
    this.#signal = signal;
  }

  /** @inheritdoc */
  async list(folder: string): Promise<LocalFile[]> {
    const place = await this.#boundary.placeOf(folder);
    const found: LocalFile[] = [];
    for await (const { name, isSymlink } of Deno.readDir(place)) {
      this.#signal.throwIfAborted();
      const path = folder.endsWith("/") ? folder + name : `${folder}/${name}`;
      const info = isSymlink ? undefined : await infoOf(`${place}/${name}`);
      if (info) found.push(localFile(path, info));
    }
    await checkPlace(place, folder);
    return found;
  }

  /** @inheritdoc */
  async find(path: string): Promise<LocalFile | undefined> {
    const info = await infoOf(await this.#boundary.placeOf(path));
    return info && localFile(path, info);
  }

  /** @inheritdoc */
  async dateOf(path: string): Promise<string> {
    return (await this.find(path))?.updatedAt ?? "";
  }

  /** @inheritdoc */
  async download(path: string, localPath: string): Promise<void> {
    const source = await this.#open(path);
    try {
      const target = await Deno.open(localPath, { write: true, createNew: true });
      await source.readable.pipeTo(target.writable, { signal: this.#signal });
    } finally {
      closeQuietly(source);
    }
  }

  /** @inheritdoc */
  async upload(localPath: string, path: string): Promise<void> {
    await this.#replace(path, await Deno.open(localPath));
  }

  /** @inheritdoc */
  async copy(from: string, to: string): Promise<void> {
    await this.#replace(to, await this.#open(from));
  }

  /** @inheritdoc */
  async makeFolder(path: string): Promise<void> {
    const place = await this.#boundary.placeOf(path);
    await Deno.mkdir(place, { recursive: true });
    await checkPlace(place, path);
  }

  /** @inheritdoc */
  async delete(path: string): Promise<void> {
    await Deno.remove(await this.#boundary.nameOf(path));
  }

  /** @inheritdoc */
  async move(from: string, to: string): Promise<void> {
    const [source, target] = [await this.#boundary.nameOf(from), await this.#boundary.nameOf(to)];
    try {
      await Deno.rename(source, target);
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "EXDEV") throw error;
      // Another file system.
      await this.copy(from, to);
      await Deno.remove(source);
    }
  }

  /** @inheritdoc */
  async fileSystemOf(path: string): Promise<number> {
    return (await statfs(await this.#boundary.placeOf(path))).type;
  }

  /** Opens a regular file. @throws Error it is something else */
  async #open(path: string): Promise<Deno.FsFile> {
    const place = await this.#boundary.placeOf(path);
    const info = await infoOf(place);
    if (!info) throw new Error(`Cannot read "${path}": there is no such file`);
    // To open a pipe would wait for a writer.
    if (!info.isFile) throw new Error(`Cannot read "${path}": it is no regular file`);
    return await checked(await Deno.open(place), place, path);
  }

  /** Writes beside the file, then renames. Closes the source. */
  async #replace(path: string, source: Deno.FsFile): Promise<void> {
    let part: string | undefined;
    try {
      const place = await this.#boundary.nameOf(path);
      part = `${dirname(place)}/.${crypto.getRandomValues(new Uint8Array(12)).toHex()}.part`;
      const options = { write: true, createNew: true };
      const target = await checked(await Deno.open(part, options), part, path);
      await this.#write(target, source);
      await checkPlace(dirname(place), path);
      await Deno.rename(part, place);
      part = undefined;
    } finally {
      if (part !== undefined) await Deno.remove(part).catch(() => undefined);
      closeQuietly(source);
    }
  }

  /** Copies the bytes to the disk: neither the end of a task nor the removal of a moved file may be ahead of them. */
  async #write(target: Deno.FsFile, source: Deno.FsFile): Promise<void> {
    try {
      await source.readable.pipeTo(target.writable, { signal: this.#signal, preventClose: true });
      await target.sync();
    } finally {
      closeQuietly(target);
    }
  }
}

/** A file that was just opened; it is closed if its name leads elsewhere by now. */
async function checked(file: Deno.FsFile, place: string, path: string): Promise<Deno.FsFile> {
  try {
    const { ino, dev } = await file.stat();
    await checkPlace(place, path);
    const now = await Deno.lstat(place);
    if (now.ino === ino && now.dev === dev) return file;
    throw new Error(`Cannot use "${path}": it was exchanged meanwhile`);
  } catch (error) {
    file.close();
    throw error;
  }
}

/** @throws Error a link has taken the place of a folder or a file */
async function checkPlace(place: string, path: string): Promise<void> {
  if (await Deno.realPath(place) !== place) {
    throw new Error(`Cannot use "${path}": it was exchanged meanwhile`);
  }
}

/** A stream may have closed it already. */
function closeQuietly(file: Deno.FsFile): void {
  try {
    file.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

async function infoOf(place: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(place);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function localFile(path: string, { isDirectory, isFile, size, mtime }: Deno.FileInfo): LocalFile {
  return {
    path,
    name: basename(path),
    isFolder: isDirectory,
    isFile,
    size,
    updatedAt: (mtime ?? new Date(0)).toISOString(),
  };
}
