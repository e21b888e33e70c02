/** A broker of AMQP 0-9-1 in this process: direct exchanges, queues in memory, confirmations, one user. */
import { Buffer } from "node:buffer";

/** The only user. */
export const AMQP_USER = "flows";
/** Password of {@link AMQP_USER}. */
export const AMQP_PASSWORD = "s3cret-word";

/** A message in a queue. */
interface Stored {
  readonly exchange: string;
  readonly routingKey: string;
  /** Properties as they were sent. */
  readonly properties: Buffer;
  readonly body: Buffer;
  isRedelivered: boolean;
}

/** A message without properties. */
export function storedMessage(text: string): Stored {
  return { exchange: "", routingKey: "", properties: u16(0), body: Buffer.from(text), isRedelivered: false };
}

/** A method frame with its arguments. */
export function methodFrame(channel: number, classId: number, method: number, ...parts: Buffer[]): Buffer {
  return frame(1, channel, Buffer.concat([u16(classId), u16(method), ...parts]));
}

/** A frame. */
export function frame(type: number, channel: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.of(type), u16(channel), u32(payload.length), payload, Buffer.of(0xce)]);
}

/** A short text of the protocol. */
export const shortText = (text: string): Buffer => Buffer.concat([Buffer.of(text.length), Buffer.from(text)]);
const longText = (text: string) => Buffer.concat([u32(text.length), Buffer.from(text)]);

/** Two bytes. */
export const u16 = (value: number): Buffer => Buffer.of(value >> 8, value & 255);

/** Four bytes. */
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Eight bytes. */
export function u64(value: number): Buffer {
  return Buffer.concat([u32(Math.floor(value / 2 ** 32)), u32(value >>> 0)]);
}

/** The broker. */
export class AmqpBroker implements AsyncDisposable {
  readonly queues = new Map<string, Stored[]>();
  readonly exchanges = new Set([""]);
  readonly bindings: { readonly exchange: string; readonly queue: string; readonly key: string }[] = [];
  /** What is sent after the log-in, in the same bytes as its confirmation; the connection is not served any more. */
  greeting: Buffer | undefined;
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  readonly #sessions = new Set<Session>();
  readonly #serving: Promise<void>;

  constructor() {
    this.#serving = this.#serve();
  }

  /** Connections that are open. */
  get openCount(): number {
    return this.#sessions.size;
  }

  /** Port on 127.0.0.1. */
  get port(): number {
    return this.#listener.addr.port;
  }

  async #serve(): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const connection of this.#listener) {
      this.#open.add(connection);
      const session = new Session(this, connection);
      this.#sessions.add(session);
      served.push(session.serve().catch(() => {}).finally(() => this.#sessions.delete(session)));
    }
    await Promise.all(served);
  }

  /** Sends new messages to consumers. */
  changed(): void {
    for (const session of this.#sessions) session.deliver();
  }

  /** Ends all connections, as a broker that stops. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#open) {
      try {
        connection.close();
      } catch {
        // Closed by its session.
      }
    }
    await this.#serving;
  }
}

/** One connection. */
class Session {
  readonly #broker: AmqpBroker;
  readonly #connection: Deno.Conn;
  readonly #unacknowledged = new Map<number, { readonly queue: string; readonly message: Stored }>();
  #consumer: {
    readonly channel: number;
    readonly queue: string;
    readonly tag: string;
    readonly noAck: boolean;
  } | undefined;
  #published: { exchange: string; key: string; isMandatory: boolean } | undefined;
  #header: { readonly size: number; readonly properties: Buffer } | undefined;
  #body: Buffer = Buffer.alloc(0);
  #lastTag = 0;
  #confirmed = -1;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(broker: AmqpBroker, connection: Deno.Conn) {
    this.#broker = broker;
    this.#connection = connection;
  }

