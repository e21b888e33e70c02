/** The conversion of Protocol Buffers, with descriptors and messages that the test writes byte by byte. */
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { delimitedMessages } from "../../../../src/integrations/serdes/protobuf/delimited_messages.ts";
import { protobufToIon } from "../../../../src/integrations/serdes/protobuf/protobuf_to_ion.ts";
import { runDefinition } from "../../../support/flows/definition_run.ts";
import { ticksAtRows } from "../../../support/row_ticks.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

type Bytes = readonly number[];

const utf8 = (text: string): Bytes => [...new TextEncoder().encode(text)];

function varint(value: number): Bytes {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push(rest % 0x80 + 0x80);
  return [...bytes, rest];
}

/** A field with a length: a text, bytes or a message. */
function block(no: number, content: Bytes | string): Bytes {
  const bytes = typeof content === "string" ? utf8(content) : content;
  return [...varint(no * 8 + 2), ...varint(bytes.length), ...bytes];
}

const number = (no: number, value: number): Bytes => [...varint(no * 8), ...varint(value)];

/** A field of a descriptor; labels: 1 optional, 3 repeated. */
function field(
  name: string,
  no: number,
  type: number,
  further: { label?: number; typeName?: string } = {},
): Bytes {
  const { label = 1, typeName } = further;
  return block(2, [
    ...[...block(1, name), ...number(3, no), ...number(4, label), ...number(5, type)],
    ...typeName === undefined ? [] : block(6, typeName),
  ]);
}

const [INT64, INT32, STRING, MESSAGE, BYTES, ENUM, BOOL] = [3, 5, 9, 11, 12, 14, 8];

/**
 * `product.proto`, as protoc compiles it: a product with an id, a name, tags, a price in an inner message, a kind, raw bytes and
 * sizes by name, and codes.
 */
function descriptors(): Uint8Array {
  const price = block(4, [...block(1, "Price"), ...field("cents", 1, INT32)]);
  const entry = block(3, [
    ...[
      ...block(1, "SizesEntry"),
      ...field("key", 1, STRING),
      ...field("value", 2, INT32),
      ...block(7, number(7, 1)),
    ],
  ]);
  const product = block(4, [
    ...[...block(1, "Product"), ...field("id", 1, INT64), ...field("name", 2, STRING)],
    ...field("tags", 3, STRING, { label: 3 }),
    ...field("price", 4, MESSAGE, { typeName: ".shop.Price" }),
    ...field("kind", 5, ENUM, { typeName: ".shop.Kind" }),
    ...[...field("raw", 6, BYTES), ...field("in_stock", 7, BOOL)],
    ...field("sizes", 8, MESSAGE, { label: 3, typeName: ".shop.Product.SizesEntry" }),
    ...field("codes", 10, INT32, { label: 3 }),
    ...entry,
  ]);
  const value = (name: string, no: number) => block(2, [...block(1, name), ...number(2, no)]);
  const kind = block(5, [...block(1, "Kind"), ...value("UNKNOWN", 0), ...value("FRUIT", 1)]);
  const file = [...block(1, "product.proto"), ...block(2, "shop"), ...price, ...product, ...kind];
  return new Uint8Array(block(1, [...file, ...block(12, "proto3")]));
}

const APPLE: Bytes = [
  ...[...number(1, 2 ** 53), ...block(2, "Apple"), ...block(3, "red"), ...block(3, "ripe")],
  ...[...block(4, number(1, 120)), ...number(5, 1), ...block(6, [0, 255]), ...number(7, 1)],
  ...block(8, [...block(1, "small"), ...number(2, 3)]),
];
const PEAR: Bytes = block(2, "Pear");
const UNKNOWN: Bytes = [...block(2, "Plum"), ...block(4, [...number(1, 5), ...number(9, 1)])];

const ROW =
  '{"id":"9007199254740992","name":"Apple","tags":["red","ripe"],"price":{"cents":120},"kind":"FRUIT","raw":"AP8=","inStock":true,"sizes":{"small":3}}';

