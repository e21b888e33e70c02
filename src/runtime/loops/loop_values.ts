/** The values of a Loop: read from its property, and stored while it runs. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import { LruCache } from "../../base/lru.ts";
import { parsedText, shown } from "../../engine/flowable/values.ts";
import type { FileKeeper } from "../../model/executions/attempt_identity.ts";
import { parseIon } from "../../languages/ion/mod.ts";
import { MAX_LOOP_VALUES } from "../../model/limits.ts";
import type { StoragePort } from "../../model/ports/storage.ts";
import { isStorageUri } from "../../model/namespaces/storage_uri.ts";

/** One value as text, and its key if it comes from a map. */
export type LoopValue = readonly [value: string | null, key?: string];

/** The values, and how they are read again after a commit. */
interface LoopValues {
  readonly values: readonly LoopValue[];
  /** `{items}`: the values; `{file}`: a file with one JSON value a line; `{lines}`: the file that the property names. */
  readonly kept: JsonObject;
}

/** Maximum JSON text stored with the execution; more is written to a file, once. */
const MAX_KEPT_CHARS = 1_024;
/** Cached values of running loops, in characters. */
const CACHE_CHARS = 8_000_000;

/** Reads values, and caches those of running loops. */
export class LoopValueReader {
  readonly #storage: StoragePort;
  readonly #known = new LruCache<string, readonly LoopValue[]>(CACHE_CHARS);

  constructor(storage: StoragePort) {
    this.#storage = storage;
  }

  /** The values of a loop that starts, from the rendered property. @throws Error they are not a list, map or readable file */
  async begin(keeper: FileKeeper, property: JsonValue | undefined): Promise<LoopValues> {
    const given = typeof property === "string" ? property.trim() : property;
    if (typeof given === "string" && isStorageUri(given)) {
      const kept = { lines: given };
      return { kept, values: this.#remember(keeper, await this.#read(keeper, kept)) };
    }
    const values = this.#remember(keeper, listOf(given));
    const text = stringifyJson(values as unknown as JsonValue);
    if (text.length <= MAX_KEPT_CHARS) return { values, kept: { items: values as unknown as JsonValue } };
    const { uri } = await this.#storage.write(keeper, ".txt", ReadableStream.from([linesOf(values)]));
    return { values, kept: { file: uri } };
  }

  /** The values of a running loop. @throws Error they cannot be read any more */
  async again(keeper: FileKeeper, kept: JsonObject): Promise<readonly LoopValue[]> {
    return this.#known.get(keyOf(keeper)) ?? this.#remember(keeper, await this.#read(keeper, kept));
  }

  #remember(keeper: FileKeeper, values: readonly LoopValue[]): readonly LoopValue[] {
    if (values.length > MAX_LOOP_VALUES) {
      throw new Error(
        `Cannot loop over ${values.length} values: at most ${MAX_LOOP_VALUES} are allowed, split them into batches`,
      );
    }
    const weight = values.reduce(
      (sum, [value, key]) => sum + 50 + (value?.length ?? 0) + (key?.length ?? 0),
      0,
    );
    this.#known.set(keyOf(keeper), values, weight);
    return values;
  }

  async #read(keeper: FileKeeper, { items, file, lines }: JsonObject): Promise<readonly LoopValue[]> {
    if (items !== undefined) return items as unknown as LoopValue[];
    const uri = String(file ?? lines);
    const opened = await this.#storage.open(keeper, uri);
    if (!opened) throw new Error(`Cannot read the values "${uri}": there is no such file`);
    const text = await new Response(opened.content as ReadableStream<Uint8Array<ArrayBuffer>>).text();
    const given = text.split(/\r?\n/).filter((line) => line.trim() !== "");
    if (file !== undefined) return given.map((line) => parseJson(line) as unknown as LoopValue);
    return given.map(uri.endsWith(".ion") ? ionValue : (line): LoopValue => [line]);
  }
}

function keyOf({ tenant, taskRunId, attemptNumber }: FileKeeper): string {
  return `${tenant}/${taskRunId}/${attemptNumber}`;
}

function linesOf(values: readonly LoopValue[]): Uint8Array {
  const lines = values.map((value) => `${stringifyJson(value as unknown as JsonValue)}\n`);
  return new TextEncoder().encode(lines.join(""));
}

function listOf(given: JsonValue | undefined): LoopValue[] {
  const list = typeof given === "string" ? parsedText(given) : given;
  if (Array.isArray(list)) {
    refuseNull(list, given);
    return [...new Set(list.map(textOf))].map((value): LoopValue => [value]);
  }
  if (isJsonObject(list)) {
    refuseNull(Object.values(list), given);
    return Object.entries(list).map(([key, value]): LoopValue => [textOf(value), key]);
  }
  throw new Error(
    `Cannot loop over the values: they must be a list, a map, or the storage URI of a file, but are ${
      shown(given)
    }`,
  );
}

function refuseNull(values: readonly JsonValue[], given: JsonValue | undefined): void {
  if (values.includes(null)) {
    throw new Error(`Found a null value inside the iteration values: ${shown(given)}`);
  }
}

/** Text that is not Ion is the value itself. */
function ionValue(line: string): LoopValue {
  try {
    return [textOf(parseIon(line, { isProseAllowed: true }).value)];
  } catch {
    return [line];
  }
}

function textOf(value: JsonValue): string | null {
  if (value === null || typeof value === "string") return value;
  return stringifyJson(value);
}
