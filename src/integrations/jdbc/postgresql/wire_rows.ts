/**
 * Reads rows from the stream of a connection before the package `pg` does, which makes an object and a text of each cell.
 * The package gets all other messages.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import { Buffer } from "node:buffer";
import { releaseBytes } from "../../../base/bytes.ts";
import { MalformedMessage } from "../../result_columns.ts";

const HEAD_BYTES = 5;
const DATA_ROW = 0x44;
const COPY_DATA = 0x64;
const [ERROR, NOTICE] = [0x45, 0x4e];
/** The length counts itself. */
const MIN_LENGTH = 4;
/** PostgreSQL allows rows of 1 GiB. A row is in memory as a whole, and its copy for a file can be six times as large. */
const MAX_LENGTH = 64 * 1024 * 1024;

/** Receives the content of one message. */
type ReceiveFrame = (bytes: Buffer, start: number, length: number) => void;

interface Receivers {
  readonly row: ReceiveFrame;
  readonly copied: ReceiveFrame;
  /** Whole messages of other kinds, in their order. */
  readonly others: (bytes: Buffer) => void;
}

/** Splits the bytes of a server into messages. */
export class WireRows {
  readonly #receivers: Receivers;
  #parts: Buffer[] = [];
  #size = 0;
  /** Bytes that complete the first message. */
  #needed = HEAD_BYTES;

  constructor(receivers: Receivers) {
    this.#receivers = receivers;
  }

  /**
   * Takes the next bytes, which are released afterwards: receivers must copy what they keep.
   * @throws MalformedMessage the bytes are no messages; what a receiver throws
   */
  receive(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return;
    const parts = this.#parts;
    const bytes = parts.length === 1 ? chunk : Buffer.concat(parts);
    const rest = Buffer.from(bytes.subarray(this.#split(bytes)));
    for (const part of parts) releaseBytes(part);
    releaseBytes(bytes);
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
    this.#needed = rest.length < HEAD_BYTES ? HEAD_BYTES : endOf(rest, 0);
  }

  /** Hands on all whole messages; returns where the incomplete one begins. */
  #split(bytes: Buffer): number {
    let at = 0, from = 0;
    const passOthers = () => {
      if (from < at) this.#receivers.others(bytes.subarray(from, at));
    };
    while (bytes.length - at >= HEAD_BYTES) {
      const end = endOf(bytes, at);
      if (end > bytes.length) break;
      const receive = this.#receiverOf(bytes[at]);
      if (!receive) checkFields(bytes, at, end);
      else {
        passOthers();
        receive(bytes, at + HEAD_BYTES, end - at - HEAD_BYTES);
        from = end;
      }
      at = end;
    }
    passOthers();
    return at;
  }

  #receiverOf(code: number | undefined): ReceiveFrame | undefined {
    if (code === DATA_ROW) return this.#receivers.row;
    return code === COPY_DATA ? this.#receivers.copied : undefined;
  }
}

/** Where the message ends that begins at `at`. */
function endOf(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at + 1);
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    throw new MalformedMessage(
      `The server sent a message of ${length} bytes: it must have ${MIN_LENGTH} to ${MAX_LENGTH}`,
    );
  }
  return at + 1 + length;
}

/** The package reads the fields of an error until the one that ends them, also behind the message. */
function checkFields(bytes: Buffer, at: number, end: number): void {
  if (bytes[at] !== ERROR && bytes[at] !== NOTICE) return;
  const length = end - at - HEAD_BYTES;
  if (length > 0 && bytes[end - 1] === 0 && (length === 1 || bytes[end - 2] === 0)) return;
  throw new MalformedMessage("The server sent an error or a notice without an end");
}
