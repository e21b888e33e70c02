/** Zip archives: inflates checked entries and packs files, both as streams. */
import { crc32 } from "node:zlib";
import { Inflate, Zip, ZipDeflate, ZipPassThrough } from "fflate";
import type { Instant } from "../../base/time/clock.ts";
import { undefinedIfMissing } from "../../model/errors.ts";
import type { ByteSource } from "../../store/blobs/blobs.ts";
import { LOCAL_HEADER_BYTES, type ZipDirectory, type ZipEntry, zipRefusal } from "./zip_directory.ts";

/**
 * A file or directory to pack. `content` opens a file when it is packed; absent for a directory. A file that is missing by
 * then is left out: it was deleted after it was listed.
 */
export interface ArchiveItem {
  readonly path: string;
  readonly modifiedAt: Instant;
  readonly content?: () => Promise<AsyncIterable<Uint8Array>>;
}

const LOCAL_SIGNATURE = 0x04034b50;
/** Packed bytes inflated at once; the output is at most 1,032 times as large, 16 MiB. */
const INFLATE_BYTES = 16 * 1024;
/** The range of times in a zip. */
const EARLIEST = Date.UTC(1980, 0, 2);
const LATEST = Date.UTC(2099, 11, 30);

/** The bytes of an entry. @throws DomainError invalid_argument: damaged, or another size than declared */
export async function* unpackEntry(
  source: ByteSource,
  directory: ZipDirectory,
  entry: ZipEntry,
): AsyncGenerator<Uint8Array> {
  const refuse = (reason: string) => zipRefusal(`entry ${JSON.stringify(entry.path)} ${reason}`);
  const start = await findContent(source, entry);
  if (start === undefined || start + entry.packedSize > directory.offset) throw refuse("is damaged");
  const unpack = entry.method === 0
    ? (bytes: Uint8Array) => [bytes]
    : createInflater(() => refuse("is damaged"));
  let size = 0;
  let crc = 0;
  for (let at = 0; at < entry.packedSize; at += INFLATE_BYTES) {
    const length = Math.min(INFLATE_BYTES, entry.packedSize - at);
    for (const chunk of unpack(await source.read(start + at, length), at + length === entry.packedSize)) {
      size += chunk.length;
      if (size > entry.size) throw refuse("unpacks to more than it declares");
      crc = crc32(chunk, crc);
      yield chunk;
    }
  }
  if (size !== entry.size || crc !== entry.crc) throw refuse("is damaged");
}

/** A zip of the items, packed as it is read. Cancelling it closes the current item. */
export function packArchive(items: AsyncIterable<ArchiveItem>): ReadableStream<Uint8Array> {
  return ReadableStream.from(pack(items));
}

async function* pack(items: AsyncIterable<ArchiveItem>): AsyncGenerator<Uint8Array> {
  const packed: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    packed.push(bytes);
  });
  for await (const { path, modifiedAt, content } of items) {
    const opened = content && await undefinedIfMissing(content);
    if (content && !opened) continue;
    const name = content ? path : `${path}/`;
    const entry = content ? new ZipDeflate(name) : new ZipPassThrough(name);
    entry.mtime = Math.min(Math.max(modifiedAt, EARLIEST), LATEST);
    zip.add(entry);
    if (opened) {
      for await (const chunk of opened) {
        entry.push(chunk);
        yield* packed.splice(0);
      }
    }
    entry.push(new Uint8Array(), true);
    yield* packed.splice(0);
  }
  zip.end();
  yield* packed.splice(0);
}

/** Offset of the packed bytes; `undefined` if the local header differs from the directory. */
async function findContent(source: ByteSource, entry: ZipEntry): Promise<number | undefined> {
  const header = await source.read(entry.headerOffset, LOCAL_HEADER_BYTES + entry.rawName.length);
  if (header.length < LOCAL_HEADER_BYTES + entry.rawName.length) return undefined;
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const name = header.subarray(LOCAL_HEADER_BYTES);
  const isSame = view.getUint32(0, true) === LOCAL_SIGNATURE && view.getUint16(8, true) === entry.method &&
    view.getUint16(26, true) === name.length && name.every((byte, index) => byte === entry.rawName[index]);
  if (!isSame) return undefined;
  return entry.headerOffset + LOCAL_HEADER_BYTES + name.length + view.getUint16(28, true);
}

function createInflater(damage: () => Error): (bytes: Uint8Array, isLast: boolean) => Uint8Array[] {
  const inflated: Uint8Array[] = [];
  const inflate = new Inflate((chunk) => void inflated.push(chunk));
  return (bytes, isLast) => {
    try {
      inflate.push(bytes, isLast);
    } catch {
      // The library throws for all kinds of damage; the caller needs no details.
      throw damage();
    }
    return inflated.splice(0);
  };
}
