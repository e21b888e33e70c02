/** What the package reads of a broker has limits. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { loadKafka } from "../../../src/integrations/kafka/kafka_package.ts";
import { produce } from "../../../src/integrations/kafka/produce.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

const GZIP = 1;

interface DecodedMessage {
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, unknown>>;
}

interface ResponseDecoder {
  decode(bytes: Uint8Array): Promise<{
    readonly responses: readonly {
      readonly partitions: readonly { readonly messages: readonly DecodedMessage[] }[];
    }[];
  }>;
}

async function decode(bytes: Uint8Array): Promise<DecodedMessage[]> {
  await loadKafka();
  const response = await import("kafkajs/src/protocol/requests/fetch/v4/response.js");
  const { responses } = await (response.default as ResponseDecoder).decode(bytes);
  return responses.flatMap(({ partitions }) => partitions.flatMap(({ messages }) => messages));
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** In zigzag form. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  for (; rest > 0x7f; rest >>>= 7) bytes.push(rest & 0x7f | 0x80);
  return Buffer.from([...bytes, rest]);
}

function varBytes(bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(bytes.length), bytes]);
}

function headersOf(names: readonly string[]): Buffer {
  return Buffer.concat(names.map((name) => Buffer.concat([varBytes(Buffer.from(name)), varint(0)])));
}

function recordOf(headers: Uint8Array, headerCount: number): Buffer {
  return varBytes(Buffer.concat([Buffer.alloc(3), varint(-1), varint(-1), varint(headerCount), headers]));
}

const RECORD = recordOf(Buffer.alloc(0), 0);

function records(count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => RECORD));
}

function batchOf(content: Uint8Array, count: number, attributes = 0): Buffer {
  const head = Buffer.alloc(61);
  head.writeInt32BE(49 + content.length, 8);
  head[16] = 2;
  head.writeInt16BE(attributes, 21);
  head.writeInt32BE(count, 57);
  return Buffer.concat([head, content]);
}

/** A response of one topic with one partition. */
function responseOf(...batches: readonly Uint8Array[]): Buffer {
  const messages = Buffer.concat(batches), partition = Buffer.concat([Buffer.alloc(22), int32(0)]);
  return Buffer.concat([
    int32(0),
    int32(1),
    Buffer.from([0, 1, 97]),
    int32(1),
    partition,
    int32(messages.length),
    messages,
  ]);
}

