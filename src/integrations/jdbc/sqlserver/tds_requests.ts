/** Requests of the Tabular Data Stream, version 7.4. MS-TDS, 2.2.6. */
import { utf16Bytes } from "./packet_bytes.ts";

/** What is agreed about encryption before the login. */
export const ENCRYPTION = { off: 0, on: 1, unsupported: 2, required: 3 } as const;

const ENCRYPTION_OPTION = 1;
const END_OF_OPTIONS = 0xff;
/** Version 7.4, as it is sent. */
const VERSION = [0x04, 0x00, 0x00, 0x74];
const PACKET_BYTES = 4096;
const LOGIN_FIXED_BYTES = 94;
/** The database must exist, and its language be set; settings are those of ODBC, which are those of standard SQL. */
const FLAGS = [0xe0, 0x03, 0x00, 0x00];

/** What both sides can do; `encryption` is what the client wants. */
export function preloginRequest(encryption: number): Uint8Array {
  const options: readonly (readonly [number, readonly number[]])[] = [
    [0, [0, 0, 0, 0, 0, 0]], // Version of the client.
    [ENCRYPTION_OPTION, [encryption]],
    [2, [0]], // Instance.
    [3, [0, 0, 0, 0]], // Thread.
    [4, [0]], // Several results at a time.
  ];
  const head: number[] = [], content: number[] = [];
  for (const [option, bytes] of options) {
    const offset = options.length * 5 + 1 + content.length;
    head.push(option, offset >> 8, offset & 0xff, 0, bytes.length);
    content.push(...bytes);
  }
  return new Uint8Array([...head, END_OF_OPTIONS, ...content]);
}

/** What the server says about encryption. */
export function preloginEncryption(response: Uint8Array): number {
  const view = new DataView(response.buffer, response.byteOffset, response.byteLength);
  for (let at = 0; at + 5 <= response.length && response[at] !== END_OF_OPTIONS; at += 5) {
    if (response[at] === ENCRYPTION_OPTION) return response[view.getUint16(at + 1)] ?? ENCRYPTION.unsupported;
  }
  return ENCRYPTION.unsupported;
}

/** Who logs in. */
interface Login {
  readonly host: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly application: string;
}

/** A login with a name and a password. */
export function loginRequest({ host, username, password, database, application }: Login): Uint8Array {
  // In the order of the protocol; absent ones have no length.
  const texts = ["", username, password, application, host, "", "", "", database];
  const encoded = texts.map((text, index) => index === 2 ? scrambled(utf16Bytes(text)) : utf16Bytes(text));
  const size = encoded.reduce((sum, bytes) => sum + bytes.length, LOGIN_FIXED_BYTES);
  const request = new Uint8Array(size), view = new DataView(request.buffer);
  view.setUint32(0, size, true);
  request.set(VERSION, 4);
  view.setUint32(8, PACKET_BYTES, true);
  request.set(FLAGS, 24);
  let at = LOGIN_FIXED_BYTES;
  encoded.forEach((bytes, index) => {
    view.setUint16(36 + index * 4, at, true);
    view.setUint16(38 + index * 4, bytes.length / 2, true);
    request.set(bytes, at);
    at += bytes.length;
  });
  // After the address of the client: the token of a domain, a file to attach, and a new password, all empty.
  for (const offset of [78, 82, 86]) view.setUint16(offset, at, true);
  return request;
}

/** The protocol wants it; only TLS protects the password. */
function scrambled(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => ((byte << 4) | (byte >> 4)) ^ 0xa5);
}

/** Statements; `transaction` is the descriptor of the open transaction, or zeros. */
export function batchRequest(sql: string, transaction: Uint8Array): Uint8Array {
  const text = utf16Bytes(sql);
  const request = new Uint8Array(22 + text.length), view = new DataView(request.buffer);
  view.setUint32(0, 22, true); // All headers.
  view.setUint32(4, 18, true); // The only one.
  view.setUint16(8, 2, true); // It describes the transaction.
  request.set(transaction, 10);
  view.setUint32(18, 1, true); // Requests that are open.
  request.set(text, 22);
  return request;
}
