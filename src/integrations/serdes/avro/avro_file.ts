/** Blocks of files of Avro. https://avro.apache.org/docs/1.12.0/specification/#object-container-files */
import { Buffer } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import { type JsonValue, tryParseJson } from "../../../base/json.ts";

/** Bytes of a block without compression, which is in memory: writers make blocks of 16 KB to 16 MB. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;
/** It is read in one turn. */
const MAX_SCHEMA_BYTES = 4 * 1024 * 1024;
const READ_BYTES = 64 * 1024;
const MAX_VARINT_BYTES = 10;
const MAGIC = Buffer.from("Obj\x01");
const SYNC_BYTES = 16;

/** Values that are stored together. */
interface AvroBlock {
  /** Number of values. */
  readonly count: number;
  readonly bytes: Buffer;
}

/** An open file, behind its header. */
export class AvroFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  #buffer: Buffer = Buffer.alloc(0);
  #meta = new Map<string, Buffer>();
  #sync: Buffer = Buffer.alloc(0);

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Opens a file. @throws Error it is no such file */
  static async open(path: string): Promise<AvroFile> {
    const file = new AvroFile(await open(path));
    try {
      await file.#readHeader();
      return file;
    } catch (error) {
      await file[Symbol.asyncDispose]();
      throw new Error("Cannot read the file: it is no Avro file", { cause: error });
    }
  }

  /** Closes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  /** The schema of the values; `undefined` if it is no JSON. @throws Error it is too large */
  get schema(): JsonValue | undefined {
    const text = this.#meta.get("avro.schema");
    if (text === undefined || text.length <= MAX_SCHEMA_BYTES) return tryParseJson(String(text));
    throw new Error(`Its schema has ${text.length} bytes, and at most ${MAX_SCHEMA_BYTES} are possible`);
  }

  /** The blocks, which are read one by one. @throws Error one is malformed, or too large */
  async *blocks(): AsyncGenerator<AvroBlock> {
    while (await this.#has(1)) {
      const count = await this.#long();
      const size = await this.#long();
      if (count < 0 || size < 0 || size > MAX_BLOCK_BYTES) {
        throw new Error(`A block has ${count} rows and ${size} bytes: the limit is ${MAX_BLOCK_BYTES} bytes`);
      }
      const stored = await this.#take(size);
      if (!this.#sync.equals(await this.#take(SYNC_BYTES))) throw new Error("invalid sync marker");
      yield { count, bytes: await this.#plain(stored) };
    }
  }

  async #plain(stored: Buffer): Promise<Buffer> {
    const codec = String(this.#meta.get("avro.codec") ?? "null");
    if (codec === "null") return stored;
    if (codec !== "deflate") throw new Error(`unknown codec: ${codec}`);
    try {
      return await promisify<Uint8Array, object, Buffer>(inflateRaw)(stored, {
        maxOutputLength: MAX_BLOCK_BYTES,
      });
    } catch (error) {
      throw new Error(`A block cannot be unpacked to at most ${MAX_BLOCK_BYTES} bytes`, { cause: error });
    }
  }

  async #readHeader(): Promise<void> {
    if (!MAGIC.equals(await this.#take(MAGIC.length))) throw new Error("It has another beginning");
    for (let count = await this.#long(); count !== 0; count = await this.#long()) {
      // A negative count is followed by the size of these entries.
      if (count < 0) await this.#long();
      for (let left = Math.abs(count); left > 0; left--) {
        const name = String(await this.#take(await this.#long()));
        this.#meta.set(name, await this.#take(await this.#long()));
      }
    }
    this.#sync = await this.#take(SYNC_BYTES);
  }

  /** A whole number, which is exact up to 2^53. */
  async #long(): Promise<number> {
    let bits = 0n;
    for (let at = 0; at < MAX_VARINT_BYTES; at++) {
      const [byte = 0] = await this.#take(1);
      bits |= BigInt(byte & 0x7f) << BigInt(7 * at);
      if (byte < 0x80) return Number((bits >> 1n) ^ -(bits & 1n));
    }
    throw new Error("A number has too many bytes");
  }

  async #take(size: number): Promise<Buffer> {
    if (!(size >= 0 && await this.#has(size))) throw new Error("truncated file");
    const taken = this.#buffer.subarray(0, size);
    this.#buffer = this.#buffer.subarray(size);
    return taken;
  }

  /** Reads until there are so many bytes. */
  async #has(size: number): Promise<boolean> {
    if (size > MAX_BLOCK_BYTES) return false;
    while (this.#buffer.length < size) {
      const missing = Buffer.alloc(Math.max(READ_BYTES, size - this.#buffer.length));
      const { bytesRead } = await this.#handle.read(missing, 0, missing.length);
      if (bytesRead === 0) return false;
      this.#buffer = Buffer.concat([this.#buffer, missing.subarray(0, bytesRead)]);
    }
    return true;
  }
}
