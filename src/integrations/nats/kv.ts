/** `nats.kv.CreateBucket`, `Put`, `Get` and `Delete`: buckets are streams, https://docs.nats.io/nats-concepts/jetstream/key-value-store. */
import { Buffer } from "node:buffer";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { parseHeaders } from "./headers.ts";
import { CONNECTION_PROPERTIES, type NatsSession, withNats } from "./session.ts";

const SERVER_EXAMPLE = `url: nats://nats.example.com:4222
username: flows
password: "{{ secret('NATS_PASSWORD') }}"`;
/** Window in which the server finds repeated messages. */
const DUPLICATE_WINDOW_NS = 120_000_000_000;

const BUCKET: PropertySchemas = Object.freeze({
  ...CONNECTION_PROPERTIES,
  bucketName: dynamicText("Name of the bucket.", { required: true }),
});
const KEYS = dynamicProperty("list", "The keys.", { items: { type: "string", description: "A key." } });

/** The name of a bucket. @throws Error it is not valid */
function bucketOf(name: JsonValue | undefined): string {
  if (/^[\w-]+$/.test(String(name))) return String(name);
  throw new Error(`Invalid bucket name: "${name}" must have letters, digits, "_" and "-" only`);
}

/** The subject of a key. @throws Error the key is not valid */
function subjectOf(bucket: string, key: string): string {
  if (/^[-/_=.a-zA-Z0-9]+$/.test(key) && !/^\.|\.$|\.\./.test(key)) return `$KV.${bucket}.${key}`;
  throw new Error(
    `Invalid key: "${key}" must have letters, digits, "-", "/", "_", "=" and dots between them only`,
  );
}

/** Creates a bucket. */
export const createBucket = defineTask({
  type: "nats.kv.CreateBucket",
  title: "Create a bucket of NATS",
  description:
    "Creates a bucket for pairs of keys and values; the task fails if it exists with other properties.",
  properties: {
    ...CONNECTION_PROPERTIES,
    name: dynamicText("Name of the bucket.", { required: true }),
    description: dynamicText("Description of the bucket."),
    historyPerKey: dynamicProperty("integer", "Values of a key that are kept.", {
      default: 1,
      minimum: 1,
      maximum: 64,
    }),
    bucketSize: dynamicProperty("integer", "Most bytes of the bucket.", { minimum: 1 }),
    valueSize: dynamicProperty("integer", "Most bytes of a value.", { minimum: 1 }),
    metadata: dynamicProperty("map", "Further texts about the bucket; servers before 2.10 ignore them.", {
      items: { type: "string", description: "A text." },
    }),
  },
  outputs: {
    bucket: { type: "string", description: "Name of the bucket." },
    description: { type: "string", description: "Description of the bucket." },
    history: { type: "integer", description: "Values of a key that are kept." },
    entryCount: { type: "integer", description: "Values in the bucket." },
    bucketSize: { type: "integer", description: "Most bytes of the bucket; -1 without a limit." },
    valueSize: { type: "integer", description: "Most bytes of a value; -1 without a limit." },
    metadata: {
      type: "map",
      description: "Further texts.",
      items: { type: "string", description: "A text." },
    },
  },
  examples: [{
    title: "Create a bucket",
    yaml:
      `id: create\ntype: io.svc.plugin.nats.kv.CreateBucket\n${SERVER_EXAMPLE}\nname: prices\nhistoryPerKey: 5`,
  }],
  async run(context) {
    const { historyPerKey, bucketSize = -1, valueSize = -1, metadata } = context.properties;
    const bucket = bucketOf(context.properties.name),
      description = optionalText(context.properties.description);
    const stream = {
      name: `KV_${bucket}`,
      subjects: [`$KV.${bucket}.>`],
      ...description !== undefined && { description },
      ...isJsonObject(metadata) && { metadata },
      retention: "limits",
      storage: "file",
      discard: "new",
      num_replicas: 1,
      max_msgs: -1,
      max_consumers: -1,
      max_msgs_per_subject: Number(historyPerKey),
      max_bytes: bucketSize,
      max_msg_size: valueSize,
      duplicate_window: DUPLICATE_WINDOW_NS,
      allow_rollup_hdrs: true,
      deny_delete: true,
      allow_direct: true,
    };
    const created = await withNats(
      context,
      (session) => session.call(`STREAM.CREATE.${stream.name}`, stream),
    );
    const state = isJsonObject(created?.state) ? created.state : {};
    return {
      bucket,
      ...description !== undefined && { description },
      history: stream.max_msgs_per_subject,
      entryCount: state.messages ?? 0,
      bucketSize,
      valueSize,
      ...isJsonObject(metadata) && { metadata },
    };
  },
});

