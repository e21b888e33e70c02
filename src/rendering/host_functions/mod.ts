/**
 * Functions of expressions that need data from outside: `secret()`, `kv()`, `read()`, … A render is synchronous; when it
 * meets a value that is not there yet it stops, the value is fetched, and the render begins again with it. A template
 * without such a call never pays for this.
 */
import type { Instant } from "../../base/clock.ts";
import { type JsonValue, stringifyJson } from "../../base/json.ts";
import { ExpressionError, type HostFunction } from "../../expr/mod.ts";
import { EXECUTION_FUNCTIONS } from "./execution.ts";
import { FILE_FUNCTIONS } from "./file.ts";
import {
  type Arguments,
  type HostCall,
  type HostCaller,
  HostError,
  type HostFunctionEntry,
  type HostValues,
} from "./host_function.ts";
import { HTTP_FUNCTIONS } from "./http.ts";
import { KV_PAIR_FUNCTIONS } from "./kv_pair.ts";
import { SECRET_FUNCTIONS } from "./secret.ts";
import { SecretMask } from "../secret_mask.ts";

export type {
  FilePlace,
  FilePort,
  HostCaller,
  HostValues,
  HttpCall,
  HttpPort,
  HttpReply,
  LogPort,
} from "./host_function.ts";

/** Every function of the host by name. */
const HOST_FUNCTIONS: ReadonlyMap<string, HostFunctionEntry> = new Map([
  ...SECRET_FUNCTIONS,
  ...KV_PAIR_FUNCTIONS,
  ...FILE_FUNCTIONS,
  ...HTTP_FUNCTIONS,
  ...EXECUTION_FUNCTIONS,
]);

/** Names of all of them. */
export const HOST_FUNCTION_NAMES: ReadonlySet<string> = new Set(HOST_FUNCTIONS.keys());

/** Names of the functions whose call has an effect outside: a task that calls one of them is not pure. */
export const EFFECT_FUNCTIONS: ReadonlySet<string> = new Set(
  [...HOST_FUNCTIONS].filter(([, { hasEffect }]) => hasEffect).map(([name]) => name),
);

/** How long a shared value serves other renders, so that a thousand tasks do not read the same secret a thousand times. */
const SHARED_MS = 1_000;

/** Each value begins the render again, and a call with a random argument lacks another one every time. */
const MAX_FETCHED_VALUES = 1_000;

const NO_SECRETS: readonly string[] = [];

type Fetched = { readonly value: JsonValue } | { readonly error: string };

/**
 * Values fetched for one execution so far; secrets are remembered so that log lines can be masked. Made for every
 * execution and used by few, so nothing in it is made before it is asked for.
 */
export class HostCalls {
  readonly #values: HostValues;
  readonly #caller: HostCaller;
  #functions: ReadonlyMap<string, HostFunction> | undefined;
  /** Values of the render under way. */
  #own: Map<string, Fetched> | undefined;
  /** Calls with an effect that it has met so far. */
  #effects = 0;
  #shared: Map<string, { readonly fetched: Fetched; readonly at: Instant }> | undefined;
  #mask: SecretMask | undefined;
  /** Of the secrets among its inputs, which only become more. */
  #knownInputs = 0;
  /** Null once it knows the secrets that were used before the execution was read back. */
  #recalling: Promise<void> | null | undefined;

  constructor(values: HostValues, caller: HostCaller) {
    this.#values = values;
    this.#caller = caller;
  }

