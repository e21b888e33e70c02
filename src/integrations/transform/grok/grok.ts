/** Grok expressions: regular expressions with references to named patterns, `%{NAME:field:type}`. */
import { Double, type JsonObject, type JsonValue, setOwnProperty } from "../../../base/json.ts";
import { type Budget, Regex } from "../../../languages/regex/mod.ts";
import { ExpressionError } from "../../../languages/values/mod.ts";
import { GROK_PATTERNS } from "./patterns.ts";

/** Moves of the regular expression machine for one text; a million take some 60 ms. */
const MAX_MOVES = 5_000_000;
/** Moves in the thread of the server, some 5 ms: to start another thread takes 40 ms. */
const MAX_QUICK_MOVES = 80_000;
/** Expressions that are compiled there, which takes some 2 ms each. */
const MAX_QUICK_PATTERNS = 5;
const MAX_DEPTH = 20;
/** Characters of an expression with the patterns that it refers to; the line of a web server has some 2,000. */
const MAX_LENGTH = 10_000;
/** With the references, which are longer than what replaces them. */
const MAX_EXPANDED_LENGTH = 4 * MAX_LENGTH;
const REFERENCE = /%\{(\w+)(?::([\w.@[\]-]+?))?(?::(int|long|float|double|boolean|string))?\}/g;
const NAMED_GROUP = /\(\?<([A-Za-z]\w*)>/g;

/** How expressions are read. */
interface PatternOptions {
  /** Patterns of the user by name; they go before built-in ones. */
  readonly definitions: ReadonlyMap<string, string>;
  /** References without a field are not captured. */
  readonly namedOnly: boolean;
}

/** Expressions, and what of their captures is kept. */
export interface GrokRules extends PatternOptions {
  /** Expressions that are tried in turn. */
  readonly patterns: readonly string[];
  /** The expressions after the first that matches are not tried. */
  readonly stopsAtFirst: boolean;
  /** Fields without a value are kept. */
  readonly keepsEmpty: boolean;
}

/**
 * Captures the fields of a text; without a match there are none. @throws Error an expression is malformed; its result throws
 * for a text that takes too many moves, of all expressions together
 */
export function grokMatcher(rules: GrokRules, maxMoves = MAX_MOVES): (text: string) => JsonObject {
  const patterns = rules.patterns.map((source) => new GrokPattern(source, rules));
  return (text) => {
    const budget = { moves: maxMoves, maxLength: 0 };
    const fields: JsonObject = {};
    for (const pattern of patterns) {
      const found = pattern.match(text, budget);
      if (!found) continue;
      for (const [name, value] of Object.entries(found)) {
        const isEmpty = value === null || value === "";
        if (!isEmpty || rules.keepsEmpty) setOwnProperty(fields, name, value);
      }
      if (rules.stopsAtFirst) break;
    }
    return fields;
  };
}

/** As {@link grokMatcher} for one text; `undefined` if it takes longer than the thread of the server may wait. */
export function matchQuickly(rules: GrokRules, text: string): JsonObject | undefined {
  if (rules.patterns.length > MAX_QUICK_PATTERNS) return undefined;
  try {
    return grokMatcher(rules, MAX_QUICK_MOVES)(text);
  } catch (error) {
    if (error instanceof ExpressionError && error.code === "limit") return undefined;
    throw error;
  }
}

/** A captured field. */
interface Capture {
  readonly field: string;
  readonly type: string | undefined;
}

/** A compiled expression. */
export class GrokPattern {
  readonly #regex: Regex;
  /** By the index of the group. */
  readonly #captures: ReadonlyMap<number, Capture>;

  /** @throws Error the expression is malformed, too large, or names an unknown pattern */
  constructor(source: string, options: PatternOptions) {
    const expansion = new Expansion(options);
    const pattern = expansion.expand(source, []);
    try {
      this.#regex = new Regex(pattern, MAX_LENGTH);
    } catch (error) {
      throw new Error(`Invalid pattern "${source}": ${(error as Error).message}`, { cause: error });
    }
    this.#captures = new Map(
      [...this.#regex.groupNames].map(([name, index]) => [
        index,
        expansion.captures.get(name) ?? { field: name, type: undefined },
      ]),
    );
  }

  /** The captured fields, null for one without a match; `undefined` if the text does not match. @throws ExpressionError `limit` too many moves */
  match(text: string, budget: Budget): JsonObject | undefined {
    const found = this.#regex.find(text, 0, budget);
    if (!found) return undefined;
    const fields: JsonObject = {};
    for (const [index, { field, type }] of this.#captures) {
      const captured = found.groups[index];
      if (captured === undefined && Object.hasOwn(fields, field)) continue;
      setOwnProperty(fields, field, captured === undefined ? null : typed(captured, type));
    }
    return fields;
  }
}

/** Replaces references by groups with names that the regular expression engine accepts. */
class Expansion {
  readonly captures = new Map<string, Capture>();
  readonly #options: PatternOptions;
  /** Characters of all patterns so far: a few definitions that refer to each other could grow without an end. */
  #length = 0;

  constructor(options: PatternOptions) {
    this.#options = options;
  }

  expand(source: string, outer: readonly string[]): string {
    if (outer.length > MAX_DEPTH) throw new Error(`Invalid pattern: "${outer[0]}" refers to itself`);
    this.#length += source.length;
    if (this.#length > MAX_EXPANDED_LENGTH) {
      throw new Error(
        `Invalid pattern: it has more than ${MAX_LENGTH} characters with the patterns that it refers to`,
      );
    }
    const named = source.replace(NAMED_GROUP, (_, field: string) => this.#open(field, undefined));
    return named.replace(REFERENCE, (_, name: string, field?: string, type?: string) => {
      const inner = this.#options.definitions.get(name) ?? GROK_PATTERNS.get(name);
      if (inner === undefined) throw new Error(`Invalid pattern: there is no pattern "${name}"`);
      const captured = field ?? (this.#options.namedOnly ? undefined : name);
      const opening = captured === undefined ? "(?:" : this.#open(captured, type);
      return `${opening}${this.expand(inner, [...outer, name])})`;
    });
  }

  #open(field: string, type: string | undefined): string {
    const group = `g${this.captures.size}`;
    // "[a][b]" names the field b of a in other products; here it is one name.
    this.captures.set(group, { field: field.replace(/^\[|\]$/g, "").replaceAll("][", "."), type });
    return `(?<${group}>`;
  }
}

function typed(text: string, type: string | undefined): JsonValue {
  switch (type) {
    case "int":
    case "long":
      return Number.isSafeInteger(Number(text)) ? Number(text) : text;
    case "float":
    case "double":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? new Double(Number(text)) : text;
    case "boolean":
      return text.toLowerCase() === "true";
    default:
      return text;
  }
}