/** Answers whatever it is sent with the same bytes. */
class HostileBroker implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #accepting: Promise<void>;

  constructor(answer: Uint8Array) {
    this.#accepting = this.#accept(answer);
  }

  get servers(): string {
    return `127.0.0.1:${this.#listener.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
  }

  async #accept(answer: Uint8Array): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const { readable, writable } of this.#listener) {
      const answers = new TransformStream<Uint8Array, Uint8Array>({
        transform: (_, controller) => controller.enqueue(answer),
      });
      served.push(readable.pipeThrough(answers).pipeTo(writable).catch(() => {})); // The client has closed.
    }
    await Promise.all(served);
  }
}

const RESPONSES: readonly (readonly [name: string, hex: string, error: string])[] = [
  ["of no bytes", "00000000", "it is not one of Kafka"],
  ["of -1 bytes", "ffffffff", "it is not one of Kafka"],
  ["of -4 bytes", "fffffffc", "it is not one of Kafka"],
  ["of -16 bytes", "fffffff0", "it is not one of Kafka"],
  ["that is too short for its number", "00000002aaaa", "it is not one of Kafka"],
  ["of more than 64 MiB", "04000001", "it has more than 67108864 bytes"],
];
for (const [name, hex, error] of RESPONSES) {
  Deno.test(`a response ${name} fails the task, not the process`, async () => {
    await using broker = new HostileBroker(Buffer.from(hex, "hex"));
    const properties = { properties: { "bootstrap.servers": broker.servers }, topic: "t" };
    await assertRejects(
      () => runDefinition(produce, { ...properties, from: { value: 1 } }),
      Error,
      `Cannot read a response: ${error}`,
    );
  });
}

const MANY = Array.from({ length: 1_001 }, (_, n) => `n${n}`);
const REFUSED: readonly (readonly [name: string, batch: Uint8Array, error: string])[] = [
  [
    "a message with 1,001 headers",
    batchOf(recordOf(headersOf(MANY), 1_001), 1),
    "a message: it has more than 1000 headers",
  ],
  ["headers that are not there", batchOf(recordOf(Buffer.alloc(0), 1_000), 1), "a response: it is malformed"],
  ["messages that are not there", batchOf(RECORD, 2), "a response: it is malformed"],
  ["a length that goes back", batchOf(varint(-5), 1), "a response: it is malformed"],
  [
    "more than 100,000 messages",
    batchOf(records(100_001), 100_001),
    "a batch of messages: it has more than 100000 messages",
  ],
  [
    "more than 100,000 compressed messages",
    batchOf(gzipSync(records(100_001)), 100_001, GZIP),
    "a batch of messages: it has more than 100000 messages",
  ],
];
for (const [name, batch, error] of REFUSED) {
  Deno.test(`a batch with ${name} is refused`, async () => {
    await assertRejects(() => decode(responseOf(batch)), Error, `Cannot read ${error}`);
  });
}

Deno.test("a partition with more than 100,000 batches is refused", async () => {
  const empty = batchOf(Buffer.alloc(0), 0);
  await assertRejects(
    () => decode(responseOf(...Array<Uint8Array>(100_001).fill(empty))),
    Error,
    "Cannot read a response: a partition has more than 100000 batches",
  );
});

const LISTS: readonly (readonly [name: string, bytes: Uint8Array, error: string])[] = [
  [
    "more elements than it has bytes",
    Buffer.concat([int32(0), int32(100), Buffer.alloc(99)]),
    "it is malformed",
  ],
  [
    "more than 500,000 elements",
    Buffer.concat([int32(0), int32(500_001), Buffer.alloc(500_001)]),
    "its lists have more than 500000 elements",
  ],
];
for (const [name, bytes, error] of LISTS) {
  Deno.test(`a response with lists of ${name} is refused`, async () => {
    await assertRejects(() => decode(bytes), Error, `Cannot read a response: ${error}`);
  });
}

Deno.test("headers of the same name are a list, and names of built-in members are names", async () => {
  const names = ["b", "__proto__", "a", "b", "toString", "b"];
  const [message] = await decode(responseOf(batchOf(recordOf(headersOf(names), names.length), 1)));
  const empty = Buffer.alloc(0);
  assertEquals(Object.entries(message?.headers ?? {}), [
    ["b", [empty, empty, empty]],
    ["__proto__", empty],
    ["a", empty],
    ["toString", empty],
  ]);
});

for (
  const [name, content, attributes] of [["plain", records(100_000), 0], [
    "compressed",
    gzipSync(records(100_000)),
    GZIP,
  ]] as const
) {
  Deno.test(`a ${name} batch of 100,000 messages is read in turns`, async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    try {
      assertEquals((await decode(responseOf(batchOf(content, 100_000, attributes)))).length, 100_000);
    } finally {
      clearInterval(timer);
    }
    assert(turns > 0);
  });
}

Deno.test("a log-in by SCRAM has at most 200,000 iterations", async () => {
  await loadKafka();
  const { default: { SCRAM: { hi }, DIGESTS } } = await import(
    "kafkajs/src/broker/saslAuthenticator/scram.js"
  );
  const keyBy = (iterations: number): Promise<Buffer> =>
    hi("secret", Buffer.from("salt"), iterations, DIGESTS.SHA256);
  assertEquals((await keyBy(200_000)).length, DIGESTS.SHA256.length);
  await assertRejects(
    () => keyBy(200_001),
    Error,
    "the broker asks for 200001 iterations, at most 200000 are allowed",
  );
});
