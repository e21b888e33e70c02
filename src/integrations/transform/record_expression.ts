/**
 * Expressions of record transformations, such as `sum(items[].price) > 100 && country in ("FR", "DE")`. They read one record and
 * take {@link RecordSteps}. No library: jq and the template language have other paths.
 */
import { isJsonObject, jsonEquals, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { compareNumbers } from "../../languages/values/mod.ts";
import { functionOf } from "./record_functions.ts";
import type { RecordSteps } from "./record_steps.ts";
import { compute, flagFrom, numberFrom } from "./record_values.ts";

/** A compiled expression. Those of one record share its steps. @throws Error the record does not fit, or takes too many steps */
export type RecordExpression = (record: JsonObject, steps: RecordSteps) => JsonValue;

const MAX_LENGTH = 10_000;
const MAX_DEPTH = 50;
const TOKEN =
  /\s*(?:(\$\d+|[\p{L}_][\p{L}\p{Nd}_]*)|(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|"((?:[^"\\]|\\.)*)"|(&&|\|\||==|!=|>=|<=|\[\]|[=<>!+\-*/(),.[\]]))/uy;

/** Compiles an expression. @throws Error it is malformed */
export function compileRecordExpression(source: string): RecordExpression {
  try {
    if (source.length > MAX_LENGTH) throw new Error(`it has more than ${MAX_LENGTH} characters`);
    return new Parser(tokensOf(source)).whole();
  } catch (error) {
    const shown = source.length > 200 ? `${source.slice(0, 200)}…` : source;
    throw new Error(`Invalid expression "${shown}": ${(error as Error).message}`, { cause: error });
  }
}

interface Token {
  readonly kind: "name" | "number" | "text" | "sign";
  readonly text: string;
}

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  const end = source.trimEnd().length;
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < end;) {
    const at = TOKEN.lastIndex;
    const [, name, number, text, sign] = TOKEN.exec(source) ?? [];
    if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (text !== undefined) tokens.push({ kind: "text", text: unescaped(text) });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign });
    else throw new Error(`unexpected "${source.slice(at).trimStart()[0]}"`);
  }
  return tokens;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([["n", "\n"], ["r", "\r"], ["t", "\t"]]);

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, letter: string) => ESCAPES.get(letter) ?? letter);
}

type BinaryOperation = (left: JsonValue, right: JsonValue) => JsonValue;

/** Operators by precedence, loosest first, without the logical ones. */
const OPERATORS: readonly ReadonlyMap<string, BinaryOperation>[] = [
  new Map<string, BinaryOperation>([
    ["==", jsonEquals],
    ["=", jsonEquals],
    ["!=", (left, right) => !jsonEquals(left, right)],
  ]),
  new Map<string, BinaryOperation>([
    [">", comparison((order) => order > 0)],
    [">=", comparison((order) => order >= 0)],
    ["<", comparison((order) => order < 0)],
    ["<=", comparison((order) => order <= 0)],
  ]),
  new Map<string, BinaryOperation>([
    ["+", (left, right) => compute("+", left, right)],
    ["-", (left, right) => compute("-", left, right)],
  ]),
  new Map<string, BinaryOperation>([
    ["*", (left, right) => compute("*", left, right)],
    ["/", (left, right) => compute("/", left, right)],
  ]),
];
/** `in` binds between equality and comparison. */
const MEMBERSHIP_LEVEL = 0;

