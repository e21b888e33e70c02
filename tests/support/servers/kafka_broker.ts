/**
 * A broker of Kafka with one member a group, for the requests that the client sends: the layouts of these versions are those of
 * https://kafka.apache.org/protocol.html. Batches of records are stored as they are sent, with their base offset.
 */
import { Buffer } from "node:buffer";

/** API keys with the only version of each. */
const VERSIONS: ReadonlyMap<number, number> = new Map([
  [0, 3], // Produce
  [1, 4], // Fetch
  [2, 1], // ListOffsets
  [3, 1], // Metadata
  [8, 2], // OffsetCommit
  [9, 1], // OffsetFetch
  [10, 0], // FindCoordinator
  [11, 0], // JoinGroup
  [12, 0], // Heartbeat
  [13, 0], // LeaveGroup
  [14, 0], // SyncGroup
  [18, 0], // ApiVersions
]);
const API_VERSIONS = 18;
/** Offset of the number of records in a batch. */
const RECORD_COUNT_AT = 57;

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int8 = (): number => this.#bytes.readInt8(this.#move(1));
  int16 = (): number => this.#bytes.readInt16BE(this.#move(2));
  int32 = (): number => this.#bytes.readInt32BE(this.#move(4));
  int64 = (): bigint => this.#bytes.readBigInt64BE(this.#move(8));

  text = (): string => {
    const length = this.int16();
    return length < 0 ? "" : this.#take(length).toString();
  };

  bytes = (): Buffer => {
    const length = this.int32();
    return length < 0 ? Buffer.alloc(0) : this.#take(length);
  };

  list = <T>(item: () => T): T[] => Array.from({ length: Math.max(this.int32(), 0) }, item);

  #move(count: number): number {
    this.#at += count;
    return this.#at - count;
  }

  #take(length: number): Buffer {
    const start = this.#move(length);
    return this.#bytes.subarray(start, start + length);
  }
}

class Writer {
  readonly #parts: Buffer[] = [];

  int8 = (value: number): this => this.#add(1, (view) => view.writeInt8(value));
  int16 = (value: number): this => this.#add(2, (view) => view.writeInt16BE(value));
  int32 = (value: number): this => this.#add(4, (view) => view.writeInt32BE(value));
  int64 = (value: bigint): this => this.#add(8, (view) => view.writeBigInt64BE(value));

  text = (value: string): this => {
    const bytes = Buffer.from(value);
    this.int16(bytes.length);
    this.#parts.push(bytes);
    return this;
  };

  bytes = (value: Buffer): this => {
    this.int32(value.length);
    this.#parts.push(value);
    return this;
  };

  list = <T>(items: readonly T[], item: (value: T) => unknown): this => {
    this.int32(items.length);
    items.forEach(item);
    return this;
  };

  whole(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #add(size: number, write: (view: Buffer) => void): this {
    const view = Buffer.alloc(size);
    write(view);
    this.#parts.push(view);
    return this;
  }
}

interface Batch {
  readonly base: bigint;
  readonly end: bigint;
  readonly bytes: Buffer;
}

interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** A broker on a free port. */
export class KafkaBroker implements AsyncDisposable {
  /** Committed positions, by `group topic/partition`. */
  readonly committed = new Map<string, bigint>();
  readonly #listener: Deno.Listener;
  readonly #logs = new Map<string, Batch[]>();
  readonly #assignments = new Map<string, Buffer>();
  readonly #connections = new Set<Deno.Conn>();
  readonly #partitions: number;
  readonly #namedPort: number | undefined;
  readonly #listed: readonly string[];
  readonly #unasked: readonly string[];
  #produced = Promise.withResolvers<void>();
  readonly #serving: Promise<void>;

