/** States: small maps that flows keep between executions, each stored as a KV pair of its namespace. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { sizeOf } from "../../base/json_size.ts";
import { mergeDeep } from "../../base/merge_deep.ts";
import { illegalArgument } from "../../model/errors.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { MAX_KV_VALUE_BYTES } from "../../model/limits.ts";
import { MAX_KV_KEY_LENGTH } from "../../model/namespaces/kv_pair.ts";
import type { StateId, StatePort } from "../../model/ports/states.ts";
import type { KvPairs } from "./kv_pairs.ts";

/** Longest part of a key that is used as it is. A longer one, or one with other characters, is cut and gets a hash. */
const MAX_PART_LENGTH = 60;

/** Reads, merges and deletes states. */
export class States implements StatePort {
  readonly #kvPairs: KvPairs;

  constructor(kvPairs: KvPairs) {
    this.#kvPairs = kvPairs;
  }

  /** @inheritdoc */
  async get(tenant: TenantId, id: StateId): Promise<JsonObject | undefined> {
    return await this.#read(tenant, id.namespace, await keyOf(id));
  }

  /** @inheritdoc */
  async merge(tenant: TenantId, id: StateId, given: JsonObject): Promise<{ key: string; data: JsonObject }> {
    const { namespace } = id;
    const key = await keyOf(id);
    let data: JsonObject = {};
    await this.#kvPairs.update({ tenant }, { namespace, key }, (before) => {
      data = mergeDeep(isJsonObject(before) ? before : {}, given, joined);
      checkSize(key, data);
      return { type: "JSON", value: data };
    });
    return { key, data };
  }

  /** @inheritdoc */
  async delete(tenant: TenantId, id: StateId): Promise<boolean> {
    const { namespace } = id;
    const key = await keyOf(id);
    return await this.#kvPairs.delete({ tenant }, { namespace, key });
  }

  async #read(tenant: TenantId, namespace: string, key: string): Promise<JsonObject | undefined> {
    const found = await this.#kvPairs.valueFor(tenant, { namespace, key }, { isExact: true });
    return isJsonObject(found?.value) ? found.value : undefined;
  }
}

/** Lists grow with each Set. @throws DomainError invalid_argument: the state is larger than a KV pair may be */
function checkSize(key: string, data: JsonObject): void {
  if (sizeOf(data, MAX_KV_VALUE_BYTES) <= MAX_KV_VALUE_BYTES) return;
  throw illegalArgument(
    `Cannot set the state "${key}": it is larger than ${MAX_KV_VALUE_BYTES} bytes; delete it, or write to a file`,
  );
}

/** A list is appended to a list, and null leaves a value as it is. */
function joined(before: JsonValue | undefined, given: JsonValue): JsonValue {
  return Array.isArray(before) && Array.isArray(given) ? [...before, ...given] : given ?? before ?? null;
}

/** `<flow>_states_<name>_<value>`, without the flow or value if the state has none. */
async function keyOf({ flowId, name, value }: StateId): Promise<string> {
  const parts = [...flowId === undefined ? [] : [flowId], "states", await partOf(name)];
  if (value !== undefined) parts.push(await partOf(value));
  const key = parts.join("_");
  return key.length <= MAX_KV_KEY_LENGTH ? key : await partOf(key);
}

/** The text if a key may contain it, else its valid characters and a hash of the whole text. */
async function partOf(text: string): Promise<string> {
  const kept = text.replaceAll(/[^a-zA-Z0-9.-]/g, "-").slice(0, MAX_PART_LENGTH);
  if (kept === text) return text;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = new Uint8Array(digest, 0, 8).toHex();
  return `${kept}-${hash}`;
}
