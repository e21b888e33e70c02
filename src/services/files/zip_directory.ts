/**
 * Reads and checks the central directory of an untrusted zip. Sizes and checksums are verified when entries are inflated.
 * Format: APPNOTE.TXT 6.3.10, without zip64, encryption and split archives.
 */
import { type DomainError, illegalArgument } from "../../model/errors.ts";
import { normalizeFilePath, parentPaths } from "../../model/namespaces/file_path.ts";
import { MAX_ZIP_BYTES, MAX_ZIP_ENTRIES, MAX_ZIP_RATIO } from "../../model/limits.ts";
import type { ByteSource } from "../../store/blobs/blobs.ts";

/** A checked entry. */
export interface ZipEntry {
  /** Canonical, see `model/namespaces/file_path.ts`. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  /** As declared; inflating more or less is refused. */
  readonly size: number;
  readonly headerOffset: number;
  readonly rawName: Uint8Array;
}

/** Number of entries, size and offset of the central directory. */
interface EndRecord {
  readonly count: number;
  readonly size: number;
  readonly offset: number;
}

/** The checked entries, and the offset of the central directory. */
export interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  readonly offset: number;
}

/** Bytes of a local header before its name. */
export const LOCAL_HEADER_BYTES = 30;

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
const ZIP64_SIZE = 0xffffffff;
const ZIP64_COUNT = 0xffff;
const ENCRYPTED = 0x0001;
/** File types in the upper half of the external attributes, as Unix writes them. */
const TYPE_MASK = 0xf000;
const ORDINARY_TYPES: ReadonlySet<number> = new Set([0, 0x4000, 0x8000]);
/** Archives that unpack to less may have any ratio. */
const RATIO_FREE_BYTES = 1024 * 1024;

/** Reads and checks the directory of an archive. @throws DomainError invalid_argument */
export async function readZipDirectory(source: ByteSource): Promise<ZipDirectory> {
  const { count, size, offset } = await findDirectory(source);
  const bytes = await source.read(offset, size);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + ENTRY_BYTES > size || view.getUint32(at, true) !== ENTRY_SIGNATURE) {
      throw zipRefusal("its directory is damaged");
    }
    const entry = readEntry(bytes, view, at);
    if (entry.path !== "") entries.push(entry);
    at += ENTRY_BYTES + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) +
      view.getUint16(at + 32, true);
  }
  if (at !== size) throw zipRefusal("its directory is damaged");
  checkSizes(entries, source.size);
  checkNames(entries);
  checkOverlaps(entries, offset);
  return { entries, offset };
}

/** The refusal of an archive. */
export function zipRefusal(reason: string): DomainError {
  return illegalArgument(`the zip is refused: ${reason}`);
}

async function findDirectory(source: ByteSource): Promise<EndRecord> {
  const length = Math.min(source.size, END_BYTES + MAX_COMMENT_BYTES);
  const tailOffset = source.size - length;
  const tail = await source.read(tailOffset, length);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  for (let at = length - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) !== length) continue;
    return readEnd(view, at, tailOffset + at);
  }
  throw zipRefusal("it is no zip, or incomplete");
}

function readEnd(view: DataView, at: number, endOffset: number): EndRecord {
  const disks = view.getUint16(at + 4, true) + view.getUint16(at + 6, true);
  const count = view.getUint16(at + 10, true);
  const size = view.getUint32(at + 12, true);
  const offset = view.getUint32(at + 16, true);
  if (count === ZIP64_COUNT || size === ZIP64_SIZE || offset === ZIP64_SIZE) {
    throw zipRefusal("zip64 is not supported");
  }
  if (count > MAX_ZIP_ENTRIES) {
    throw zipRefusal(`it has ${count} entries, at most ${MAX_ZIP_ENTRIES} are allowed`);
  }
  const isWhole = disks === 0 && count === view.getUint16(at + 8, true) && offset + size === endOffset;
  if (!isWhole || size > MAX_DIRECTORY_BYTES) throw zipRefusal("its directory is damaged");
  return { count, size, offset };
}

function readEntry(bytes: Uint8Array, view: DataView, at: number): ZipEntry {
  const nameStart = at + ENTRY_BYTES;
  const rawName = bytes.slice(nameStart, nameStart + view.getUint16(at + 28, true));
  const name = decodeName(rawName);
  const shown = JSON.stringify(name.slice(0, 100));
  if (name.startsWith("/")) throw zipRefusal(`entry ${shown} has an absolute path`);
  const entry: ZipEntry = {
    path: normalizeFilePath(name),
    isDirectory: name.endsWith("/"),
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packedSize: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    headerOffset: view.getUint32(at + 42, true),
    rawName,
  };
  const type = view.getUint16(at + 40, true) & TYPE_MASK;
  if (!ORDINARY_TYPES.has(type)) {
    throw zipRefusal(`entry ${shown} is a link or device; only files and directories are allowed`);
  }
  if (view.getUint16(at + 8, true) & ENCRYPTED) throw zipRefusal(`entry ${shown} is encrypted`);
  if (entry.method !== 0 && entry.method !== 8) {
    throw zipRefusal(`entry ${shown} is packed by method ${entry.method}; only deflate is supported`);
  }
  if ([entry.packedSize, entry.size, entry.headerOffset].includes(ZIP64_SIZE)) {
    throw zipRefusal("zip64 is not supported");
  }
  if (entry.isDirectory && entry.size > 0) throw zipRefusal(`directory ${shown} has content`);
  return entry;
}

function decodeName(bytes: Uint8Array): string {
  // Names of old archives in another encoding show up as U+FFFD, which no path may have.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function checkSizes(entries: readonly ZipEntry[], archiveSize: number): void {
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (total > MAX_ZIP_BYTES) {
    throw zipRefusal(`it unpacks to ${total} bytes, at most ${MAX_ZIP_BYTES} are allowed`);
  }
  if (total > RATIO_FREE_BYTES && total > archiveSize * MAX_ZIP_RATIO) {
    throw zipRefusal(`it unpacks to more than ${MAX_ZIP_RATIO} times its size`);
  }
}

/** Refuses duplicate paths, and files that are parent directories of other entries. */
function checkNames(entries: readonly ZipEntry[]): void {
  const seen = new Map<string, ZipEntry>();
  for (const entry of entries) {
    if (seen.has(entry.path)) throw zipRefusal(`it has two entries named ${JSON.stringify(entry.path)}`);
    seen.set(entry.path, entry);
  }
  for (const entry of entries) {
    const file = parentPaths(entry.path).find((parent) => seen.get(parent)?.isDirectory === false);
    if (file !== undefined) throw zipRefusal(`entry ${JSON.stringify(file)} is a file and a directory`);
  }
}

/** Refuses entries that share packed bytes: zip bombs use them to stay below the ratio limit. */
function checkOverlaps(entries: readonly ZipEntry[], directoryOffset: number): void {
  let end = 0;
  for (const entry of [...entries].sort((a, b) => a.headerOffset - b.headerOffset)) {
    if (entry.headerOffset < end) {
      throw zipRefusal(`entry ${JSON.stringify(entry.path)} overlaps another one`);
    }
    end = entry.headerOffset + LOCAL_HEADER_BYTES + entry.rawName.length + entry.packedSize;
  }
  if (end > directoryOffset) throw zipRefusal("its directory is damaged");
}
