/** What one evaluation knows: the caller's scope, local names, and how much of each limit is used. */
import type { JsonValue } from "../base/json.ts";
import type { StepBudget } from "../languages/values/budget.ts";
import { fail } from "../languages/values/errors.ts";
import { DEFAULT_LIMITS, type ExpressionLimits } from "../languages/values/limits.ts";

/** What a template may read and call. Time and chance arrive here. */
export interface Scope {
  /** A root variable; `undefined` when there is none of that name. Called each time it is read. */
  readonly variable: (name: string) => JsonValue | undefined;
  /** Functions of the host. What they throw reaches the caller unchanged. */
  readonly functions: ReadonlyMap<string, HostFunction>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** IANA id or offset: zone of dates that have none, and of printed dates. */
  readonly timeZone: string;
  /** In [0, 1). Keys and ids are drawn from it: it must be of cryptographic quality. */
  readonly random: () => number;
  readonly limits?: Partial<ExpressionLimits>;
}

/** A function of the host: its parameters in order, given by position or by name. */
export interface HostFunction {
  readonly parameters: readonly string[];
  /** Its value for these arguments; what it throws ends the render, unless it is an ExpressionError that a guard swallows. */
  call(args: ReadonlyMap<string, JsonValue>): JsonValue;
}

/** Local names; a closed frame, that of a macro, hides everything outside it. */
export class Frame {
  readonly names = new Map<string, JsonValue>();
  readonly parent: Frame | null;
  readonly isClosed: boolean;

  constructor(parent: Frame | null, isClosed = false) {
    this.parent = parent;
    this.isClosed = isClosed;
  }
}

/** Renders a text as a template, in a context; `keepsRaw` leaves `raw` tags in place for a later pass. */
type RenderSource = (context: Context, source: string, keepsRaw: boolean) => string;

/** The state of one evaluation. */
export class Context implements StepBudget {
  readonly scope: Scope;
  readonly limits: ExpressionLimits;
  readonly renderSource: RenderSource;
  frame: Frame | null = null;
  /** Offset of what is evaluated, for errors. */
  at = 0;
  /** `raw` bodies keep their tags: a later pass is to come. */
  keepsRaw = false;
  callDepth = 0;
  #steps = 0;
  #produced = 0;
  #memo: Map<string, unknown> | undefined;

  constructor(scope: Scope, renderSource: RenderSource) {
    this.scope = scope;
    this.limits = scope.limits ? { ...DEFAULT_LIMITS, ...scope.limits } : DEFAULT_LIMITS;
    this.renderSource = renderSource;
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
  }

  /** Counts printed characters. @throws ExpressionError `limit` */
  produce(length: number): void {
    this.#produced += length;
    if (this.#produced > this.limits.maxOutputLength) this.checkLength(this.#produced);
  }

  /** Refuses a text or list of that length, made or about to be. @throws ExpressionError `limit` */
  checkLength(length: number): void {
    const { maxOutputLength } = this.limits;
    if (length > maxOutputLength) {
      fail("limit", `Cannot make more than ${maxOutputLength} characters or elements`);
    }
  }

  /** Enters a macro or a `render`; the caller takes it back. @throws ExpressionError `limit` */
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

  /** Sets a name where it is already known, the outermost frame standing for the root; else in the nearest frame. */
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

  /** What `make` gave for that key in this evaluation. */
  memo<T>(key: string, make: () => T): T {
    const memo = this.#memo ??= new Map();
    if (!memo.has(key)) memo.set(key, make());
    return memo.get(key) as T;
  }
}