  /** The functions, by name. */
  get functions(): ReadonlyMap<string, HostFunction> {
    this.#functions ??= new Map(
      [...HOST_FUNCTIONS].map(([name, entry]) => [name, this.#define(name, entry)] as const),
    );
    return this.#functions;
  }

  /** Runs `render`, fetching what it lacks; gives its result at once when it lacks nothing. No error repeats a secret. */
  run<T>(render: () => T): T | Promise<T> {
    if (this.#recalling === undefined) this.#recalling = this.#recall();
    return this.#recalling?.then(() => this.#attempt(render, undefined)) ?? this.#attempt(render, undefined);
  }

  /** The text with every secret that this execution has used replaced by stars, its inputs of type SECRET included. */
  mask(text: string): string {
    const secrets = this.#caller.inputSecrets?.() ?? NO_SECRETS;
    while (this.#knownInputs < secrets.length) this.#remember(secrets[this.#knownInputs++] as string);
    return this.#mask?.apply(text) ?? text;
  }

  /** Forgets what may have changed since: the next render reads KV pairs afresh. */
  forget(): void {
    this.#shared = undefined;
  }

  #recall(): Promise<void> | null {
    const renders = this.#caller.recall?.() ?? [];
    return renders.length === 0 ? null : this.#renderAll(renders);
  }

  async #renderAll(renders: readonly (() => unknown)[]): Promise<void> {
    for (const render of renders) {
      try {
        await this.#attempt(render, undefined);
      } catch (error) {
        // What cannot be read now is in no text either, or its name is known in its task alone.
        if (!isRenderError(error)) throw error;
      }
    }
    this.#recalling = null;
  }

  #attempt<T>(render: () => T, own: Map<string, Fetched> | undefined): T | Promise<T> {
    // A render is synchronous: no other one sees these values.
    this.#own = own;
    this.#effects = 0;
    try {
      return render();
    } catch (error) {
      if (!(error instanceof MissingValue)) throw this.#masked(error);
      return this.#fetchAndRetry(error, render, own ?? new Map());
    } finally {
      this.#own = undefined;
    }
  }

  async #fetchAndRetry<T>(missing: MissingValue, render: () => T, own: Map<string, Fetched>): Promise<T> {
    const { key, isShared } = missing;
    const fetched = await settled(missing.value);
    own.set(key, fetched);
    if (isShared) (this.#shared ??= new Map()).set(key, { fetched, at: this.#now() });
    return await this.#attempt(render, own);
  }

  #define(name: string, { parameters, call, isShared = false, hasEffect }: HostFunctionEntry): HostFunction {
    return {
      parameters,
      call: (args) => {
        const key = hasEffect ? `${name} #${this.#effects++}` : `${name} ${stringifyJson([...args])}`;
        const fetched = this.#own?.get(key) ?? (isShared ? this.#fresh(key) : undefined);
        if (fetched) return this.#valueOf(fetched);
        if ((this.#own?.size ?? 0) >= MAX_FETCHED_VALUES) {
          this.#fail(`Cannot render: it asks for more than ${MAX_FETCHED_VALUES} values from outside`);
        }
        const value = this.#callHost(call, args);
        if (!(value instanceof Promise)) return value;
        throw new MissingValue(key, value, isShared);
      },
    };
  }

  #callHost(call: HostFunctionEntry["call"], args: Arguments): JsonValue | Promise<JsonValue> {
    try {
      return call(this.#callOf(args));
    } catch (error) {
      this.#fail((error as Error).message);
    }
  }

  #valueOf(fetched: Fetched): JsonValue {
    return "error" in fetched ? this.#fail(fetched.error) : fetched.value;
  }

  /** The render adds the place. A long message is cut there: a secret in it must be masked before. */
  #fail(message: string): never {
    throw new ExpressionError("host", this.mask(message));
  }

  #fresh(key: string): Fetched | undefined {
    const known = this.#shared?.get(key);
    return known && this.#now() - known.at < SHARED_MS ? known.fetched : undefined;
  }

  #now(): Instant {
    return this.#caller.now?.() ?? 0;
  }

  #callOf(args: Arguments): HostCall {
    return {
      args,
      caller: this.#caller,
      values: this.#values,
      remember: (secret) => this.#remember(secret),
    };
  }

  #remember(secret: string): void {
    (this.#mask ??= new SecretMask()).add(secret);
  }

  /** A message may quote the value that it complains of. */
  #masked(error: unknown): unknown {
    if (!isRenderError(error)) return error;
    const message = this.mask(error.message);
    return message === error.message ? error : new HostError(message);
  }
}

/** Stops a render until the value is there. Not an expression error: no guard swallows it. */
class MissingValue extends Error {
  readonly key: string;
  readonly value: Promise<JsonValue>;
  readonly isShared: boolean;

  constructor(key: string, value: Promise<JsonValue>, isShared: boolean) {
    super("A value has to be fetched first");
    this.key = key;
    this.value = value;
    this.isShared = isShared;
  }
}

/** True for an error that says why a render failed, as against a bug. */
export function isRenderError(error: unknown): error is Error {
  return error instanceof ExpressionError || error instanceof HostError;
}

async function settled(value: Promise<JsonValue>): Promise<Fetched> {
  try {
    return { value: await value };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
