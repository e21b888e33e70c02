/** The state of one evaluation: the scope of the caller, local names, and usage of the limits. */
import type { JsonValue } from "../base/json.ts";
import { DEFAULT_LIMITS, type ExpressionLimits, fail, type StepBudget } from "../languages/values/mod.ts";
import type { RenderTime } from "./render_time.ts";

/** Variables, functions, time and randomness of a template. */
export interface Scope {
  /** A root variable, or `undefined`. Called at each read. */
  readonly variable: (name: string) => JsonValue | undefined;
  /** Host functions. Their errors reach the caller unchanged. */
  readonly functions: ReadonlyMap<string, HostFunction>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** IANA id or offset: the zone of dates without one, and of printed dates. */
  readonly timeZone: string;
  /** In [0, 1), of cryptographic quality: keys and ids are made from it. */
  readonly random: () => number;
  readonly limits?: Partial<ExpressionLimits>;
  /** Bounds the time of all templates that are rendered with this scope; absent: only steps are bounded. */
  readonly time?: RenderTime;
}

/** A host function: its parameters in order, given by position or by name. */
export interface HostFunction {
  readonly parameters: readonly string[];
  /** Its value. Errors end the render, except an ExpressionError that a guard such as `??` catches. */
  call(args: ReadonlyMap<string, JsonValue>): JsonValue;
}

/** Local names; a closed frame, as of a macro, hides outer names. */
export class Frame {
  readonly names = new Map<string, JsonValue>();
  readonly parent: Frame | null;
  readonly isClosed: boolean;

  constructor(parent: Frame | null, isClosed = false) {
    this.parent = parent;
    this.isClosed = isClosed;
  }
}

/** Renders a text as a template; `keepsRaw` keeps `raw` tags for a later pass. */
type RenderSource = (context: Context, source: string, keepsRaw: boolean) => string;

/** One evaluation. */
export class Context implements StepBudget {
  readonly scope: Scope;
  readonly limits: ExpressionLimits;
  readonly renderSource: RenderSource;
  frame: Frame | null = null;
  /** Offset of the evaluated expression, for errors. */
  at = 0;
  /** `raw` bodies keep their tags for a later pass. */
  keepsRaw = false;
  callDepth = 0;
  readonly #time: RenderTime | undefined;
  #steps = 0;
  #produced = 0;
  #memo: Map<string, unknown> | undefined;

  constructor(scope: Scope, renderSource: RenderSource) {
    this.scope = scope;
    this.limits = scope.limits ? { ...DEFAULT_LIMITS, ...scope.limits } : DEFAULT_LIMITS;
    this.renderSource = renderSource;
    this.#time = scope.time;
  }

  /** Milliseconds since the epoch. */
  get now(): number {
    return this.scope.now;
  }

  /** Counts `steps` of work. @throws ExpressionError `limit` */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.limits.maxSteps) {
      fail("limit", `Cannot evaluate more than ${this.limits.maxSteps} steps`);
    }
    this.#time?.spend(steps);
  }

  /** Counts printed characters. @throws ExpressionError `limit` */
  produce(length: number): void {
    this.#produced += length;
    if (this.#produced > this.limits.maxOutputLength) this.checkLength(this.#produced);
  }

  /** Checks the length of a text or list. @throws ExpressionError `limit` */
  checkLength(length: number): void {
    const { maxOutputLength } = this.limits;
    if (length > maxOutputLength) {
      fail("limit", `Cannot make more than ${maxOutputLength} characters or elements`);
    }
  }

  /** Enters a macro or a `render`; the caller restores `callDepth`. @throws ExpressionError `limit` */
  enterCall(): void {
    if (++this.callDepth > this.limits.maxCallDepth) {
      fail("limit", `Cannot nest more than ${this.limits.maxCallDepth} macro or render calls`);
    }
  }

  /** The value of a name, or `undefined`. */
  lookUp(name: string): JsonValue | undefined {
    for (let frame = this.frame; frame !== null; frame = frame.parent) {
      const value = frame.names.get(name);
      if (value !== undefined || frame.isClosed) return value;
    }
    return this.scope.variable(name);
  }

  /** Sets a name in the frame that has it, a root variable in the outermost frame, any other in the nearest frame. */
  assign(name: string, value: JsonValue): void {
    const nearest = this.frame ??= new Frame(null);
    let outermost = nearest;
    for (let frame: Frame | null = nearest; frame !== null; frame = frame.parent) {
      outermost = frame;
      if (frame.names.has(name)) return void frame.names.set(name, value);
      if (frame.isClosed) return void nearest.names.set(name, value);
    }
    const isRoot = nearest !== outermost && this.scope.variable(name) !== undefined;
    (isRoot ? outermost : nearest).names.set(name, value);
  }

  /** The value that `make` returned for this key first in this evaluation. */
  memo<T>(key: string, make: () => T): T {
    const memo = this.#memo ??= new Map();
    if (!memo.has(key)) memo.set(key, make());
    return memo.get(key) as T;
  }
}
