/** `serdes.protobuf.ProtobufToIon`. */
import { open, readFile } from "node:fs/promises";
import type { DescMessage, Message, MessageShape, Registry } from "@bufbuild/protobuf";
import type { JsonValue } from "../../../base/json.ts";
import { systemClock } from "../../../base/time/clock.ts";
import { Turns } from "../../../base/time/turn.ts";
import { dynamicFlag, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { fetchSource, FROM, RECORDS, storeRows, URI_OUTPUT } from "../conversion.ts";
import { delimitedMessages, type Delimiting } from "./delimited_messages.ts";

/** Largest message, and largest descriptor, in bytes. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const TURN_MS = 10;

/** Output: `uri`. */
export const protobufToIon = defineTask({
  type: "serdes.protobuf.ProtobufToIon",
  title: "Convert Protobuf to Ion",
  description:
    "Reads messages of Protocol Buffers and writes them as rows of Ion, with the values of ProtoJSON: 64-bit integers as texts, bytes as base64, enums by name.",
  properties: {
    from: {
      ...FROM,
      description: "Storage URI of a file with one message, or with several if `delimited` is true.",
    },
    descriptorFile: dynamicText(
      "Storage URI of the descriptors, as `protoc --include_imports --descriptor_set_out` writes them.",
      { required: true },
    ),
    typeName: dynamicText("Full name of the type of the messages, such as `com.company.Product`.", {
      required: true,
    }),
    delimited: dynamicFlag(false, "Whether the file has several messages, each after its length (a varint)."),
    errorOnUnknownFields: dynamicFlag(
      false,
      "Fails if a message has a field that the descriptors do not have; else the field is left out.",
    ),
  },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  examples: [{
    title: "Read messages",
    yaml: `id: rows
type: io.svc.plugin.serdes.protobuf.ProtobufToIon
from: "{{ outputs.download.uri }}"
descriptorFile: "{{ outputs.descriptors.uri }}"
typeName: com.company.Product
delimited: true`,
  }],
  async run(context) {
    const { descriptorFile, typeName, delimited, errorOnUnknownFields } = context.properties;
    const registry = await readRegistry(await context.fetchFile(String(descriptorFile).trim()));
    const type = registry.getMessage(String(typeName));
    if (!type) throw new Error(`Cannot find the type "${typeName}" in the descriptors`);
    const isStrict = errorOnUnknownFields === true;
    const source = await fetchSource(context);
    const messages = delimited === true
      ? delimitedMessages(source, { maxBytes: MAX_MESSAGE_BYTES })
      : wholeMessage(source);
    return await storeRows(context, source, decoded(messages, { registry, type, isStrict }));
  },
});

async function readRegistry(path: string): Promise<Registry> {
  const { createFileRegistry, fromBinary } = await import("@bufbuild/protobuf");
  const { FileDescriptorSetSchema } = await import("@bufbuild/protobuf/wkt");
  const { checkFieldCount } = await import("./protobuf_size.ts");
  const bytes = await wholeFile(path);
  try {
    checkFieldCount(FileDescriptorSetSchema, bytes);
    const set = fromBinary(FileDescriptorSetSchema, bytes);
    for (const file of set.file) nameFields(file.messageType);
    return createFileRegistry(set);
  } catch (error) {
    throw new Error(
      `Cannot read descriptorFile: it is no complete set of descriptors: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

interface DeclaredMessage {
  readonly field: readonly { readonly name: string; jsonName: string }[];
  readonly nestedType: readonly DeclaredMessage[];
}

/** Gives fields their names in JSON, where the compiler has not: `in_stock` is `inStock`. */
function nameFields(messages: readonly DeclaredMessage[]): void {
  const open = [...messages];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const field of next.field) {
      field.jsonName ||= field.name.replace(/_+(.?)/g, (_, letter: string) => letter.toUpperCase());
    }
    open.push(...next.nestedType);
  }
}

async function* wholeMessage(path: string): Delimiting {
  yield await wholeFile(path);
}

async function wholeFile(path: string): Promise<Uint8Array> {
  await using file = await open(path);
  const { size } = await file.stat();
  if (size <= MAX_MESSAGE_BYTES) return await readFile(path);
  throw new Error(`A message has ${size} bytes, and ${MAX_MESSAGE_BYTES} are allowed`);
}

interface Decoding {
  readonly registry: Registry;
  readonly type: DescMessage;
  readonly isStrict: boolean;
}

async function* decoded(
  messages: Delimiting,
  { registry, type, isStrict }: Decoding,
): AsyncGenerator<JsonValue> {
  const { fromBinary, toJson } = await import("@bufbuild/protobuf");
  const { checkFieldCount } = await import("./protobuf_size.ts");
  // A message of no bytes takes some time for each field of its type.
  const turns = new Turns(systemClock, TURN_MS);
  let count = 0, anyFields = 0;
  for (const each of registry) {
    if (each.kind === "message") anyFields = Math.max(anyFields, each.fields.length);
  }
  for await (const bytes of messages) {
    count++;
    await turns.next();
    try {
      checkFieldCount(type, bytes, anyFields);
      const message = fromBinary(type, bytes, { readUnknownFields: isStrict });
      if (isStrict) await checkUnknown(type, message);
      yield toJson(type, message, { registry, alwaysEmitImplicit: false }) as JsonValue;
    } catch (error) {
      throw new Error(`Cannot read message ${count} as ${type.typeName}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}

/** @throws Error the message, or one within it, has an unknown field */
async function checkUnknown(type: DescMessage, message: MessageShape<DescMessage>): Promise<void> {
  const { reflect } = await import("@bufbuild/protobuf/reflect");
  const open: { readonly type: DescMessage; readonly message: Message }[] = [{ type, message }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [unknown] = next.message.$unknown ?? [];
    if (unknown) throw new Error(`${next.type.typeName} has an unknown field with the number ${unknown.no}`);
    const reflected = reflect(next.type, next.message);
    for (const field of next.type.fields) {
      if (!field.message || !reflected.isSet(field)) continue;
      const inner = field.message;
      const add = (value: unknown) =>
        void open.push({ type: inner, message: (value as { readonly message: Message }).message });
      const value = reflected.get(field) as unknown;
      if (field.fieldKind === "message") add(value);
      else for (const each of (value as { values(): Iterable<unknown> }).values()) add(each);
    }
  }
}
