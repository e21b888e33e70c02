/**
 * Reads rows from the stream of a connection before the package `pg` does, which makes an object and a text of each cell.
 * The package gets all other messages.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import { Buffer } from "node:buffer";
import { releaseBytes } from "../../../base/bytes.ts";

const HEAD_BYTES = 5;
const DATA_ROW = 0x44;
const COPY_DATA = 0x64;

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

  /** Takes the next bytes, which are released afterwards: receivers must copy what they keep. */
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
    this.#needed = rest.length < HEAD_BYTES ? HEAD_BYTES : 1 + rest.readInt32BE(1);
  }

  /** Hands on all whole messages; returns where the incomplete one begins. */
  #split(bytes: Buffer): number {
    let at = 0, from = 0;
    const passOthers = () => {
      if (from < at) this.#receivers.others(bytes.subarray(from, at));
    };
    while (bytes.length - at >= HEAD_BYTES) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (end > bytes.length) break;
      const receive = this.#receiverOf(bytes[at]);
      if (receive) {
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
