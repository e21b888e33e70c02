/**
 * Host functions, which need data from outside: `secret()`, `kv()`, `read()`, … A render is synchronous: at a missing value
 * it stops, the value is fetched, and the render is repeated with it. Templates without such a call have no extra cost.
 */
import type { Clock, Instant } from "../../base/time/clock.ts";
import { type JsonValue, ownProperty, stringifyJson } from "../../base/json.ts";
import {
  type Elsewhere,
  ExpressionError,
  type HostFunction,
  type RootTemplate,
  type Scope,
} from "../../expr/mod.ts";
import { isDatabaseFault } from "../../model/errors.ts";
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
import { type Fetched, RenderProgress } from "./render_progress.ts";
import { SECRET_FUNCTIONS } from "./secret.ts";
import { SUBFLOW_FUNCTIONS } from "./subflow.ts";
import type { ScopeHost } from "../scope.ts";
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
  SlowRender,
  SlowRenderHost,
  SlowRenders,
  SlowResult,
  SubflowCall,
  SubflowPort,
} from "./host_function.ts";

/** All host functions by name. */
const HOST_FUNCTIONS: ReadonlyMap<string, HostFunctionEntry> = new Map([
  ...SECRET_FUNCTIONS,
  ...KV_PAIR_FUNCTIONS,
  ...FILE_FUNCTIONS,
  ...HTTP_FUNCTIONS,
  ...EXECUTION_FUNCTIONS,
  ...SUBFLOW_FUNCTIONS,
]);

/** The parameter names of all host functions. */
export const HOST_FUNCTION_PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map(
  [...HOST_FUNCTIONS].map(([name, { parameters }]) => [name, parameters]),
);

/** Names of all host functions. */
export const HOST_FUNCTION_NAMES: ReadonlySet<string> = new Set(HOST_FUNCTIONS.keys());

/** Names of the functions with an effect outside: a task that calls one is not pure. */
export const EFFECT_FUNCTIONS: ReadonlySet<string> = new Set(
  [...HOST_FUNCTIONS].filter(([, { hasEffect }]) => hasEffect).map(([name]) => name),
);

/** How long a fetched value serves other renders: a thousand tasks must not read the same secret a thousand times. */
const SHARED_MS = 1_000;

/** Bounds the repeats of one render. */
const MAX_FETCHED_VALUES = 1_000;

const NO_SECRETS: readonly string[] = [];

/** Values that serve other renders, and when they were fetched. */
type SharedValues = Map<string, { readonly fetched: Fetched; readonly at: Instant }>;

/** Another thread cannot evaluate the template. */
const ONLY_HERE: Fetched = Object.freeze({ error: "Cannot evaluate the template in another thread" });

/**
 * Host calls of one execution: its fetched values and the secrets to mask in log lines. Created for every execution and
 * used by few, so every member is created on first use.
 */
export class HostCalls implements Elsewhere, ScopeHost {
  readonly #values: HostValues;
  readonly #caller: HostCaller;
  #functions: ReadonlyMap<string, HostFunction> | undefined;
  /** Of the render under way. */
  #progress: RenderProgress | undefined;
  #shared: SharedValues | undefined;
  #mask: SecretMask | undefined;
  /** The number of secret inputs that are masked; their list only grows. */
  #knownInputs = 0;
  /** Null once the secrets that the execution used before it was loaded are known. */
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

  /** Itself, where there is another thread for long evaluations. */
  get elsewhere(): Elsewhere | undefined {
    return this.#values.slowRenders && this;
  }

  /** @inheritDoc */
  instant(clock: Clock): Instant {
    return this.#progress?.instant(clock) ?? clock.now();
  }

  /** @inheritDoc */
  random(draw: () => number): number {
    return this.#progress?.random(draw) ?? draw();
  }

