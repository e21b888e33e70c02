/** The state of one evaluation: the scope of the caller, local names, and usage of the limits. */
import { isJsonObject, jsonEquals, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import {
  DEFAULT_LIMITS,
  type ExpressionLimits,
  fail,
  measureValue,
  type StepBudget,
} from "../languages/values/mod.ts";
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
  /** The root variables that the author of the flow wrote: `render()` evaluates those that nothing has replaced. */
  readonly authored?: JsonObject;
  /** Bounds the time of all templates that are rendered with this scope; absent: only steps are bounded. */
  readonly time?: RenderTime;
  /** Evaluates what would hold this thread for too long; absent: this thread evaluates everything. */
  readonly elsewhere?: Elsewhere;
}

/** A template that is rendered on its own. */
export interface RootTemplate {
  readonly source: string;
  /** The caller needs its text, not its value. */
  readonly isText: boolean;
  readonly variableNames: ReadonlySet<string>;
}

/** Evaluates templates in another thread. */
export interface Elsewhere {
  /** What the template gave there, if it was evaluated there for this render. */
  find(source: string, isText: boolean, scope: Scope): { readonly value: JsonValue } | undefined;
  /** Asks for its evaluation. @throws always: the render is repeated when the value is there */
  request(template: RootTemplate, scope: Scope): never;
}

/** A host function: its parameters in order, given by position or by name. */
export interface HostFunction {
  readonly parameters: readonly string[];
  /** Refused in texts that `render()` evaluates although they are data. */
  readonly isForAuthors?: boolean;
  /** Its value. Errors end the render, except an ExpressionError that a guard such as `??` catches. */
  call(args: ReadonlyMap<string, JsonValue>): JsonValue;
}

/** What code in a frame may do with outer names: a rendered text reads them, a macro does not see them. */
type OuterNames = "assigned" | "read" | "hidden";

/** Local names. */
export class Frame {
  readonly #names = new Map<string, JsonValue>();
  /** The names whose values the author alone made. */
  #authored: Set<string> | undefined;
  readonly parent: Frame | null;
  readonly outerNames: OuterNames;

  constructor(parent: Frame | null, outerNames: OuterNames = "assigned") {
    this.parent = parent;
    this.outerNames = outerNames;
  }

  /** The names that this frame has itself. */
  get names(): ReadonlyMap<string, JsonValue> {
    return this.#names;
  }

  /** Sets a name; `isAuthored`: the author alone made the value. */
  set(name: string, value: JsonValue, isAuthored: boolean): void {
    this.#names.set(name, value);
    if (isAuthored) (this.#authored ??= new Set()).add(name);
    else this.#authored?.delete(name);
  }

  /** True for a name whose value the author alone made. */
  isAuthored(name: string): boolean {
    return this.#authored?.has(name) ?? false;
  }
}

/** How a template is evaluated: the one of the render, or one that a call of `render()` evaluates within it. */
export interface Pass {
  /** The source of a template that is one print: its own text, printed, is stable. */
  readonly source?: string;
  /** Prints of the author's texts are rendered, too. */
  readonly isInPlace: boolean;
  /** Data is evaluated as a template, because the flow says so. */
  readonly isData: boolean;
}

/** The pass that is under way. */
interface CurrentPass extends Pass {
  /** A call of `render()` evaluates it. */
  readonly isNested: boolean;
  /** Nothing but values of the author has been printed so far. */
  isOwn: boolean;
}

const OUTERMOST: CurrentPass = Object.freeze({
  isInPlace: false,
  isData: false,
  isNested: false,
  isOwn: false,
});

/** Renders a text as a template. */
type RenderSource = (context: Context, source: string, pass: Pass) => string;

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
  pass = OUTERMOST;
  /** The last call of `render()` evaluated one pass only, and its text is the author's alone. */
  isLastRenderOwn = false;
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

  /** Enters a macro or a `render`; the caller restores `callDepth`. @throws ExpressionError `limit`, with that message */
  enterCall(message?: string): void {
    const { maxCallDepth } = this.limits;
    if (++this.callDepth <= maxCallDepth) return;
    fail("limit", message ?? `Cannot nest more than ${maxCallDepth} macro or render calls`);
  }

  /** Whether the author alone made the value of a name, or of that member of it. */
  isAuthored(name: string, member: string | undefined): boolean {
    for (let frame = this.frame; frame !== null; frame = frame.parent) {
      if (frame.names.has(name)) return frame.isAuthored(name);
      if (frame.outerNames === "hidden") return false;
    }
    const written = this.scope.authored && ownProperty(this.scope.authored, name);
    if (written === undefined) return false;
    const current = this.scope.variable(name);
    if (current === written) return true;
    const isSame = (a: JsonValue, b: JsonValue) => {
      this.spend((measureValue(a, this).size + measureValue(b, this).size) >>> 4);
      return jsonEquals(a, b);
    };
    if (member === undefined || !isJsonObject(current) || !isJsonObject(written)) {
      return isSame(current ?? null, written);
    }
    return isSame(ownProperty(current, member) ?? null, ownProperty(written, member) ?? null);
  }

  /** The value of a name, or `undefined`. */
  lookUp(name: string): JsonValue | undefined {
    for (let frame = this.frame; frame !== null; frame = frame.parent) {
      const value = frame.names.get(name);
      if (value !== undefined || frame.outerNames === "hidden") return value;
    }
    return this.scope.variable(name);
  }

  /**
   * Sets a name in the frame that has it, a root variable in the outermost frame, any other in the nearest frame; of
   * those frames that may be assigned.
   */
  assign(name: string, value: JsonValue, isAuthored: boolean): void {
    this.#frameFor(name).set(name, value, isAuthored);
  }

  #frameFor(name: string): Frame {
    const nearest = this.frame ??= new Frame(null);
    let outermost = nearest;
    for (let frame: Frame | null = nearest; frame !== null; frame = frame.parent) {
      outermost = frame;
      if (frame.names.has(name)) return frame;
      if (frame.outerNames === "hidden") return nearest;
      if (frame.outerNames === "read") break;
    }
    const isRoot = nearest !== outermost && this.scope.variable(name) !== undefined;
    return isRoot ? outermost : nearest;
  }

  /** The value that `make` returned for this key first in this evaluation. */
  memo<T>(key: string, make: () => T): T {
    const memo = this.#memo ??= new Map();
    if (!memo.has(key)) memo.set(key, make());
    return memo.get(key) as T;
  }
}
