/** The package `ldapts`, with a reader of messages that has limits. */
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import type { BerReader } from "ldapts";

/** The package. */
export type LdapPackage = typeof import("ldapts");

/** Limits of what a server sends. */
const MESSAGE_BYTES = 16 * 1024 * 1024;
const MESSAGE_ELEMENTS = 250_000;
const RESULT_BYTES = 64 * 1024 * 1024;
const RESULT_ELEMENTS = 1_000_000;
const RESULT_MESSAGES = 100_000;

const SEQUENCE = 0x30;
const SHORT_HEADER = 2;
const LONG_LENGTH = 0x80;
const LENGTH_DIGITS = 4;

/** A request that waits for its response, and the received part of the response. */
interface PendingRequest {
  readonly socket: Socket;
  readonly message: unknown;
  bytes?: number;
  elements?: number;
  messages?: number;
}

type PendingRequests = ReadonlyMap<string, PendingRequest>;

/** A reader of one message, or of a value in it. */
interface CountingReader extends BerReader {
  elements?: number;
}

/** The part of a parser that is used here. */
interface Parser {
  frames?: MessageFrames;
  read(data: Buffer, pending: PendingRequests): void;
  emit(event: "message" | "error", value: unknown): void;
  _getMessageFromProtocolOperation(
    id: number,
    operation: number,
    reader: BerReader,
    request: unknown,
  ): unknown;
}

let isBounded = false;

/** Loads the package. */
export async function loadLdap(): Promise<LdapPackage> {
  const ldap = await import("ldapts");
  if (!isBounded) {
    isBounded = true;
    boundLengths(ldap.BerReader.prototype);
    boundMessages(ldap);
  }
  return ldap;
}

/**
 * Version 8.2.0 takes lengths that are negative or lead beyond the message; its loops then never end. Here the reader only gets
 * whole messages, so that a length which does not fit is an error.
 */
function boundLengths(prototype: BerReader): void {
  const { readLength } = prototype;
  prototype.readLength = function (this: CountingReader, startOffset?: number): number {
    const offset = readLength.call(this, startOffset);
    if (offset === null || this.length < 0 || this.length > this.buffer.length - offset) {
      throw new Error("the server sent a message that is malformed");
    }
    this.elements = (this.elements ?? 0) + 1;
    if (this.elements > MESSAGE_ELEMENTS) {
      throw new Error(`the server sent an entry with more than ${MESSAGE_ELEMENTS} values`);
    }
    return offset;
  };
}

/**
 * Version 8.2.0 calls itself for each message of a chunk, which overflows the stack in a listener and ends the process, and copies
 * an unfinished message, whatever its size, for each chunk.
 */
function boundMessages({ BerReader, MessageParser }: LdapPackage): void {
  const prototype = MessageParser.prototype as unknown as Parser;
  prototype.read = function (data, pending) {
    const frames = this.frames ??= new MessageFrames();
    try {
      frames.add(data);
      for (let message = frames.next(); message; message = frames.next()) {
        receive(this, new BerReader(message), pending);
      }
    } catch (error) {
      delete this.frames;
      // The error of the socket becomes that of all requests.
      for (const { socket } of pending.values()) socket.destroy(error as Error);
    }
  };
}

/** @throws Error the bytes are no message; an error in its content fails only its request */
function receive(parser: Parser, reader: CountingReader, pending: PendingRequests): void {
  reader.readSequence();
  const messageId = reader.readInt();
  const protocolOperation = reader.readSequence();
  if (messageId === null || protocolOperation === null) {
    throw new Error("the server sent a message that is malformed");
  }
  const request = pending.get(`${messageId}`);
  if (!request) return;
  try {
    const message = parser._getMessageFromProtocolOperation(
      messageId,
      protocolOperation,
      reader,
      request.message,
    );
    count(request, reader);
    parser.emit("message", message);
  } catch (error) {
    parser.emit("error", Object.assign(error as Error, { messageDetails: { messageId, protocolOperation } }));
  }
}

/** The package holds the entries of a page until it has received the last one. */
function count(request: PendingRequest, { buffer, elements = 0 }: CountingReader): void {
  request.bytes = (request.bytes ?? 0) + buffer.length;
  request.elements = (request.elements ?? 0) + elements;
  request.messages = (request.messages ?? 0) + 1;
  if (
    request.bytes > RESULT_BYTES || request.elements > RESULT_ELEMENTS || request.messages > RESULT_MESSAGES
  ) {
    throw new Error(
      `the entries of a page have more than ${RESULT_BYTES} bytes, or are more than ${RESULT_MESSAGES}, or have more than ` +
        `${RESULT_ELEMENTS} values: use a smaller pageSize, or read fewer attributes`,
    );
  }
}

/** Finds the messages in what a connection receives. */
class MessageFrames {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes that must be there before it looks for the next message. */
  #needed = SHORT_HEADER;

  add(data: Buffer): void {
    this.#chunks.push(data);
    this.#size += data.length;
  }

  /** The next complete message. @throws Error the bytes are no message, or it is too long */
  next(): Buffer | undefined {
    if (this.#size < this.#needed) return undefined;
    const [first] = this.#chunks;
    const bytes = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    const needed = neededBytes(bytes);
    const isWhole = needed <= bytes.length;
    const rest = isWhole ? bytes.subarray(needed) : bytes;
    this.#chunks = [rest];
    this.#size = rest.length;
    this.#needed = isWhole ? SHORT_HEADER : needed;
    return isWhole ? bytes.subarray(0, needed) : undefined;
  }
}

/** The length of the message, or of its header if that is incomplete. */
function neededBytes(bytes: Buffer): number {
  const [tag, first = 0] = bytes;
  const digits = first & ~LONG_LENGTH;
  const isLong = first !== digits;
  if (tag !== SEQUENCE || isLong && (digits === 0 || digits > LENGTH_DIGITS)) {
    throw new Error("the server sent a message that is malformed");
  }
  const header = SHORT_HEADER + (isLong ? digits : 0);
  if (bytes.length < header) return header;
  const length = isLong ? bytes.readUIntBE(SHORT_HEADER, digits) : digits;
  if (length > MESSAGE_BYTES) {
    throw new Error(
      `the server sent a message of ${length} bytes, more than ${MESSAGE_BYTES}: read fewer attributes`,
    );
  }
  return header + length;
}