  constructor(
    {
      partitions = 1,
      listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }) as Deno.Listener,
      namedPort,
      listed = [],
      unasked = [],
    }: {
      readonly partitions?: number;
      readonly listener?: Deno.Listener;
      /** Port that clients are told to connect to. */
      readonly namedPort?: number;
      /** Topics without messages. */
      readonly listed?: readonly string[];
      /** Topics that it names in each response. */
      readonly unasked?: readonly string[];
    } = {},
  ) {
    this.#namedPort = namedPort;
    this.#listed = listed;
    this.#unasked = unasked;
    this.#partitions = partitions;
    this.#listener = listener;
    this.#serving = this.#accept();
  }

  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  /** `bootstrap.servers`. */
  get servers(): string {
    return `localhost:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.#produced.resolve();
    for (const connection of this.#connections) close(connection);
    await this.#serving;
  }

  async #accept(): Promise<void> {
    const served: Promise<void>[] = [];
    try {
      for await (const connection of this.#listener) {
        this.#connections.add(connection);
        served.push(this.#serve(connection).finally(() => this.#connections.delete(connection)));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
    await Promise.all(served);
  }

  async #serve(connection: Deno.Conn): Promise<void> {
    let rest = Buffer.alloc(0);
    const chunk = new Uint8Array(65_536);
    try {
      for (let count = await connection.read(chunk); count !== null; count = await connection.read(chunk)) {
        rest = Buffer.concat([rest, chunk.subarray(0, count)]);
        while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE()) {
          const size = rest.readInt32BE();
          const response = await this.#respond(new Reader(rest.subarray(4, 4 + size)));
          rest = rest.subarray(4 + size);
          await writeAll(connection, new Writer().bytes(response).whole());
        }
      }
    } catch (error) {
      if (!isClosed(error)) throw error;
    } finally {
      close(connection);
    }
  }

  async #respond(request: Reader): Promise<Buffer> {
    const api = request.int16(), version = request.int16(), correlation = request.int32();
    request.text(); // client id
    const response = new Writer().int32(correlation);
    if (api !== API_VERSIONS && VERSIONS.get(api) !== version) throw new Error(`Request ${api} v${version}`);
    await this.#handlers.get(api)?.(request, response);
    return response.whole();
  }

  readonly #handlers = new Map<number, (request: Reader, response: Writer) => unknown>([
    [API_VERSIONS, (_, response) => {
      response.int16(0).list([...VERSIONS], ([api, version]) => response.int16(api).int16(0).int16(version));
    }],
    [3, (request, response) => this.#metadata(request, response)],
    [0, (request, response) => this.#produce(request, response)],
    [1, (request, response) => this.#fetch(request, response)],
    [2, (request, response) => {
      request.int32();
      this.#perPartition(request, response, () => request.int64(), (at, time) => {
        const offset = time === -2n ? 0n : this.#endOf(at);
        response.int32(at.partition).int16(0).int64(-1n).int64(offset);
      });
    }],
    [8, (request, response) => {
      const group = request.text();
      request.int32();
      request.text();
      request.int64();
      const read = () => ({ offset: request.int64(), metadata: request.text() });
      this.#perPartition(request, response, read, (at, { offset }) => {
        this.committed.set(`${group} ${nameOf(at)}`, offset);
        response.int32(at.partition).int16(0);
      });
    }],
    [9, (request, response) => {
      const group = request.text();
      this.#perPartition(request, response, () => undefined, (at) => {
        const offset = this.committed.get(`${group} ${nameOf(at)}`) ?? -1n;
        response.int32(at.partition).int64(offset).text("").int16(0);
      });
    }],
    [10, (_, response) => response.int16(0).int32(1).text("localhost").int32(this.port)],
    [11, (request, response) => {
      request.text();
      request.int32();
      const member = request.text() || "member-1";
      request.text();
      const [protocol] = request.list(() => ({ name: request.text(), metadata: request.bytes() }));
      response.int16(0).int32(1).text(protocol?.name ?? "").text(member).text(member);
      response.list([0], () => response.text(member).bytes(protocol?.metadata ?? Buffer.alloc(0)));
    }],
    [12, (_, response) => response.int16(0)],
    [13, (_, response) => response.int16(0)],
    [14, (request, response) => {
      const group = request.text();
      request.int32();
      request.text();
      const [own] = request.list(() => ({ member: request.text(), assignment: request.bytes() }));
      if (own) this.#assignments.set(group, own.assignment);
      response.int16(0).bytes(this.#assignments.get(group) ?? Buffer.alloc(0));
    }],
  ]);

  #perPartition<T>(
    request: Reader,
    response: Writer,
    read: () => T,
    respond: (at: TopicPartition, value: T) => void,
  ): void {
    const topics = request.list(() => {
      const topic = request.text();
      return { topic, items: request.list(() => ({ partition: request.int32(), value: read() })) };
    });
    response.list(topics, ({ topic, items }) => {
      response.text(topic).list(items, ({ partition, value }) => respond({ topic, partition }, value));
    });
  }

  #metadata(request: Reader, response: Writer): void {
    const asked = request.list(request.text);
    const known = [...this.#logs.keys()].map((name) => name.slice(0, name.lastIndexOf("/")));
    const topics = asked.length > 0
      ? [...asked, ...this.#unasked]
      : [...new Set([...known, ...this.#listed])];
    const port = this.#namedPort ?? this.port;
    response.list([0], () => response.int32(1).text("localhost").int32(port).int16(-1)).int32(1);
    response.list(topics, (topic) => {
      response.int16(0).text(topic).int8(0);
      response.list(Array.from({ length: this.#partitions }, (_, index) => index), (partition) => {
        const one = (): unknown => response.list([1], (id) => response.int32(id));
        response.int16(0).int32(partition).int32(1);
        one();
        one();
      });
    });
  }

  #produce(request: Reader, response: Writer): void {
    request.text();
    request.int16();
    request.int32();
    this.#perPartition(request, response, () => Buffer.from(request.bytes()), (at, bytes) => {
      const base = this.#endOf(at);
      bytes.writeBigInt64BE(base, 0);
      const end = base + BigInt(bytes.readInt32BE(RECORD_COUNT_AT));
      const log = this.#logs.get(nameOf(at)) ?? [];
      this.#logs.set(nameOf(at), [...log, { base, end, bytes }]);
      response.int32(at.partition).int16(0).int64(base).int64(-1n);
    });
    response.int32(0);
    this.#produced.resolve();
    this.#produced = Promise.withResolvers<void>();
  }

  /** Waits for messages as long as the request says. */
  async #fetch(request: Reader, response: Writer): Promise<void> {
    request.int32();
    const waitMs = request.int32();
    request.int32();
    request.int32();
    request.int8();
    const topics = request.list(() => {
      const topic = request.text();
      const read = () => ({ partition: request.int32(), offset: request.int64(), size: request.int32() });
      return { topic, items: request.list(read) };
    });
    const isNew = () =>
      topics.some(({ topic, items }) => items.some((item) => this.#endOf({ topic, ...item }) > item.offset));
    if (!isNew()) {
      const timer = Promise.withResolvers<void>();
      const id = setTimeout(timer.resolve, waitMs);
      await Promise.race([timer.promise, this.#produced.promise]);
      clearTimeout(id);
    }
    response.int32(0).list(topics, ({ topic, items }) => {
      response.text(topic).list(items, ({ partition, offset }) => {
        const log = this.#logs.get(nameOf({ topic, partition })) ?? [];
        const end = this.#endOf({ topic, partition });
        const records = log.filter((batch) => batch.end > offset).map(({ bytes }) => bytes);
        response.int32(partition).int16(0).int64(end).int64(end).int32(-1).bytes(Buffer.concat(records));
      });
    });
  }

  #endOf(at: TopicPartition): bigint {
    return this.#logs.get(nameOf(at))?.at(-1)?.end ?? 0n;
  }
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
}

function isClosed(error: unknown): boolean {
  const closed = [
    Deno.errors.BadResource,
    Deno.errors.Interrupted,
    Deno.errors.ConnectionReset,
    Deno.errors.BrokenPipe,
    Deno.errors.UnexpectedEof,
    Deno.errors.InvalidData, // An alert of TLS.
  ];
  return closed.some((type) => error instanceof type);
}