function delimited(...messages: readonly Bytes[]): Uint8Array {
  return new Uint8Array(messages.flatMap((message) => [...varint(message.length), ...message]));
}

async function rowsOf(content: Uint8Array, further: Record<string, unknown> = {}, given = descriptors()) {
  const properties = {
    from: "kestra:///m",
    descriptorFile: "kestra:///d",
    typeName: "shop.Product",
    ...further,
  };
  const run = await runDefinition(protobufToIon, properties as never, {
    files: { "kestra:///m": content, "kestra:///d": given },
  });
  return { rows: [...run.files.values()].join("").trim().split("\n"), records: run.metrics.records };
}

Deno.test("ProtobufToIon reads one message as ProtoJSON", async () => {
  const { rows, records } = await rowsOf(new Uint8Array(APPLE));
  assertEquals(rows.map((row) => JSON.stringify(JSON.parse(row))), [ROW]);
  assertEquals(records, 1);
});

Deno.test("ProtobufToIon reads messages after their lengths", async () => {
  const { rows, records } = await rowsOf(delimited(APPLE, PEAR, []), { delimited: true });
  assertEquals(rows.map((row) => JSON.parse(row)), [JSON.parse(ROW), { name: "Pear" }, {}]);
  assertEquals(records, 3);
});

Deno.test("ProtobufToIon leaves unknown fields out, or fails by them", async () => {
  const { rows } = await rowsOf(new Uint8Array(UNKNOWN));
  assertEquals(rows.map((row) => JSON.parse(row)), [{ name: "Plum", price: { cents: 5 } }]);
  const strict = { errorOnUnknownFields: true };
  assertEquals((await rowsOf(new Uint8Array(APPLE), strict)).records, 1);
  await assertRejects(
    () => rowsOf(new Uint8Array(UNKNOWN), strict),
    Error,
    "shop.Price has an unknown field with the number 9",
  );
});

const REFUSED: readonly (readonly [content: Uint8Array, further: Record<string, unknown>, error: string])[] =
  [
    [
      new Uint8Array(APPLE),
      { typeName: "shop.Nothing" },
      'Cannot find the type "shop.Nothing" in the descriptors',
    ],
    [new Uint8Array([0xff, 0xff]), {}, "Cannot read message 1 as shop.Product"],
    [new Uint8Array(APPLE.slice(0, 20)), {}, "Cannot read message 1 as shop.Product"],
    [delimited(APPLE).subarray(0, 20), { delimited: true }, "its last message is incomplete"],
    [new Uint8Array([0xff, 0xff, 0xff, 0xff, 0x0f]), { delimited: true }, "A message has 4294967295 bytes"],
    [new Uint8Array(6).fill(0xff), { delimited: true }, "it has no length where a message begins"],
  ];

for (const [content, further, error] of REFUSED) {
  Deno.test(`ProtobufToIon refuses a file with "${error}"`, async () => {
    await assertRejects(() => rowsOf(content, further), Error, error);
  });
}

Deno.test("ProtobufToIon refuses descriptors that are damaged or incomplete", async () => {
  const missing = new Uint8Array(
    block(1, [...block(1, "a.proto"), ...block(3, "b.proto"), ...block(12, "proto3")]),
  );
  for (const given of [new Uint8Array([0xff]), missing]) {
    await assertRejects(() => rowsOf(new Uint8Array(), {}, given), Error, "Cannot read descriptorFile");
  }
});

Deno.test("delimitedMessages() reads messages that span many pieces of the file", async () => {
  await withTempDir(async (folder) => {
    const messages = [1, 300_000, 0, 65_536, 2].map((length, index) => new Array(length).fill(index));
    await Deno.writeFile(`${folder}/m`, delimited(...messages));
    const lengths: number[] = [];
    for await (const message of delimitedMessages(`${folder}/m`, { maxBytes: 1e6 })) {
      lengths.push(message.length);
    }
    assertEquals(lengths, [1, 300_000, 0, 65_536, 2]);
  });
});