  /** What another thread made of the template. */
  find(source: string, isText: boolean, { time }: Scope): { readonly value: JsonValue } | undefined {
    const fetched = this.#progress?.get(keyOf(source, isText));
    if (fetched === ONLY_HERE) time?.allowTurn();
    return fetched && fetched !== ONLY_HERE ? { value: this.#valueOf(fetched) } : undefined;
  }

  /** Stops the render until another thread has evaluated the template. */
  request(template: RootTemplate, scope: Scope): never {
    const fetched = this.#renderElsewhere(template, scope).catch(failed);
    throw new MissingValue(keyOf(template.source, template.isText), fetched);
  }

  async #renderElsewhere(template: RootTemplate, scope: Scope): Promise<Fetched> {
    const { now, timeZone, time, authored = {}, functions } = scope;
    const progress = this.#progress?.fork() ?? new RenderProgress();
    const render = {
      ...{
        tenant: this.#caller.tenant,
        template,
        now,
        timeZone,
        limitMs: time?.limitMs ?? 0,
        usedMs: time?.usedMs ?? 0,
      },
      authoredNames: Object.keys(authored),
      functions: [...functions].map(([name, { parameters, isForAuthors }]) => ({
        ...{ name, parameters, isForAuthors, isOnlyHere: EFFECT_FUNCTIONS.has(name) },
      })),
    };
    const found = await this.#values.slowRenders?.render(render, {
      owner: this,
      variable: (name, isAuthored) => isAuthored ? ownProperty(authored, name) : scope.variable(name),
      call: (name, args) => this.#callElsewhere(name, args, { functions, progress }),
    });
    if (!found) return ONLY_HERE;
    time?.charge(found.usedMs);
    return { value: found.value };
  }

  /** The value of a function that a template calls in another thread. */
  async #callElsewhere(
    name: string,
    args: Arguments,
    { functions, progress }: { readonly functions: Scope["functions"]; readonly progress: RenderProgress },
  ): Promise<JsonValue> {
    const definition = functions.get(name);
    const read = () => definition?.call(args) ?? null;
    return await this.#attempt(read, progress);
  }

  /** Runs `render` and fetches missing values; synchronous when none is missing. Errors are masked. */
  run<T>(render: () => T): T | Promise<T> {
    if (this.#recalling === undefined) this.#recalling = this.#recall();
    return this.#recalling?.then(() => this.#attempt(render)) ?? this.#attempt(render);
  }

  /** The text with stars for every secret that the execution has used, including its inputs of type SECRET. */
  mask(text: string): string {
    this.#rememberInputs();
    return this.#mask?.apply(text) ?? text;
  }

  /** As {@link mask}, with six stars for a secret of any length. */
  hide(text: string): string {
    this.#rememberInputs();
    return this.#mask?.hide(text) ?? text;
  }

  /** Every secret that {@link mask} replaces. */
  get secrets(): readonly string[] {
    this.#rememberInputs();
    return this.#mask?.secrets ?? NO_SECRETS;
  }

  #rememberInputs(): void {
    const secrets = this.#caller.inputSecrets?.() ?? NO_SECRETS;
    while (this.#knownInputs < secrets.length) this.#remember(secrets[this.#knownInputs++] as string);
  }

  /** Drops shared values, also those whose read has begun: the next render reads KV pairs again. */
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
        await this.#attempt(render);
      } catch (error) {
        // A secret that cannot be read is in no text, or its name is known in its task only.
        if (isRenderError(error)) continue;
        this.#recalling = undefined; // The next render reads them again.
        throw error;
      }
    }
    this.#recalling = null;
  }

  #attempt<T>(render: () => T, progress = new RenderProgress()): T | Promise<T> {
    progress.begin();
    // A render is synchronous, so no other render uses this progress.
    this.#progress = progress;
    try {
      return render();
    } catch (error) {
      if (!(error instanceof MissingValue)) throw this.#masked(error);
      return this.#fetchAndRetry(error, render, progress);
    } finally {
      this.#progress = undefined;
    }
  }

  async #fetchAndRetry<T>(missing: MissingValue, render: () => T, progress: RenderProgress): Promise<T> {
    const { key, shared } = missing;
    const fetched = await missing.value;
    progress.set(key, fetched);
    shared?.set(key, { fetched, at: this.#now() });
    return await this.#attempt(render, progress);
  }

  #define(name: string, entry: HostFunctionEntry): HostFunction {
    const { parameters, call, isShared = false, hasEffect, isForAuthors } = entry;
    return {
      parameters,
      isForAuthors,
      call: (args) => {
        const progress = this.#progress ?? new RenderProgress();
        const key = hasEffect ? `${name} #${progress.nextEffect()}` : `${name} ${stringifyJson([...args])}`;
        const fetched = progress.get(key) ?? (isShared ? this.#takeShared(key, progress) : undefined);
        if (fetched) return this.#valueOf(fetched);
        if (progress.size >= MAX_FETCHED_VALUES) {
          this.#fail(`Cannot render: it asks for more than ${MAX_FETCHED_VALUES} values from outside`);
        }
        const value = this.#callHost(call, args);
        if (!(value instanceof Promise)) return value;
        throw new MissingValue(
          key,
          settled(value, progress.hasEffects),
          isShared ? this.#shared ??= new Map() : undefined,
        );
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

  /** Masks first: the render adds the place and cuts long messages. */
  #fail(message: string): never {
    throw new ExpressionError("host", this.mask(message));
  }

  /** What another render has fetched; a repeat of this one finds it, although it may be dropped until then. */
  #takeShared(key: string, progress: RenderProgress): Fetched | undefined {
    const known = this.#shared?.get(key);
    if (!known || this.#now() - known.at >= SHARED_MS) return undefined;
    progress.set(key, known.fetched);
    return known.fetched;
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

  /** Masks the message, which may quote a value. */
  #masked(error: unknown): unknown {
    if (!isRenderError(error)) return error;
    const message = this.mask(error.message);
    return message === error.message ? error : new HostError(message);
  }
}

/** Stops a render until a value is fetched. Not an expression error, so that no guard catches it. */
class MissingValue extends Error {
  readonly key: string;
  readonly value: Promise<Fetched>;
  /** Takes the value, unless it was dropped since the read began. */
  readonly shared: SharedValues | undefined;

  constructor(key: string, value: Promise<Fetched>, shared?: SharedValues) {
    super("A value has to be fetched first");
    this.key = key;
    this.value = value;
    this.shared = shared;
  }
}

/** True for the failure of a render; other errors are bugs. */
export function isRenderError(error: unknown): error is Error {
  return error instanceof ExpressionError || error instanceof HostError;
}

function keyOf(source: string, isText: boolean): string {
  return `template ${isText} ${source}`;
}

/** A fault of the database ends the render, so that its caller repeats it, unless that would repeat an effect. */
function settled(value: Promise<JsonValue>, hasEffects: boolean): Promise<Fetched> {
  return value.then((fetched) => ({ value: fetched }), (error: Error) => {
    if (isDatabaseFault(error) && !hasEffects) throw error;
    return failed(error);
  });
}

function failed(error: Error): Fetched {
  return { error: error.message };
}
