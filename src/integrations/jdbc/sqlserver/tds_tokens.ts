/** Tokens of responses. MS-TDS, 2.2.7. */
import type { Cell } from "../cells.ts";
import { ByteReader, INCOMPLETE } from "./packet_bytes.ts";
import { readType, type TdsType } from "./tds_types.ts";
import { readValue } from "./tds_values.ts";

/** A column of a result. */
interface TdsColumn {
  readonly name: string;
  readonly type: TdsType;
}

/** What a response says. */
export type TdsEvent =
  | { readonly type: "columns"; readonly columns: readonly TdsColumn[] }
  | { readonly type: "row"; readonly cells: readonly Cell[] }
  /** A statement has ended; `rowCount` is absent if it counts none. */
  | { readonly type: "done"; readonly rowCount?: number }
  /** `level` below 11 is no error. */
  | { readonly type: "message"; readonly text: string; readonly number: number; readonly level: number }
  /** What requests of the transaction have to name. */
  | { readonly type: "transaction"; readonly descriptor: Uint8Array }
  | { readonly type: "routing"; readonly host: string; readonly port: number }
  | { readonly type: "login" };

const TOKEN = {
  returnStatus: 0x79,
  columns: 0x81,
  error: 0xaa,
  info: 0xab,
  login: 0xad,
  row: 0xd1,
  rowWithNulls: 0xd2,
  change: 0xe3,
  sessionState: 0xe4,
  done: 0xfd,
  doneProcedure: 0xfe,
  doneInProcedure: 0xff,
};
/** A length of two bytes, and content that is not needed. */
const SKIPPED: ReadonlySet<number> = new Set([0xa4, 0xa5, 0xa9, TOKEN.login]);
const CHANGE = { begin: 8, commit: 9, rollback: 10, routing: 20 };
const HAS_COUNT = 0x10;
const NO_COLUMNS = 0xffff;
const NO_TRANSACTION = new Uint8Array(8);

/** Reads the tokens of one response after the other, whose parts arrive at any places. */
export class TokenParser {
  #columns: readonly TdsColumn[] = [];
  #parts: Uint8Array[] = [];
  #size = 0;
  /** A large value is not read again with each part of it. */
  #needed = 0;

  /** The events that a part of a response completes. @throws Error a token is not known, or the response ends within one */
  *events(part: Uint8Array, isLast: boolean): Generator<TdsEvent> {
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#size < this.#needed && !isLast) return;
    const bytes = joined(this.#parts, this.#size);
    let done = 0;
    while (done < bytes.length) {
      const reader = new ByteReader(bytes.subarray(done));
      let event: TdsEvent | undefined;
      try {
        event = this.#read(reader);
      } catch (error) {
        if (error !== INCOMPLETE) throw error;
        break;
      }
      done += reader.position;
      if (event) yield event;
    }
    const rest = bytes.slice(done);
    if (isLast && rest.length > 0) throw new Error("Cannot read the response: it ends within a token");
    [this.#parts, this.#size, this.#needed] = [[rest], rest.length, rest.length * 2];
  }

  #read(reader: ByteReader): TdsEvent | undefined {
    const token = reader.u8();
    switch (token) {
      case TOKEN.columns:
        return this.#readColumns(reader);
      case TOKEN.row:
        return { type: "row", cells: this.#columns.map(({ type }) => readValue(reader, type)) };
      case TOKEN.rowWithNulls:
        return { type: "row", cells: this.#readRowWithNulls(reader) };
      case TOKEN.done:
      case TOKEN.doneProcedure:
      case TOKEN.doneInProcedure:
        return readDone(reader);
      case TOKEN.error:
      case TOKEN.info:
        return readMessage(reader);
      case TOKEN.change:
        return readChange(new ByteReader(reader.take(reader.u16())));
      case TOKEN.returnStatus:
        reader.i32();
        return undefined;
      case TOKEN.sessionState:
        reader.take(reader.u32());
        return undefined;
      default:
        if (!SKIPPED.has(token)) throw new Error(`Cannot read the response: its token ${token} is not known`);
        reader.take(reader.u16());
        return token === TOKEN.login ? { type: "login" } : undefined;
    }
  }

  #readColumns(reader: ByteReader): TdsEvent | undefined {
    const count = reader.u16();
    if (count === NO_COLUMNS) return undefined;
    const columns = Array.from({ length: count }, () => {
      reader.take(6); // Type of the user, and flags.
      const type = readType(reader);
      return { name: reader.text(reader.u8()), type };
    });
    this.#columns = columns;
    return { type: "columns", columns };
  }

  #readRowWithNulls(reader: ByteReader): Cell[] {
    const nulls = reader.take(Math.ceil(this.#columns.length / 8));
    return this.#columns.map(({ type }, index) => {
      const isNull = ((nulls[index >> 3] ?? 0) >> (index & 7)) & 1;
      return isNull ? null : readValue(reader, type);
    });
  }
}

function readDone(reader: ByteReader): TdsEvent {
  const status = reader.u16();
  reader.u16(); // Command.
  const rowCount = Number(reader.u64());
  return { type: "done", ...(status & HAS_COUNT) !== 0 && { rowCount } };
}

function readMessage(reader: ByteReader): TdsEvent {
  const content = new ByteReader(reader.take(reader.u16()));
  const number = content.i32();
  content.u8(); // State.
  const level = content.u8();
  return { type: "message", number, level, text: content.text(content.u16()) };
}

function readChange(content: ByteReader): TdsEvent | undefined {
  switch (content.u8()) {
    case CHANGE.begin:
      return { type: "transaction", descriptor: content.take(content.u8()).slice() };
    case CHANGE.commit:
    case CHANGE.rollback:
      return { type: "transaction", descriptor: NO_TRANSACTION };
    case CHANGE.routing: {
      content.take(3); // Length, and the protocol, which is TCP.
      const port = content.u16();
      return { type: "routing", host: content.text(content.u16()), port };
    }
    default:
      return undefined;
  }
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