/** More fields and elements than a message may have, in one of its fields. */
const TOO_MANY: readonly (readonly [what: string, message: () => Uint8Array])[] = [
  ["messages", () => repeated([0x22, 0], 400_001)],
  ["texts", () => repeated([0x1a, 0], 400_001)],
  ["numbers", () => repeated([0x38, 1], 400_001)],
  ["entries of a map", () => repeated([0x42, 0], 400_001)],
  ["unknown groups", () => new Uint8Array([0x5b, ...Array(400_000).fill([0x08, 1]).flat(), 0x5c])],
  ["packed numbers", () => packed(400_001)],
];

function repeated(bytes: Bytes, count: number): Uint8Array {
  return Uint8Array.from({ length: bytes.length * count }, (_, i) => bytes[i % bytes.length] ?? 0);
}

/** `codes`, a list of numbers in one block. */
function packed(count: number): Uint8Array {
  return new Uint8Array([...varint(10 * 8 + 2), ...varint(count), ...Array(count).fill(1)]);
}

for (const [what, message] of TOO_MANY) {
  Deno.test(`ProtobufToIon refuses a message with too many fields: ${what}`, async () => {
    await assertRejects(() => rowsOf(message()), Error, "it has more than 400000 fields and elements");
  });
}

/** Descriptors of two lists of messages, of a type with 2,000 fields, and of any type. */
function wideDescriptors(): Uint8Array {
  const fields = Array.from({ length: 2_000 }, (_, index) => field(`f${index}`, index + 1, INT32)).flat();
  const wide = block(4, [...block(1, "Wide"), ...fields]);
  const product = block(4, [
    ...block(1, "Product"),
    ...field("wide", 1, MESSAGE, { label: 3, typeName: ".shop.Wide" }),
    ...field("any", 2, MESSAGE, { label: 3, typeName: ".google.protobuf.Any" }),
  ]);
  const any = block(4, [...block(1, "Any"), ...field("type_url", 1, STRING), ...field("value", 2, BYTES)]);
  const anyFile = [...block(1, "any.proto"), ...block(2, "google.protobuf"), ...any];
  const file = [
    ...block(1, "product.proto"),
    ...block(2, "shop"),
    ...block(3, "any.proto"),
    ...wide,
    ...product,
  ];
  return new Uint8Array([anyFile, file].flatMap((each) => block(1, [...each, ...block(12, "proto3")])));
}

Deno.test("ProtobufToIon refuses a message with many messages of wide types", async () => {
  const read = (no: number, count: number) => rowsOf(repeated([no * 8 + 2, 0], count), {}, wideDescriptors());
  for (const [no, name] of [[1, "wide"], [2, "any"]] as const) {
    assertEquals(JSON.parse((await read(no, 10)).rows[0] ?? ""), { [name]: Array(10).fill({}) });
    await assertRejects(
      () => read(no, 2_001),
      Error,
      "messages whose types have more than 4000000 fields together",
    );
  }
});

Deno.test("others run between the messages that ProtobufToIon reads", async () => {
  const messages = delimited(...Array(20).fill(PEAR));
  const ticks = await ticksAtRows(() => rowsOf(messages, { delimited: true }));
  assertNotEquals(ticks.at(-20), ticks.at(-1));
});

Deno.test("ProtobufToIon refuses descriptors with too many fields", async () => {
  const given = repeated([0x0a, 0], 400_001);
  await assertRejects(() => rowsOf(delimited(APPLE), {}, given), Error, "it has more than 400000 fields");
});

Deno.test("ProtobufToIon reads a message of 100,000 texts, and one with bytes of 8 MiB", async () => {
  const { rows } = await rowsOf(repeated([0x1a, 1, 0x61], 100_000));
  assertEquals(JSON.parse(rows[0] ?? "").tags.length, 100_000);
  const size = 8 * 1024 * 1024, head = [...varint(6 * 8 + 2), ...varint(size)];
  const bytes = new Uint8Array(head.length + size);
  bytes.set(head);
  assertEquals(JSON.parse((await rowsOf(bytes)).rows[0] ?? "").raw.length, Math.ceil(size / 3) * 4);
});