/** Writes values. */
export const put = defineTask({
  type: "nats.kv.Put",
  title: "Put values into a bucket of NATS",
  description: "Writes values as JSON. The bucket must exist.",
  properties: {
    ...BUCKET,
    values: dynamicProperty("map", "Values by key.", {
      required: true,
      items: { type: "any", description: "A value." },
    }),
  },
  outputs: {
    revisions: {
      type: "map",
      description: "Revisions by key.",
      items: { type: "integer", description: "A revision." },
    },
  },
  examples: [{
    title: "Put two values",
    yaml:
      `id: put\ntype: io.svc.plugin.nats.kv.Put\n${SERVER_EXAMPLE}\nbucketName: prices\nvalues:\n  apple: 3\n  pear:\n    price: 4`,
  }],
  async run(context) {
    const { values } = context.properties;
    const bucket = bucketOf(context.properties.bucketName),
      entries = Object.entries(isJsonObject(values) ? values : {});
    const revisions = await withNats(context, async (session) => {
      const found: [string, JsonValue][] = [];
      for (const [key, value] of entries) {
        const message = { subject: subjectOf(bucket, key), data: Buffer.from(stringifyJson(value)) };
        found.push([key, await written(session, bucket, message)]);
      }
      return found;
    });
    return { revisions: Object.fromEntries(revisions) };
  },
});

/** The revision of what is written. @throws Error the bucket does not exist */
async function written(
  session: NatsSession,
  bucket: string,
  message: Parameters<NatsSession["request"]>[0],
): Promise<JsonValue> {
  const response = await session.request(message);
  if (!response) throw new Error(`Cannot write to the bucket "${bucket}": it does not exist`);
  return session.checked(response)?.seq ?? null;
}

/** Reads values. */
export const get = defineTask({
  type: "nats.kv.Get",
  title: "Get values of a bucket of NATS",
  description: "Reads values that are JSON. Keys without a value are left out.",
  properties: {
    ...BUCKET,
    keys: KEYS,
    keyRevisions: dynamicProperty("map", "Revisions by key, in place of keys.", {
      items: { type: "integer", description: "A revision." },
    }),
  },
  outputs: {
    output: { type: "map", description: "Values by key.", items: { type: "any", description: "A value." } },
  },
  examples: [{
    title: "Get two values",
    yaml:
      `id: get\ntype: io.svc.plugin.nats.kv.Get\n${SERVER_EXAMPLE}\nbucketName: prices\nkeys: [apple, pear]`,
  }],
  async run(context) {
    const { keys, keyRevisions } = context.properties;
    const bucket = bucketOf(context.properties.bucketName);
    const wanted: readonly (readonly [key: string, revision?: JsonValue])[] = isJsonObject(keyRevisions)
      ? Object.entries(keyRevisions)
      : (Array.isArray(keys) ? keys : []).map((key) => [String(key)] as const);
    if (wanted.length === 0) throw new Error("Missing keys: give keys or keyRevisions");
    return await withNats(context, async (session) => {
      const output: [string, JsonValue][] = [];
      for (const [key, revision] of wanted) {
        const value = await valueOf(session, subjectOf(bucket, key), { bucket, revision });
        if (value !== undefined) output.push([key, value]);
      }
      return { output: Object.fromEntries(output) };
    });
  },
});

async function valueOf(
  session: NatsSession,
  subject: string,
  { bucket, revision }: { readonly bucket: string; readonly revision?: JsonValue },
): Promise<JsonValue | undefined> {
  const wanted: JsonObject = revision === undefined ? { last_by_subj: subject } : { seq: Number(revision) };
  const { message } = await session.call(`STREAM.MSG.GET.KV_${bucket}`, wanted) ?? {};
  if (!isJsonObject(message) || message.subject !== subject) return undefined;
  const { headers } = parseHeaders(Buffer.from(optionalText(message.hdrs) ?? "", "base64").toString());
  if (headers["KV-Operation"]) return undefined;
  const text = Buffer.from(optionalText(message.data) ?? "", "base64").toString();
  try {
    return parseJson(text);
  } catch (error) {
    throw new Error(`Cannot read the value of "${subject}": it is no JSON`, { cause: error });
  }
}

/** Deletes keys. */
export const deleteKeys = defineTask({
  type: "nats.kv.Delete",
  title: "Delete keys of a bucket of NATS",
  description: "Marks keys as deleted; earlier values stay in the history.",
  properties: { ...BUCKET, keys: { ...KEYS, required: true } },
  outputs: { deletedCount: { type: "integer", description: "Number of keys." } },
  examples: [{
    title: "Delete two keys",
    yaml:
      `id: delete\ntype: io.svc.plugin.nats.kv.Delete\n${SERVER_EXAMPLE}\nbucketName: prices\nkeys: [apple, pear]`,
  }],
  async run(context) {
    const { keys } = context.properties;
    const bucket = bucketOf(context.properties.bucketName),
      names = Array.isArray(keys) ? keys.map(String) : [];
    await withNats(context, async (session) => {
      for (const key of names) {
        const headers = { "KV-Operation": ["DEL"] };
        await written(session, bucket, { subject: subjectOf(bucket, key), headers });
      }
    });
    return { deletedCount: names.length };
  },
});
