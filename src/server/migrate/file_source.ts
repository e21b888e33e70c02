/** Flows of a file, a folder or an archive. */
import { isJsonObject } from "../../base/json.ts";
import { parseFlowSource, splitDocuments } from "../../flow/mod.ts";
import { MAX_FLOW_SOURCE_BYTES } from "../../model/limits.ts";
import { unpackEntry } from "../../services/files/file_archive.ts";
import { readZipDirectory } from "../../services/files/zip_directory.ts";
import type { MigrationSource, SourceFlow } from "./migration_source.ts";

const FLOW_FILE = /\.ya?ml$/i;
const ZIP_FILE = /\.zip$/i;
/** Servers leave it out of the body of a request, so that the stored source is without it. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/** The source at a path. @throws Error nothing that can be read is there */
export async function openFileSource(path: string): Promise<MigrationSource> {
  const { isDirectory } = await Deno.stat(path).catch((error) => {
    const reason = error instanceof Deno.errors.NotFound ? "it does not exist" : String(error.message);
    throw new Error(`Cannot read "${path}": ${reason}`);
  });
  if (isDirectory) return { name: path, flows: () => flowsOfFolder(path, "") };
  if (ZIP_FILE.test(path)) return { name: path, flows: () => flowsOfArchive(path) };
  if (FLOW_FILE.test(path)) return { name: path, flows: () => flowsOfFile(path, path) };
  throw new Error(`Cannot read "${path}": flows are in folders and in files that end in .yml, .yaml or .zip`);
}

/** In the order of their names. Links are not followed: they may lead out of the folder, or in a circle. */
async function* flowsOfFolder(folder: string, prefix: string): AsyncGenerator<SourceFlow> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  for (const { name, isDirectory, isFile } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    const [path, origin] = [`${folder}/${name}`, `${prefix}${name}`];
    if (isDirectory && !name.startsWith(".")) yield* flowsOfFolder(path, `${origin}/`);
    else if (isFile && FLOW_FILE.test(name)) {
      for await (const flow of flowsOfFile(path, origin)) if (isFlow(flow)) yield flow;
    }
  }
}

async function* flowsOfFile(path: string, origin: string): AsyncGenerator<SourceFlow> {
  const { size } = await Deno.stat(path);
  if (size > MAX_FLOW_SOURCE_BYTES) yield { origin, problem: tooLarge(size) };
  else yield* documentsOf(await Deno.readTextFile(path), origin);
}

async function* flowsOfArchive(path: string): AsyncGenerator<SourceFlow> {
  const file = await Deno.readFile(path);
  const archive = {
    size: file.length,
    read: (offset: number, length: number) => Promise.resolve(file.slice(offset, offset + length)),
  };
  const directory = await readZipDirectory(archive);
  for (const entry of directory.entries.filter(({ path }) => FLOW_FILE.test(path))) {
    if (entry.size > MAX_FLOW_SOURCE_BYTES) yield { origin: entry.path, problem: tooLarge(entry.size) };
    else {
      const chunks = await Array.fromAsync(unpackEntry(archive, directory, entry));
      yield* documentsOf(await new Blob(chunks as BlobPart[]).text(), entry.path);
    }
  }
}

function* documentsOf(text: string, origin: string): Generator<SourceFlow> {
  const documents = splitDocuments(text.replace(BYTE_ORDER_MARK, ""));
  for (const [index, source] of documents.entries()) {
    yield { origin: documents.length > 1 ? `${origin} (${index + 1})` : origin, source };
  }
}

/** Folders have other YAML files too: a flow has tasks, or cannot be read as YAML. */
function isFlow({ source }: SourceFlow): boolean {
  if (source === undefined) return true;
  const { document } = parseFlowSource(source);
  return document === undefined ||
    (isJsonObject(document) && ("tasks" in document || "namespace" in document));
}

function tooLarge(size: number): string {
  return `it has ${size} bytes, but a flow has at most ${MAX_FLOW_SOURCE_BYTES}`;
}
