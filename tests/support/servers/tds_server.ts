/**
 * A server with the protocol of SQL Server, of which Debian has none: prelogin, TLS in packets, login and batches (MS-TDS). The
 * clients of tedious and FreeTDS were used to check what it sends.
 */
import { connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { utf16Bytes, utf16Text } from "../../../src/integrations/jdbc/sqlserver/packet_bytes.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../processes/self_signed.ts";

/** The name and password that the server accepts. */
export const TDS_USER = "flows";
/** As {@link TDS_USER}. */
export const TDS_PASSWORD = "p4ss";

/** What the server says about encryption: none, the login alone, everything. */
export type TdsEncryption = "unsupported" | "off" | "on";

const ENCRYPTION = { off: 0, on: 1, unsupported: 2 };
const HEADER_BYTES = 8;
/** Records of TLS that carry no content of the application. */
const HANDSHAKE_RECORDS = [0x14, 0x15, 0x16];

/** Statements and logins as they arrived. */
export class TdsServer implements AsyncDisposable {
  readonly statements: string[] = [];
  /** Descriptors of the transactions of the statements. */
  readonly transactions: string[] = [];
  readonly logins: { readonly user: string; readonly database: string; readonly isSecure: boolean }[] = [];
  readonly #reply: (sql: string) => Uint8Array;
  readonly #encryption: TdsEncryption;
  readonly #server: Server;
  readonly #tls: TlsServer;
  readonly #sockets = new Set<Socket>();
  /** The last connection. */
  #outer: Socket | undefined;

  constructor(encryption: TdsEncryption, reply: (sql: string) => Uint8Array) {
    this.#reply = reply;
    this.#encryption = encryption;
    // Packets reach it through a connection of this process, on which the handshake is plain.
    this.#tls = createTlsServer(
      { cert: SELF_SIGNED_CERT, key: SELF_SIGNED_KEY, maxVersion: "TLSv1.2" },
      (socket) => {
        this.#kept(socket);
        this.#serve(socket, true);
      },
    );
    this.#server = createServer((socket) => this.#accept(this.#kept(socket)));
  }

  /** Listens on free ports. */
  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#tls.listen(0, "127.0.0.1", () => resolve()));
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", () => resolve()));
    return this;
  }

  /** Its port. */
  get port(): number {
    return (this.#server.address() as { readonly port: number }).port;
  }

  #kept<T extends Socket>(socket: T): T {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    return socket;
  }

  /** The prelogin is plain; what follows may be TLS, in packets or not. */
  #accept(socket: Socket): void {
    this.#outer = socket;
    let inner: Socket | undefined;
    const plain = this.#reader(socket, false);
    let rest = new Uint8Array();
    let isPlain = this.#encryption === "unsupported";
    socket.on("data", (bytes: Uint8Array) => {
      rest = new Uint8Array([...rest, ...bytes]);
      while (rest.length >= HEADER_BYTES) {
        const isPacket = rest[0] === 18 || rest[0] === 1 || rest[0] === 16;
        const size = isPacket ? (rest[2] ?? 0) * 256 + (rest[3] ?? 0) : rest.length;
        if (rest.length < size) return;
        const part = rest.subarray(0, size);
        rest = rest.slice(size);
        const isPrelogin = part[0] === 18 && !inner;
        if (isPrelogin) {
          socket.write(packet(preloginResponse(ENCRYPTION[this.#encryption])));
          if (!isPlain) inner = this.#tunnelTo(socket);
        } else if (isPlain || part[0] === 1) {
          isPlain = true;
          plain(part);
        } else inner?.write(part[0] === 18 ? part.subarray(HEADER_BYTES) : part);
      }
    });
  }

  /** Records of the handshake return in packets. */
  #tunnelTo(socket: Socket): Socket {
    const { port } = this.#tls.address() as { readonly port: number };
    const inner = this.#kept(connect({ host: "127.0.0.1", port }));
    let rest = new Uint8Array();
    inner.on("data", (bytes: Uint8Array) => {
      rest = new Uint8Array([...rest, ...bytes]);
      while (rest.length >= 5) {
        const size = (rest[3] ?? 0) * 256 + (rest[4] ?? 0) + 5;
        if (rest.length < size) return;
        const record = rest.slice(0, size);
        rest = rest.slice(size);
        socket.write(HANDSHAKE_RECORDS.includes(record[0] ?? 0) ? packet(record, 18) : record);
      }
    });
    socket.on("close", () => inner.destroy());
    return inner;
  }

  #serve(socket: Socket, isSecure: boolean): void {
    const read = this.#reader(socket, isSecure);
    socket.on("data", read);
  }

  /** Reads messages and responds to them. */
  #reader(socket: Socket, isSecure: boolean): (bytes: Uint8Array) => void {
    let rest = new Uint8Array(), message = new Uint8Array();
    return (bytes) => {
      rest = new Uint8Array([...rest, ...bytes]);
      while (rest.length >= HEADER_BYTES) {
        const size = (rest[2] ?? 0) * 256 + (rest[3] ?? 0);
        if (rest.length < size) return;
        message = new Uint8Array([...message, ...rest.subarray(HEADER_BYTES, size)]);
        const [type, status] = rest;
        rest = rest.slice(size);
        if (status !== 1) continue;
        const response = type === 16 ? this.#login(message, isSecure) : this.#batch(message);
        message = new Uint8Array();
        // Where TLS protects the login alone, the response to it is plain.
        const target = isSecure && this.#encryption === "off" ? this.#outer ?? socket : socket;
        for (const part of packets(response)) target.write(part);
      }
    };
  }

  #login(request: Uint8Array, isSecure: boolean): Uint8Array {
    const view = new DataView(request.buffer, request.byteOffset);
    const field = (index: number) => {
      const at = view.getUint16(36 + index * 4, true), chars = view.getUint16(38 + index * 4, true);
      return request.slice(at, at + chars * 2);
    };
    const user = utf16Text(field(1)), database = utf16Text(field(8));
    const password = utf16Text(
      field(2).map((byte) => {
        const swapped = byte ^ 0xa5;
        return (swapped << 4) | (swapped >> 4);
      }),
    );
    this.logins.push({ user, database, isSecure });
    if (user !== TDS_USER || password !== TDS_PASSWORD) {
      return new Uint8Array([...errorToken(18456, `Login failed for user '${user}'.`, 14), ...doneToken(2)]);
    }
    return new Uint8Array([...loginToken(), ...doneToken(0)]);
  }

  #batch(request: Uint8Array): Uint8Array {
    const headers = new DataView(request.buffer, request.byteOffset).getUint32(0, true);
    const sql = utf16Text(request.subarray(headers));
    this.statements.push(sql);
    this.transactions.push(request.slice(10, 18).toHex());
    if (sql === "BEGIN TRANSACTION") {
      return new Uint8Array([...transactionToken(8, [7, 0, 0, 0, 0, 0, 0, 1]), ...doneToken(0)]);
    }
    if (sql === "COMMIT TRANSACTION") return new Uint8Array([...transactionToken(9, []), ...doneToken(0)]);
    return this.#reply(sql);
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await new Promise<void>((resolve) => this.#tls.close(() => resolve()));
  }
}

