/** The files of a zip that is a document, such as one of Excel. */
import type { Readable } from "node:stream";

/** The package has no declarations of types. */
interface ZipEntry {
  readonly fileName: string;
  readonly uncompressedSize: number;
}

interface ZipArchive {
  readonly entryCount: number;
  eachEntry(): AsyncIterable<ZipEntry>;
  /** Reads no more bytes than the size of the entry. */
  openReadStreamPromise(entry: ZipEntry): Promise<Readable>;
  close(): void;
}

/** Most entries; a document has one for each sheet and image. */
const MAX_ENTRIES = 10_000;
/** Sum of the unpacked sizes: they are not held in memory, but it takes a minute to read them. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;

/** An open document. Disposal closes it. */
export class ZipParts implements Disposable {
  readonly #what: string;
  readonly #archive: ZipArchive;
  readonly #entries: ReadonlyMap<string, ZipEntry>;

  private constructor(what: string, archive: ZipArchive, entries: ReadonlyMap<string, ZipEntry>) {
    this.#what = what;
    this.#archive = archive;
    this.#entries = entries;
  }

  /** `what` is named by errors. @throws Error it is no zip, or too large */
  static async open(path: string, what: string): Promise<ZipParts> {
    const { default: yauzl } = await import("yauzl");
    try {
      const archive: ZipArchive = await yauzl.openPromise(path, { lazyEntries: true, autoClose: false });
      using opened = new DisposableStack();
      opened.defer(() => archive.close());
      const entries = await entriesOf(archive);
      opened.move();
      return new ZipParts(what, archive, entries);
    } catch (error) {
      throw explained(what, error);
    }
  }

  /** Whether there is a file of that name. */
  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The text of a file in pieces; none if there is no such file. @throws Error it is damaged */
  async *texts(name: string): AsyncGenerator<string> {
    const entry = this.#entries.get(name);
    if (!entry) return;
    const decoder = new TextDecoder();
    try {
      for await (const bytes of await this.#archive.openReadStreamPromise(entry)) {
        yield decoder.decode(bytes, { stream: true });
      }
    } catch (error) {
      throw explained(this.#what, error);
    }
    yield decoder.decode();
  }

  /** @inheritdoc */
  [Symbol.dispose](): void {
    this.#archive.close();
  }
}

async function entriesOf(archive: ZipArchive): Promise<Map<string, ZipEntry>> {
  if (archive.entryCount > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} files`);
  const entries = new Map<string, ZipEntry>();
  let bytes = 0;
  for await (const entry of archive.eachEntry()) {
    bytes += entry.uncompressedSize;
    if (bytes > MAX_UNPACKED_BYTES) throw new Error(`it has more than ${MAX_UNPACKED_BYTES} bytes`);
    entries.set(entry.fileName, entry);
  }
  return entries;
}

function explained(what: string, error: unknown): Error {
  const { message } = error as Error;
  return new Error(`Cannot read ${what}: ${message}`, { cause: error });
}