function comparison(test: (order: number) => boolean): BinaryOperation {
  return (left, right) => {
    if (left === null || right === null) return null;
    if (typeof left === "string" && typeof right === "string") {
      return test(left < right ? -1 : left > right ? 1 : 0);
    }
    return test(compareNumbers(numberFrom(left), numberFrom(right)));
  };
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): RecordExpression {
    const parsed = this.#logical("||");
    const rest = this.#tokens[this.#at];
    if (rest) throw new Error(`unexpected "${rest.text}"`);
    return parsed;
  }

  #accept(text: string, kind: Token["kind"] = "sign"): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== kind || token.text !== text) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw new Error(`"${text}" is missing`);
  }

  #logical(operator: "||" | "&&"): RecordExpression {
    const operand = () => operator === "||" ? this.#logical("&&") : this.#binary(0);
    if (++this.#depth > MAX_DEPTH) throw new Error("it is nested too deeply");
    let left = operand();
    while (this.#accept(operator)) left = logical(operator === "||", left, operand());
    this.#depth--;
    return left;
  }

  #binary(level: number): RecordExpression {
    const operations = OPERATORS[level];
    if (!operations) return this.#unary();
    const operand = () => level === MEMBERSHIP_LEVEL ? this.#membership() : this.#binary(level + 1);
    let left = operand();
    for (;;) {
      const token = this.#tokens[this.#at];
      const operation = token?.kind === "sign" ? operations.get(token.text) : undefined;
      if (!operation) return left;
      this.#at++;
      const first = left, second = operand();
      left = (record, steps) =>
        operation(steps.read(first(record, steps)), steps.read(second(record, steps)));
    }
  }

  #membership(): RecordExpression {
    const value = this.#binary(MEMBERSHIP_LEVEL + 1);
    if (!this.#accept("in", "name")) return value;
    this.#expect("(");
    const candidates = this.#list();
    return (record, steps) => {
      const sought = value(record, steps);
      return candidates.some((candidate) =>
        jsonEquals(steps.read(candidate(record, steps)), steps.read(sought))
      );
    };
  }

  /** Expressions up to a closing parenthesis. */
  #list(): RecordExpression[] {
    const items: RecordExpression[] = [];
    if (this.#accept(")")) return items;
    do items.push(this.#logical("||")); while (this.#accept(","));
    this.#expect(")");
    return items;
  }

  #unary(): RecordExpression {
    if (++this.#depth > MAX_DEPTH) throw new Error("it is nested too deeply");
    const isNot = this.#accept("!"), isMinus = !isNot && this.#accept("-");
    const operand = isNot || isMinus ? this.#unary() : this.#primary();
    this.#depth--;
    if (isMinus) return (record, steps) => compute("-", 0, steps.read(operand(record, steps)));
    if (!isNot) return operand;
    return (record, steps) => {
      const value = steps.read(operand(record, steps));
      return value === null ? null : !flagFrom(value);
    };
  }

  #primary(): RecordExpression {
    const token = this.#tokens[this.#at++];
    if (!token) throw new Error("it ends too early");
    if (token.kind === "text") return () => token.text;
    if (token.kind === "number") return constant(numberFrom(token.text));
    if (token.kind === "name") return this.#named(token.text);
    if (token.text !== "(") throw new Error(`unexpected "${token.text}"`);
    const inner = this.#logical("||");
    this.#expect(")");
    return inner;
  }

  #named(name: string): RecordExpression {
    const literal = LITERALS.get(name.toLowerCase());
    if (literal !== undefined) return constant(literal);
    if (!this.#accept("(")) return this.#path(name);
    const call = functionOf(name), args = this.#list();
    return (record, steps) => call(args.map((arg) => steps.read(arg(record, steps))));
  }

  #path(first: string): RecordExpression {
    const segments = [this.#segment(first)];
    while (this.#accept(".")) {
      const token = this.#tokens[this.#at++];
      if (token?.kind !== "name") throw new Error('a name is missing after "."');
      segments.push(this.#segment(token.text));
    }
    return (record, steps) => resolve(record, segments, { at: 0, steps });
  }

  #segment(name: string): Segment {
    if (this.#accept("[]")) return { name, isEach: true };
    if (!this.#accept("[")) return { name };
    if (this.#accept("]")) return { name, isEach: true };
    const token = this.#tokens[this.#at++];
    const index = token?.kind === "number" ? Number(token.text) : NaN;
    if (!Number.isSafeInteger(index)) throw new Error(`an index is missing after "${name}["`);
    this.#expect("]");
    return { name, index };
  }
}

const LITERALS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

function constant(value: JsonValue): RecordExpression {
  return () => value;
}

function logical(isOr: boolean, left: RecordExpression, right: RecordExpression): RecordExpression {
  return (record, steps) => {
    for (const operand of [left, right]) {
      const value = steps.read(operand(record, steps));
      if (value === null) return null;
      if (flagFrom(value) === isOr) return isOr;
    }
    return !isOr;
  };
}

/** One step of a path: a member, an element of its list, or each of them. */
interface Segment {
  readonly name: string;
  readonly index?: number;
  readonly isEach?: boolean;
}

function resolve(
  value: JsonValue,
  segments: readonly Segment[],
  { at, steps }: { readonly at: number; readonly steps: RecordSteps },
): JsonValue {
  steps.spend(1);
  const segment = segments[at];
  if (!segment || value === null) return value;
  const { name, index, isEach } = segment;
  if (!isJsonObject(value)) throw new Error(`Expected a map for "${name}"`);
  const member = ownProperty(value, name) ?? null, next = { at: at + 1, steps };
  if (member === null || !isEach && index === undefined) return resolve(member, segments, next);
  if (!Array.isArray(member)) throw new Error(`Expected a list for "${name}[]"`);
  if (index !== undefined) return resolve(member[index] ?? null, segments, next);
  return at === segments.length - 1 ? member : member.map((item) => resolve(item, segments, next));
}