function packet(content: Uint8Array, type = 4, isLast = true): Uint8Array {
  const size = content.length + HEADER_BYTES;
  return new Uint8Array([type, isLast ? 1 : 0, size >> 8, size & 0xff, 0, 0, 1, 0, ...content]);
}

/** Small packets, so that values lie across them. */
function packets(content: Uint8Array): Uint8Array[] {
  const size = 512 - HEADER_BYTES;
  const parts: Uint8Array[] = [];
  for (let at = 0; at < content.length; at += size) {
    parts.push(packet(content.subarray(at, at + size), 4, at + size >= content.length));
  }
  return parts;
}

function preloginResponse(encryption: number): Uint8Array {
  return new Uint8Array([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 15, 0, 7, 208, 0, 0, encryption]);
}

function u16(value: number): number[] {
  return [value & 0xff, (value >> 8) & 0xff];
}

function u32(value: number): number[] {
  return [...u16(value & 0xffff), ...u16(value >>> 16)];
}

function shortText(text: string): number[] {
  return [text.length, ...utf16Bytes(text)];
}

function longText(text: string): number[] {
  return [...u16(text.length), ...utf16Bytes(text)];
}

function sized(token: number, content: readonly number[]): number[] {
  return [token, ...u16(content.length), ...content];
}

function loginToken(): number[] {
  return sized(0xad, [1, 0x74, 0, 0, 4, ...shortText("Test Server"), 15, 0, 7, 208]);
}

function transactionToken(type: number, descriptor: readonly number[]): number[] {
  return sized(0xe3, [type, descriptor.length, ...descriptor, 0]);
}

/** An error, or a note of a level below 11. */
export function errorToken(number: number, text: string, level: number): number[] {
  const content = [...u32(number), 1, level, ...longText(text), ...shortText("server"), 0, ...u32(1)];
  return sized(level > 10 ? 0xaa : 0xab, content);
}

/** The end of a statement; `status` 0x10 with a number of rows. */
export function doneToken(status: number, rowCount = 0): number[] {
  return [0xfd, ...u16(status), ...u16(0), ...u32(rowCount), ...u32(0)];
}

/** Columns by name, with the bytes of their types. */
export function columnsToken(
  columns: readonly (readonly [name: string, type: readonly number[]])[],
): number[] {
  return [
    0x81,
    ...u16(columns.length),
    ...columns.flatMap(([name, type]) => [...u32(0), ...u16(1), ...type, ...shortText(name)]),
  ];
}

/** A row with the bytes of its values. */
export function rowToken(values: readonly (readonly number[])[]): number[] {
  return [0xd1, ...values.flat()];
}

/** A row some of whose values are absent. */
export function rowWithNullsToken(values: readonly (readonly number[] | null)[]): number[] {
  const bits = new Array(Math.ceil(values.length / 8)).fill(0);
  values.forEach((value, index) => bits[index >> 3] |= value === null ? 1 << (index & 7) : 0);
  return [0xd2, ...bits, ...values.flatMap((value) => value ?? [])];
}
