/**
 * Functions of expressions that need data from outside: `secret()`, `kv()`. A render is synchronous; when it meets a
 * value that is not there yet it stops, the value is fetched, and the render begins again with it. A template without
 * such a call never pays for this.
 */
import { type JsonValue, stringifyJson } from "../base/json.ts";
import { ExpressionError, type HostFunction } from "../expr/mod.ts";

/** Where the data comes from; `undefined` when there is none. */
export interface HostValues {
  /** A secret of that namespace or one above it. */
  secret(tenant: string, namespace: string, name: string): Promise<string | undefined>;
  /** Looks in that namespace, and unless `isExact` in the ones above it. */
  kvPair(
    tenant: string,
    pair: { namespace: string; key: string; isExact: boolean },
  ): Promise<JsonValue | undefined>;
}

/** On whose behalf an expression is rendered. */
export interface HostCaller {
  readonly tenant: string;
  readonly namespace: string;
}

/**
 * Values fetched for one execution so far; secrets are remembered so that log lines can be masked. Made for every
 * execution and used by few, so nothing in it is made before it is asked for.
 */
export class HostCalls {
  readonly #values: HostValues;
  readonly #caller: HostCaller;
  #functions: ReadonlyMap<string, HostFunction> | undefined;
  #fetched: Map<string, { value: JsonValue } | { error: string }> | undefined;
  #secrets: Set<string> | undefined;

  constructor(values: HostValues, caller: HostCaller) {
    this.#values = values;
    this.#caller = caller;
  }

  /** The functions, by name. */
  get functions(): ReadonlyMap<string, HostFunction> {
    this.#functions ??= new Map<string, HostFunction>([
      ["secret", this.#define("secret", ["key", "namespace", "subkey"], (args) => this.#secret(args))],
      ["kv", this.#define("kv", ["key", "namespace", "errorOnMissing"], (args) => this.#kvPair(args))],
    ]);
    return this.#functions;
  }

  /** Runs `render`, fetching what it lacks; gives its result at once when it lacks nothing. */
  run<T>(render: () => T): T | Promise<T> {
    try {
      return render();
    } catch (error) {
      if (!(error instanceof MissingValue)) throw error;
      return this.#fetchAndRetry(error, render);
    }
  }

  /** The text with every secret that this execution has used replaced by stars. */
  mask(text: string): string {
    if (!this.#secrets) return text;
    let masked = text;
    for (const secret of this.#secrets) masked = masked.replaceAll(secret, "*".repeat(secret.length));
    return masked;
  }

  /** Forgets what may have changed since: the next attempt reads KV pairs afresh. */
  forget(): void {
    this.#fetched = undefined;
  }

  async #fetchAndRetry<T>(missing: MissingValue, render: () => T): Promise<T> {
    const fetched = this.#fetched ??= new Map();
    try {
      fetched.set(missing.key, { value: await missing.fetch() });
    } catch (error) {
      fetched.set(missing.key, { error: (error as Error).message });
    }
    return await this.run(render);
  }

  #define(
    name: string,
    parameters: readonly string[],
    fetch: (args: Arguments) => Promise<JsonValue>,
  ): HostFunction {
    return {
      parameters,
      call: (args) => {
        const key = `${name} ${stringifyJson([...args])}`;
        const fetched = this.#fetched?.get(key);
        if (!fetched) throw new MissingValue(key, () => fetch(args));
        if ("error" in fetched) throw new HostError(fetched.error);
        return fetched.value;
      },
    };
  }

  async #secret(args: Arguments): Promise<JsonValue> {
    const name = requiredOf(args, "key");
    const namespace = textOf(args, "namespace") ?? this.#caller.namespace;
    const secret = await this.#values.secret(this.#caller.tenant, namespace, name);
    if (secret === undefined) {
      throw new Error(`Cannot find secret for key '${name}' in the namespace '${namespace}'`);
    }
    const value = subkeyOf(secret, textOf(args, "subkey"));
    if (value !== "") (this.#secrets ??= new Set()).add(value);
    return value;
  }

  async #kvPair(args: Arguments): Promise<JsonValue> {
    const namespace = textOf(args, "namespace") ?? this.#caller.namespace;
    const isRequired = textOf(args, "errorOnMissing")?.toLowerCase() === "true";
    const isExact = textOf(args, "namespace") !== undefined;
    const key = requiredOf(args, "key");
    const value = await this.#values.kvPair(this.#caller.tenant, { namespace, key, isExact });
    if (value === undefined && isRequired) {
      throw new Error(`The key '${key}' does not exist in the namespace '${namespace}'`);
    }
    return value ?? null;
  }
}

type Arguments = ReadonlyMap<string, JsonValue>;

/** Stops a render until the value is there. Not an expression error: no guard swallows it. */
class MissingValue extends Error {
  readonly key: string;
  readonly fetch: () => Promise<JsonValue>;

  constructor(key: string, fetch: () => Promise<JsonValue>) {
    super("A value has to be fetched first");
    this.key = key;
    this.fetch = fetch;
  }
}

/** The value cannot be had; its message goes to the log of the execution. */
class HostError extends Error {}

/** True for an error that says why a render failed, as against a bug. */
export function isRenderError(error: unknown): error is Error {
  return error instanceof ExpressionError || error instanceof HostError;
}

function subkeyOf(secret: string, subkey: string | undefined): string {
  if (subkey === undefined) return secret;
  const value: unknown = JSON.parse(secret);
  const member = typeof value === "object" && value !== null && Object.hasOwn(value, subkey);
  if (!member) throw new Error(`Cannot find subkey "${subkey}" in the secret`);
  const found = (value as Record<string, unknown>)[subkey];
  return typeof found === "string" ? found : JSON.stringify(found);
}

function textOf(args: Arguments, name: string): string | undefined {
  const value = args.get(name);
  return value === undefined || value === null ? undefined : String(value);
}

function requiredOf(args: Arguments, name: string): string {
  const value = textOf(args, name);
  if (value === undefined) throw new Error(`Missing argument "${name}"`);
  return value;
}
