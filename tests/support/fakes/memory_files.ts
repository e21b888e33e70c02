/** Files in memory that are read and written by position, as those of `src/machine/byte_files.ts`. */
import type { ByteFile, ByteFiles } from "../../../src/store/catalog/blocks/column_file.ts";

/** A folder of such files. */
export class MemoryFiles implements ByteFiles {
  systemRun: string | undefined = "run-1";
  /** When true, writes fail as on a full disk. */
  isFull = false;
  /** So many reads work; the following ones fail as on a broken disk. */
  readsUntilFault = Infinity;
  /** When true, files can be neither opened, removed nor synced, as on a broken disk. */
  isBroken = false;
  readonly #files = new Map<string, MemoryFile>();

  /** @inheritdoc */
  open(name: string, isNew: boolean): ByteFile | undefined {
    this.assertWorks();
    if (isNew) this.#files.set(name, new MemoryFile(this));
    return this.#files.get(name);
  }

  /** @inheritdoc */
  remove(name: string): void {
    this.assertWorks();
    this.#files.delete(name);
  }

  /** @throws Error if the disk is broken */
  assertWorks(): void {
    if (this.isBroken) throw new Error("Input/output error (os error 5)");
  }

  /** The bytes of a file; undefined if it does not exist. */
  bytesOf(name: string): Uint8Array | undefined {
    return this.#files.get(name)?.content;
  }

  /** Replaces the bytes of a file. */
  put(name: string, bytes: Uint8Array): void {
    const file = new MemoryFile(this);
    file.write(bytes, 0);
    this.#files.set(name, file);
  }
}

class MemoryFile implements ByteFile {
  readonly #files: MemoryFiles;
  #bytes = new Uint8Array(1024);
  #size = 0;

  constructor(files: MemoryFiles) {
    this.#files = files;
  }

  get content(): Uint8Array {
    return this.#bytes.slice(0, this.#size);
  }

  read(into: Uint8Array, at: number): void {
    if (this.#files.readsUntilFault-- <= 0) throw new Error("Input/output error (os error 5)");
    if (at + into.length > this.#size) throw new Error("Cannot read the file: it ends before");
    into.set(this.#bytes.subarray(at, at + into.length));
  }

  write(bytes: Uint8Array, at: number): void {
    if (this.#files.isFull) throw new Error("No space left on device");
    const end = at + bytes.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(2 * end);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, at);
    this.#size = Math.max(this.#size, end);
  }

  size(): number {
    return this.#size;
  }

  // deno-lint-ignore require-await
  async sync(): Promise<void> {
    this.#files.assertWorks();
  }

  close(): void {}
}
