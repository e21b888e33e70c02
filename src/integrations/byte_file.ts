/** Files of rows that are written byte by byte. */
import { closeSync, openSync, writeSync } from "node:fs";
import { tooLargeFile } from "../model/ports/storage.ts";

/** Bytes that are written together. */
const BUFFER_BYTES = 1024 * 1024;

const encoder = new TextEncoder();

/**
 * A file that is written through one buffer: rows leave no garbage behind. Bytes are taken as fast as they come, since the file
 * system buffers them.
 */
export class ByteFile implements Disposable {
  /** Callers may write from {@link used} on, after {@link reserve}, and advance it. */
  buffer: Uint8Array = new Uint8Array(BUFFER_BYTES);
  used = 0;
  readonly #file: number;
  readonly #maxBytes: number;
  #size = 0;

  /** A write fails beyond `maxBytes`. */
  constructor(path: string, maxBytes = Infinity) {
    this.#file = openSync(path, "w");
    this.#maxBytes = maxBytes;
  }

  /** Makes room for so many bytes. */
  reserve(size: number): void {
    if (this.buffer.length - this.used >= size) return;
    this.#flush();
    if (this.buffer.length < size) this.buffer = new Uint8Array(size);
  }

  /** Room is reserved. A loop is faster than `set` for the few bytes of a name or a number. */
  copy(bytes: Uint8Array, start: number, end: number): void {
    const { buffer } = this;
    let { used } = this;
    for (let at = start; at < end; at++) buffer[used++] = bytes[at] ?? 0;
    this.used = used;
  }

  /** Writes bytes of any number. */
  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.used);
    this.used += bytes.length;
  }

  /** Writes a text in UTF-8. */
  text(text: string): void {
    this.reserve(text.length * 3);
    this.used += encoder.encodeInto(text, this.buffer.subarray(this.used)).written;
  }

  /** Closes the file with all bytes in it. */
  [Symbol.dispose](): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#file);
    }
  }

  #flush(): void {
    const { used } = this;
    this.used = 0;
    if (used === 0) return;
    this.#size += used;
    if (this.#size > this.#maxBytes) throw tooLargeFile(this.#maxBytes);
    for (let at = 0; at < used;) at += writeSync(this.#file, this.buffer, at, used - at);
  }
}
