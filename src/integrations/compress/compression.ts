/** Compressed files: streams from file to file, whatever their size. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import zlib from "node:zlib";
import { dynamicProperty, dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import { bunzipped } from "./bzip2.ts";

/** Formats that are read. */
const READ_FORMATS: readonly string[] = ["BROTLI", "BZIP2", "DEFLATE", "GZIP", "XZ", "ZSTD"];
/** Formats that are written. */
const WRITTEN_FORMATS: readonly string[] = ["BROTLI", "DEFLATE", "GZIP", "ZSTD"];

/** Property: format of a file that is read. */
export const READ_COMPRESSION: PropertySchema = dynamicProperty("string", "Compression of the file.", {
  values: READ_FORMATS,
});

/** Property: format of a file that is written. */
export const WRITTEN_COMPRESSION: PropertySchema = dynamicProperty("string", "Compression of the file.", {
  values: WRITTEN_FORMATS,
});

/** Property: a stored file. */
export const FROM: PropertySchema = dynamicText("Storage URI of the file.", { required: true });

/** Most bytes that a file may unpack to. */
const MAX_UNPACKED_BYTES = 16 * 1024 ** 3;
/** Deflate reaches 1,032; what unpacks to more is made to fill disks. */
const MAX_RATIO = 1_100;
/** Files that unpack to less may have any ratio. */
const RATIO_FREE_BYTES = 64 * 1024 ** 2;

type Chunks = AsyncIterable<Uint8Array>;

/** A message that needs no explanation. */
export class UnpackRefusal extends Error {}

/** Ends with an error as soon as more is unpacked than the limits allow. */
export class UnpackedSize {
  readonly #packedBytes: number;
  #bytes = 0;

  /** `packedBytes` is the size of the compressed file. */
  constructor(packedBytes: number) {
    this.#packedBytes = packedBytes;
  }

  /** Counts bytes. @throws Error there are too many */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_UNPACKED_BYTES) {
      throw new UnpackRefusal(`Cannot unpack the file: it has more than ${MAX_UNPACKED_BYTES} bytes`);
    }
    if (this.#bytes > RATIO_FREE_BYTES && this.#bytes > this.#packedBytes * MAX_RATIO) {
      throw new UnpackRefusal(`Cannot unpack the file: it unpacks to more than ${MAX_RATIO} times its size`);
    }
  }
}

/** The content of a compressed file. @throws Error it is damaged, or unpacks to more than the limits allow */
export async function* unpackedFile(
  path: string,
  format: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const size = new UnpackedSize((await stat(path)).size);
  const source = createReadStream(path);
  const explanation = `Cannot unpack the file: it is no ${format} file, or damaged`;
  try {
    for await (const chunk of explained(await opened(source, format), explanation)) {
      signal.throwIfAborted();
      size.add(chunk.length);
      yield chunk;
    }
  } finally {
    // Not every decoder closes its source when it fails.
    await closed(source);
  }
}

/** Its error was thrown by its reader. */
async function closed(source: Readable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (source.closed) return;
  source.on("error", () => {}).on("close", resolve).destroy();
  await promise;
}

/** The items of a source, whose errors are explained. */
export async function* explained<T>(items: AsyncIterable<T>, explanation: string): AsyncGenerator<T> {
  try {
    for await (const item of items) yield item;
  } catch (error) {
    if (error instanceof UnpackRefusal) throw error;
    const words = error instanceof Error ? error.message : String(error);
    throw new UnpackRefusal(`${explanation}: ${words}`, { cause: error });
  }
}

async function opened(source: Readable, format: string): Promise<Chunks> {
  switch (format) {
    case "BZIP2":
      return bunzipped(source);
    case "XZ": {
      const { default: xz } = await import("xz-decompress") as unknown as {
        readonly default: typeof import("xz-decompress");
      };
      return new xz.XzReadableStream(Readable.toWeb(source) as ReadableStream<Uint8Array>);
    }
    default:
      return transformed(source, DECODERS.get(format)?.());
  }
}

const DECODERS: ReadonlyMap<string, () => zlib.Gunzip> = new Map<string, () => zlib.Gunzip>([
  ["BROTLI", zlib.createBrotliDecompress],
  ["DEFLATE", zlib.createInflate],
  ["GZIP", zlib.createGunzip],
  ["ZSTD", zlib.createZstdDecompress],
]);

const ENCODERS: ReadonlyMap<string, () => zlib.Gzip> = new Map<string, () => zlib.Gzip>([
  // The highest quality, the default of the platform, is made for files that are compressed once.
  [
    "BROTLI",
    () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  ],
  ["DEFLATE", zlib.createDeflate],
  ["GZIP", zlib.createGzip],
  ["ZSTD", zlib.createZstdCompress],
]);

/** Compresses chunks; they are passed on as they are without a format. */
export function packed(chunks: Chunks, format: string | undefined): Chunks {
  return format === undefined ? chunks : transformed(Readable.from(chunks), ENCODERS.get(format)?.());
}

/** An error of the source ends the reading with it. @throws Error unknown format */
function transformed(source: Readable, transform: zlib.Gzip | undefined): Chunks {
  if (!transform) throw new Error("Invalid compression: the format is not supported");
  pipeline(source, transform, () => {});
  return transform;
}
