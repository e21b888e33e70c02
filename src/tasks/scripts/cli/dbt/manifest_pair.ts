/** The manifest of a dbt project as a KV pair, for runs that compare themselves with an earlier one. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  stringifyJson,
  tryParseJson,
} from "../../../../base/json.ts";
import { sizeOf } from "../../../../base/json_size.ts";
import { MAX_KV_VALUE_BYTES } from "../../../../model/limits.ts";
import { dynamicProperty, dynamicText, type PropertySchema } from "../../../../model/flows/schema.ts";
import type { KvPairId } from "../../../../model/namespaces/kv_pair.ts";
import type { RunContext } from "../../../../model/ports/run_context.ts";
import { KV_KEY, kvPairIdOf } from "../../../kv/kv_pair_id.ts";

/** Before the base64 text of a manifest that is too large for a pair as JSON: most of a real project are. */
const COMPRESSED = "gzip:";
/** Largest manifest that is read from a pair. */
const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;

/** A property that names the pair. */
export function manifestPair(description: string): PropertySchema {
  return dynamicProperty("object", description, {
    properties: {
      key: KV_KEY,
      namespace: dynamicText("Namespace of the pair; default is that of the flow."),
    },
  });
}

/** The pair that a property names; `undefined` without it. @throws Error no key, or its namespace does not exist */
export async function manifestPairOf(
  properties: JsonObject,
  name: string,
  context: RunContext,
): Promise<KvPairId | undefined> {
  const pair = ownProperty(properties, name);
  return isJsonObject(pair) ? await kvPairIdOf(pair, context) : undefined;
}

/** The text of the stored manifest; `undefined` if the pair is missing or empty. @throws Error it is too large */
export async function loadManifest({ tenant, ports }: RunContext, id: KvPairId): Promise<string | undefined> {
  const value = await ports.kvPairs.get(tenant, id, { isInherited: false });
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") return stringifyJson(value);
  return value.startsWith(COMPRESSED) ? await unpacked(value.slice(COMPRESSED.length)) : value;
}

/** Stores a manifest; a large one is compressed. False if it is still too large for a pair. @throws Error it is no JSON */
export async function storeManifest(
  { tenant, ports }: RunContext,
  id: KvPairId,
  text: string,
): Promise<boolean> {
  const manifest = tryParseJson(text);
  if (manifest === undefined) throw new Error('Cannot store "manifest.json": it is not JSON');
  if (isSmall(manifest)) {
    await ports.kvPairs.set(tenant, id, { value: { type: "JSON", value: manifest }, overwrite: true });
    return true;
  }
  const value = COMPRESSED + await packed(text);
  if (!isSmall(value)) return false;
  await ports.kvPairs.set(tenant, id, { value: { type: "STRING", value }, overwrite: true });
  return true;
}

function isSmall(value: JsonValue): boolean {
  return sizeOf(value, MAX_KV_VALUE_BYTES) <= MAX_KV_VALUE_BYTES;
}

async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).bytes()).toBase64();
}

/** A pair may have been written by anyone: what it expands to is limited. */
async function unpacked(text: string): Promise<string> {
  const bytes = Uint8Array.fromBase64(text);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > MAX_MANIFEST_BYTES) {
      throw new Error(`Cannot load the manifest: it is larger than ${MAX_MANIFEST_BYTES} bytes`);
    }
    parts.push(part);
  }
  return await new Blob(parts).text();
}