  async serve(): Promise<void> {
    let rest: Buffer = Buffer.alloc(0), isGreeted = false;
    try {
      for await (const chunk of this.#connection.readable) {
        rest = Buffer.concat([rest, chunk]);
        if (!isGreeted && rest.length >= 8) {
          isGreeted = true;
          rest = rest.subarray(8);
          const mechanisms = longText("PLAIN AMQPLAIN"), locales = longText("en_US");
          this.#reply(methodFrame(0, 10, 10, Buffer.of(0, 9), u32(0), mechanisms, locales));
        }
        while (rest.length >= 8 && rest.length >= rest.readUInt32BE(3) + 8) {
          const size = rest.readUInt32BE(3);
          this.#receive(rest[0] ?? 0, rest.readUInt16BE(1), rest.subarray(7, 7 + size));
          rest = rest.subarray(size + 8);
        }
      }
    } finally {
      this.#consumer = undefined;
      this.#requeue();
      await this.#writing.catch(() => {});
    }
  }

  #reply(bytes: Buffer): void {
    this.#writing = this.#writing.then(async () => {
      for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
    });
    this.#writing.catch(() => {});
  }

  #receive(type: number, channel: number, payload: Buffer): void {
    if (type === 2) {
      const size = Number(payload.readBigUInt64BE(4));
      this.#header = { size, properties: payload.subarray(12) };
      this.#body = Buffer.alloc(0);
    } else if (type === 3) this.#body = Buffer.concat([this.#body, payload]);
    else if (type === 1) return this.#method(channel, new Arguments(payload));
    if (this.#header?.size === this.#body.length) this.#take(channel);
  }

  #method(channel: number, given: Arguments): void {
    const id = `${given.u16()}.${given.u16()}`;
    const ok = (...parts: Buffer[]) => {
      const [classId, method] = id.split(".").map(Number) as [number, number];
      this.#reply(methodFrame(channel, classId, method + 1, ...parts));
    };
    if (id === "10.31" || id === "20.41" || id === "10.51") return;
    if (id === "10.11") return this.#logIn(given);
    if (id === "10.40") return this.#reply(this.#broker.greeting ?? methodFrame(0, 10, 41, shortText("")));
    if (id === "10.50" || id === "20.40" || id === "60.10") return ok();
    if (id === "20.10") return ok(u32(0));
    if (id === "85.10") return this.#confirmed = 0, ok();
    if (id === "40.10") {
      given.u16();
      return this.#broker.exchanges.add(given.shortText()), ok();
    }
    if (id === "50.10") {
      given.u16();
      const name = given.shortText();
      if (!this.#broker.queues.has(name)) this.#broker.queues.set(name, []);
      return ok(shortText(name), u32(0), u32(0));
    }
    if (id === "50.20") {
      given.u16();
      const queue = given.shortText(), exchange = given.shortText(), key = given.shortText();
      return this.#broker.bindings.push({ queue, exchange, key }), ok();
    }
    this.#basic(channel, id, given);
  }

  #basic(channel: number, id: string, given: Arguments): void {
    if (id === "60.80") return this.#acknowledge(given.u64(), given.u8() === 1);
    given.u16();
    const name = given.shortText();
    if (id === "60.40") {
      const key = given.shortText();
      this.#published = { exchange: name, key, isMandatory: (given.u8() & 1) === 1 };
      if (!this.#broker.exchanges.has(name)) this.#refuse(channel, `NOT_FOUND - no exchange '${name}'`);
      return;
    }
    const queue = this.#broker.queues.get(name);
    if (!queue) return this.#refuse(channel, `NOT_FOUND - no queue '${name}'`);
    if (id === "60.20") {
      const tag = given.shortText() || "chosen";
      this.#consumer = { channel, queue: name, tag, noAck: (given.u8() & 2) === 2 };
      this.#reply(methodFrame(channel, 60, 21, shortText(tag)));
      this.deliver();
    } else if (id === "60.70") {
      const noAck = (given.u8() & 1) === 1;
      const message = queue.shift();
      if (!message) return this.#reply(methodFrame(channel, 60, 72, shortText("")));
      const { exchange, routingKey } = message;
      const tag = this.#hand(name, message, noAck);
      const head = [tag, Buffer.of(0), shortText(exchange), shortText(routingKey), u32(queue.length)];
      this.#send(channel, methodFrame(channel, 60, 71, ...head), message);
    }
  }

  #logIn(given: Arguments): void {
    given.table();
    given.shortText();
    if (given.longText() === `\0${AMQP_USER}\0${AMQP_PASSWORD}`) {
      return this.#reply(methodFrame(0, 10, 30, u16(10), u32(131_072), u16(60)));
    }
    this.#reply(
      methodFrame(0, 10, 50, u16(403), shortText("ACCESS_REFUSED - Login was refused"), u16(0), u16(0)),
    );
  }

  #refuse(channel: number, reason: string): void {
    this.#requeue();
    this.#reply(methodFrame(channel, 20, 40, u16(404), shortText(reason), u16(0), u16(0)));
  }

  #take(channel: number): void {
    if (!this.#published || !this.#header) return;
    const { exchange, key, isMandatory } = this.#published;
    const message = { exchange, routingKey: key, properties: this.#header.properties, body: this.#body };
    this.#published = this.#header = undefined;
    const bound = this.#broker.bindings.filter((each) => each.exchange === exchange && each.key === key);
    const names = exchange === "" ? [key] : bound.map(({ queue }) => queue);
    const found = names.map((name) => this.#broker.queues.get(name)).filter((queue) => queue !== undefined);
    for (const queue of found) queue.push({ ...message, isRedelivered: false });
    this.#broker.changed();
    if (found.length === 0 && isMandatory) {
      const head = [u16(312), shortText("NO_ROUTE"), shortText(exchange), shortText(key)];
      this.#send(channel, methodFrame(channel, 60, 50, ...head), { ...message, isRedelivered: false });
    }
    if (this.#confirmed >= 0) this.#reply(methodFrame(channel, 60, 80, u64(++this.#confirmed), Buffer.of(0)));
  }

  #hand(queue: string, message: Stored, noAck: boolean): Buffer {
    const tag = ++this.#lastTag;
    if (!noAck) this.#unacknowledged.set(tag, { queue, message });
    return u64(tag);
  }

  /** Sends the messages of its queue to its consumer. */
  deliver(): void {
    if (!this.#consumer) return;
    const { channel, queue, tag, noAck } = this.#consumer;
    const waiting = this.#broker.queues.get(queue) ?? [];
    for (const message of waiting.splice(0)) {
      const number = this.#hand(queue, message, noAck);
      const flag = Buffer.of(message.isRedelivered ? 1 : 0);
      const head = [shortText(tag), number, flag, shortText(message.exchange), shortText(message.routingKey)];
      this.#send(channel, methodFrame(channel, 60, 60, ...head), message);
    }
  }

  #send(channel: number, head: Buffer, { properties, body }: Stored): void {
    const header = frame(2, channel, Buffer.concat([u16(60), u16(0), u64(body.length), properties]));
    const content = body.length === 0 ? [] : [frame(3, channel, body)];
    this.#reply(Buffer.concat([head, header, ...content]));
  }

  #acknowledge(tag: number, isMultiple: boolean): void {
    for (const each of [...this.#unacknowledged.keys()]) {
      if (each === tag || isMultiple && each < tag) this.#unacknowledged.delete(each);
    }
  }

  #requeue(): void {
    for (const { queue, message } of [...this.#unacknowledged.values()].reverse()) {
      message.isRedelivered = true;
      this.#broker.queues.get(queue)?.unshift(message);
    }
    this.#unacknowledged.clear();
  }
}

/** Reads the arguments of a method. */
class Arguments {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  #next(length: number): Buffer {
    return this.#bytes.subarray(this.#at, this.#at += length);
  }

  u8 = (): number => this.#next(1).readUInt8();
  u16 = (): number => this.#next(2).readUInt16BE();
  u64 = (): number => Number(this.#next(8).readBigUInt64BE());
  shortText = (): string => this.#next(this.u8()).toString();
  longText = (): string => this.#next(this.#next(4).readUInt32BE()).toString();
  table = (): Buffer => this.#next(this.#next(4).readUInt32BE());
}
