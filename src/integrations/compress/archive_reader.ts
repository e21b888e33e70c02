/** The files of archives that others made: paths, kinds, number and sizes are checked. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { explained, UnpackedSize, UnpackRefusal } from "./compression.ts";

/** A file of an archive. */
export interface ArchivedFile {
  /** As the archive has it. */
  readonly name: string;
  /** Must be read or cancelled before the next file. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Most entries of an archive, folders included. */
const MAX_ENTRIES = 10_000;
const DAMAGED = "Cannot unpack the archive: it is of another format, or damaged";
/** File types of Unix in the upper half of the external attributes of a zip. */
const TYPE_MASK = 0xf000;
const ORDINARY_TYPES: ReadonlySet<number> = new Set([0, 0x4000, 0x8000]);

/** The files of a tar. @throws Error it is damaged, or refused for a link or a path */
export function filesOfTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ArchivedFile> {
  return explained(entriesOfTar(chunks), DAMAGED);
}

async function* entriesOfTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ArchivedFile> {
  const { createTarDecoder } = await import("modern-tar");
  let count = 0;
  const entries = ReadableStream.from(chunks).pipeThrough(createTarDecoder({ strict: true }));
  for await (const { header: { name, type = "file" }, body } of entries) {
    checkCount(++count);
    checkPath(name);
    if (type === "file") yield { name, content: explained(body, DAMAGED) };
    else {
      await body.cancel();
      if (type !== "directory" && type !== "pax-global-header") throw notOrdinary(name);
    }
  }
}

/** The files of a zip. @throws Error it is damaged, encrypted, too large, or refused for a link or a path */
export function filesOfZip(path: string, signal: AbortSignal): AsyncGenerator<ArchivedFile> {
  return explained(entriesOfZip(path, signal), DAMAGED);
}

async function* entriesOfZip(path: string, signal: AbortSignal): AsyncGenerator<ArchivedFile> {
  const { default: yauzl } = await import("yauzl");
  const size = new UnpackedSize((await stat(path)).size);
  const archive = await yauzl.openPromise(path, { lazyEntries: true, autoClose: false });
  try {
    checkCount(archive.entryCount);
    for await (const entry of archive.eachEntry()) {
      const { fileName, externalFileAttributes } = entry;
      checkPath(fileName);
      if (!ORDINARY_TYPES.has((externalFileAttributes >>> 16) & TYPE_MASK)) throw notOrdinary(fileName);
      if (fileName.endsWith("/")) continue;
      size.add(entry.uncompressedSize);
      if (entry.isEncrypted()) {
        throw new UnpackRefusal(`Cannot unpack the archive: "${fileName}" is encrypted`);
      }
      signal.throwIfAborted();
      const content = await archive.openReadStreamPromise(entry);
      // The stream begins before it is read; its error is thrown then.
      content.on("error", () => {});
      yield { name: fileName, content: explained(content, DAMAGED) };
    }
  } finally {
    archive.close();
  }
}

function checkCount(count: number): void {
  if (count <= MAX_ENTRIES) return;
  throw new UnpackRefusal(`Cannot unpack the archive: it has more than ${MAX_ENTRIES} entries`);
}

/** @throws Error the path leads out of the archive */
function checkPath(name: string): void {
  const isOutside = /^(?:[/\\]|[a-z]:)/i.test(name) || name.split(/[/\\]/).includes("..") ||
    name.includes("\0");
  if (isOutside) {
    throw new UnpackRefusal(`Cannot unpack the archive: the path ${JSON.stringify(name)} leads out of it`);
  }
}

function notOrdinary(name: string): UnpackRefusal {
  return new UnpackRefusal(`Cannot unpack the archive: "${name}" is a link or a device`);
}

/** The content of a file. */
export function fileChunks(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path);
}
