/** Archives of local files, as streams. */
import { stat } from "node:fs/promises";
import { fileChunks } from "./archive_reader.ts";

/** A file to pack. */
export interface LocalFile {
  /** Path in the archive. */
  readonly name: string;
  /** Path on this machine. */
  readonly path: string;
}

type Chunks = AsyncIterable<Uint8Array>;

/** The format of zips has no larger sizes without an extension that the writer does not have. */
const MAX_ZIP_BYTES = 0xffffffff;

/** A tar; names of any length are kept. */
export async function* tarOf(files: AsyncIterable<LocalFile>): Chunks & AsyncGenerator<Uint8Array> {
  const { createTarPacker } = await import("modern-tar");
  const { readable, controller } = createTarPacker();
  const writing = (async () => {
    for await (const { name, path } of files) {
      const { size, mtime } = await stat(path);
      const target = controller.add({ name, size, mtime, type: "file" });
      await ReadableStream.from(fileChunks(path)).pipeTo(target);
    }
    controller.finalize();
  })();
  // Its error ends the reading below; only the first of both is reported.
  writing.catch((error) => controller.error(error));
  yield* readable;
  await writing;
}

/** A zip. @throws Error a file, or all of them together, have 4 GiB or more */
export async function* zipOf(files: AsyncIterable<LocalFile>): Chunks & AsyncGenerator<Uint8Array> {
  const { Zip, ZipDeflate } = await import("fflate");
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    ready.push(bytes);
  });
  let total = 0;
  for await (const { name, path } of files) {
    const { size, mtime } = await stat(path);
    total += size;
    if (total >= MAX_ZIP_BYTES) {
      throw new Error("Cannot write the zip: its files have 4 GiB or more; use TAR");
    }
    const entry = new ZipDeflate(name, { level: 6 });
    entry.mtime = mtime;
    zip.add(entry);
    for await (const chunk of fileChunks(path)) {
      entry.push(chunk);
      yield* ready.splice(0);
    }
    entry.push(new Uint8Array(), true);
    yield* ready.splice(0);
  }
  zip.end();
  yield* ready.splice(0);
}
