/**
 * Java regular expression text → tree. Supported: classes, groups, alternatives, quantifiers of every kind, anchors,
 * look-around, back references, flags `i s m u`. `isLinear` of the tree says whether it runs in linear time.
 */
import { fail, MAX_REGEX_LENGTH, MAX_SOURCE_DEPTH } from "../values/mod.ts";
import {
  type CharacterTest,
  ESCAPED_CLASSES,
  foldCase,
  propertyTest,
  VERTICAL_SPACE,
  WORD_CHARACTER,
} from "./classes.ts";

/** A place between two characters: those before and after, -1 at an end of the text. */
export type PlaceTest = (before: number, after: number, isAtVeryEnd: boolean) => boolean;

/** A part of a pattern. `cost` is the moves of testing a character beyond one. */
export type RegexNode =
  | { readonly kind: "character"; readonly test: CharacterTest; readonly cost: number }
  | { readonly kind: "place"; readonly test: PlaceTest }
  | { readonly kind: "group"; readonly index: number; readonly body: RegexNode }
  | { readonly kind: "sequence"; readonly items: readonly RegexNode[] }
  | { readonly kind: "alternatives"; readonly items: readonly RegexNode[] }
  | {
    readonly kind: "repeat";
    readonly body: RegexNode;
    readonly min: number;
    readonly max: number;
    readonly isLazy: boolean;
  }
  | { readonly kind: "atomic"; readonly body: RegexNode }
  | {
    readonly kind: "look";
    readonly body: RegexNode;
    readonly isBehind: boolean;
    readonly isNegated: boolean;
  }
  | { readonly kind: "back"; readonly index: number; readonly isFolded: boolean };

/** A parsed pattern. Group 0 is the whole match. */
export interface RegexTree {
  readonly body: RegexNode;
  readonly groupCount: number;
  readonly groupNames: ReadonlyMap<string, number>;
  /** Without look-around, back references, atomic groups and possessive quantifiers. */
  readonly isLinear: boolean;
}

interface Flags {
  readonly i: boolean;
  readonly s: boolean;
  readonly m: boolean;
  readonly u: boolean;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** `\R`: `\r\n`, or one character that is not the `\r` of it. No repeat takes `\r\n` as two. */
const LINE_BREAK: RegexNode = {
  kind: "alternatives",
  items: [
    {
      kind: "sequence",
      items: [
        { kind: "character", test: (code) => code === CARRIAGE_RETURN, cost: 0 },
        { kind: "character", test: (code) => code === LINE_FEED, cost: 0 },
      ],
    },
    {
      kind: "sequence",
      items: [
        { kind: "character", test: VERTICAL_SPACE, cost: 0 },
        { kind: "place", test: (before, after) => !isWithinLineBreak(before, after) },
      ],
    },
  ],
};
/** A move takes some 60 ns, an item of a class 10 to 25 ns. */
const ITEMS_PER_MOVE = 4;
const QUANTIFIER = /(?:[*+?]|\{(\d{1,4})(,(\d{0,4}))?\})([?+]?)/y;
const GROUP_OPENING = /\(\?(?:<([A-Za-z]\w*)>|([ismu]*)(?:-([ismu]+))?([:)]))/y;
const LOOK_OPENING = /\(\?(?:(<?)([=!])|>)/y;
const BACK_REFERENCE = /([1-9])|k<([A-Za-z]\w*)>/y;
const CONTROL_ESCAPES: ReadonlyMap<string, number> = new Map([["t", 9], ["n", 10], ["r", 13], ["f", 12], [
  "a",
  7,
], ["e", 27]]);
const HEX_ESCAPE = /x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})/y;
const PROPERTY = /([pP])(?:\{(\^?)(\w+)\}|(\w))/y;

/** Parses a pattern. @throws ExpressionError `argument` when it is malformed or not supported, `limit` */
export function parseRegex(source: string, maxLength = MAX_REGEX_LENGTH): RegexTree {
  if (source.length > maxLength) {
    fail("limit", `Cannot use a regular expression of more than ${maxLength} characters`);
  }
  return new RegexParser(source).parse();
}

class RegexParser {
  readonly #source: string;
  readonly #names = new Map<string, number>();
  #at = 0;
  #groups = 0;
  #nesting = 0;
  /** Items of all classes so far. */
  #classItems = 0;
  #isLinear = true;
  #flags: Flags = { i: false, s: false, m: false, u: false };

  constructor(source: string) {
    this.#source = source;
  }

  parse(): RegexTree {
    const body = this.#alternatives();
    if (this.#at < this.#source.length) this.#fail(`unexpected "${this.#peek()}"`);
    return { body, groupCount: this.#groups, groupNames: this.#names, isLinear: this.#isLinear };
  }

  #fail(reason: string): never {
    return fail("argument", `Cannot use the regular expression "${this.#source}": ${reason}`);
  }

  #peek(): string {
    return this.#source[this.#at] ?? "";
  }

  #accept(text: string): boolean {
    const isFound = this.#source.startsWith(text, this.#at);
    if (isFound) this.#at += text.length;
    return isFound;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match) this.#at += match[0].length;
    return match;
  }

  #character(): number {
    const code = this.#source.codePointAt(this.#at);
    if (code === undefined) return this.#fail("unexpected end");
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #alternatives(): RegexNode {
    if (++this.#nesting > MAX_SOURCE_DEPTH) this.#fail("nested too deeply");
    const flags = this.#flags;
    const items = [this.#sequence()];
    while (this.#accept("|")) items.push(this.#sequence());
    this.#flags = flags;
    this.#nesting--;
    return items.length === 1 ? items[0] as RegexNode : { kind: "alternatives", items };
  }

  #sequence(): RegexNode {
    const items: RegexNode[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at] as string)) {
      const atom = this.#atom();
      if (atom) items.push(this.#quantified(atom));
    }
    return { kind: "sequence", items };
  }

  #quantified(body: RegexNode): RegexNode {
    const start = this.#at;
    const match = this.#match(QUANTIFIER);
    if (!match) return body;
    const [text, low, comma, high, suffix] = match;
    const min = low === undefined ? (text.startsWith("+") ? 1 : 0) : Number(low);
    const unbounded = low === undefined ? !text.startsWith("?") : comma !== undefined && high === "";
    const max = unbounded ? Infinity : low === undefined ? 1 : Number(high ?? low);
    if (max < min) this.#fail(`bad repetition at ${start}`);
    const repeat = { kind: "repeat", body, min, max, isLazy: suffix === "?" } as const;
    return suffix === "+" ? this.#branching({ kind: "atomic", body: repeat }) : repeat;
  }

  /** Marks the pattern as not linear. */
  #branching(node: RegexNode): RegexNode {
    this.#isLinear = false;
    return node;
  }

  /** An atom; `undefined` for a change of flags. */
  #atom(): RegexNode | undefined {
    const { m } = this.#flags;
    if (this.#accept("(")) return this.#group();
    if (this.#accept("[")) return this.#classNode();
    if (this.#accept("\\")) return this.#escape();
    if (this.#accept(".")) {
      return this.#characterNode(this.#flags.s ? () => true : (code) => !isLineBreak(code));
    }
    if (this.#accept("^")) return { kind: "place", test: m ? isLineStart : isTextStart };
    if (this.#accept("$")) return { kind: "place", test: m ? isLineEnd : isTextEnd };
    if ("*+?".includes(this.#source[this.#at] as string)) this.#fail(`nothing to repeat at ${this.#at}`);
    return this.#literal(this.#character());
  }

  #literal(code: number): RegexNode {
    return this.#characterNode((other) => other === code);
  }

  #characterNode(test: CharacterTest): RegexNode {
    return { kind: "character", test: this.#folded(test), cost: 0 };
  }

  #folded(test: CharacterTest): CharacterTest {
    return this.#flags.i ? foldCase(test, this.#flags.u) : test;
  }

  #classNode(): RegexNode {
    const before = this.#classItems;
    const test = this.#class();
    return { kind: "character", test, cost: Math.floor((this.#classItems - before) / ITEMS_PER_MOVE) };
  }

  #group(): RegexNode | undefined {
    const flags = this.#flags;
    const start = --this.#at;
    const look = this.#match(LOOK_OPENING);
    if (look) return this.#look(look);
    const opening = this.#match(GROUP_OPENING);
    if (!opening && this.#source[start + 1] === "?") {
      this.#fail(`unknown group at ${start}`);
    }
    if (!opening) this.#at++;
    const [, name, on, off, end] = opening ?? [];
    if (end !== undefined) this.#flags = changed(flags, on ?? "", off ?? "");
    if (end === ")") return undefined;
    const index = end === ":" ? 0 : ++this.#groups;
    if (name !== undefined) this.#names.set(name, index);
    const body = this.#alternatives();
    if (!this.#accept(")")) this.#fail("unclosed group");
    this.#flags = flags;
    return index === 0 ? body : { kind: "group", index, body };
  }

  /** Look-around, or an atomic group, after its opening. */
  #look([, behind, sign]: RegExpExecArray): RegexNode {
    const flags = this.#flags;
    const body = this.#alternatives();
    if (!this.#accept(")")) this.#fail("unclosed group");
    this.#flags = flags;
    if (sign === undefined) return this.#branching({ kind: "atomic", body });
    return this.#branching({ kind: "look", body, isBehind: behind === "<", isNegated: sign === "!" });
  }

  #backReference([text, digit, name]: RegExpExecArray): RegexNode {
    const index = digit === undefined ? this.#names.get(name ?? "") : Number(digit);
    if (index === undefined || index > this.#groups) this.#fail(`unknown group "\\${text}"`);
    return this.#branching({ kind: "back", index, isFolded: this.#flags.i });
  }

  #escape(): RegexNode {
    if (this.#accept("b")) return { kind: "place", test: isWordEdge };
    if (this.#accept("B")) return { kind: "place", test: (before, after) => !isWordEdge(before, after) };
    if (this.#accept("A")) return { kind: "place", test: isTextStart };
    if (this.#accept("z")) return { kind: "place", test: (_, after) => after < 0 };
    if (this.#accept("Z")) return { kind: "place", test: isTextEnd };
    if (this.#accept("R")) return LINE_BREAK;
    if (this.#accept("Q")) return this.#quoted();
    const reference = this.#match(BACK_REFERENCE);
    if (reference) return this.#backReference(reference);
    return this.#characterNode(this.#escapedClass());
  }

  #quoted(): RegexNode {
    const end = this.#source.indexOf("\\E", this.#at);
    const text = this.#source.slice(this.#at, end < 0 ? this.#source.length : end);
    this.#at += text.length + (end < 0 ? 0 : 2);
    return {
      kind: "sequence",
      items: [...text].map((character) => this.#literal(character.codePointAt(0) as number)),
    };
  }

  /** The class after a backslash. */
  #escapedClass(): CharacterTest {
    const code = this.#escapedCode();
    if (code !== undefined) return (other) => other === code;
    const property = this.#match(PROPERTY);
    if (property) {
      this.#classItems += this.#itemTests();
      return this.#property(property);
    }
    const letter = String.fromCodePoint(this.#character());
    return ESCAPED_CLASSES.get(letter) ?? this.#fail(`unknown escape "\\${letter}"`);
  }

  /** How often an item of a class is tested: with `(?iu)` for the character in both cases, too. A property counts twice. */
  #itemTests(): number {
    return this.#flags.i && this.#flags.u ? 3 : 1;
  }

  #property([, letter, caret, long, short]: RegExpExecArray): CharacterTest {
    const name = long ?? short ?? "";
    const test = propertyTest(name) ?? this.#fail(`unknown character property "${name}"`);
    return (letter === "P") !== (caret === "^") ? (code) => !test(code) : test;
  }

  #escapedCode(): number | undefined {
    const hex = this.#match(HEX_ESCAPE);
    if (hex) return parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "", 16);
    const letter = this.#source[this.#at] ?? "";
    const control = CONTROL_ESCAPES.get(letter);
    if (control === undefined && /[A-Za-z0-9]/.test(letter)) return undefined;
    return control === undefined ? this.#character() : (this.#at++, control);
  }

  /**
   * A class after its `[`: single characters, ranges, escapes, nested classes, and intersections with `&&`. A nested class
   * ignores case itself: each class around it that did so again would double the time.
   */
  #class(): CharacterTest {
    if (++this.#nesting > MAX_SOURCE_DEPTH) this.#fail("nested too deeply");
    const isNegated = this.#accept("^");
    const items: CharacterTest[] = [], nested: CharacterTest[] = [];
    let required: CharacterTest | undefined;
    const operand = () => {
      const own = items.length > 0 ? [this.#folded(anyOf(items.splice(0)))] : [];
      return anyOf([...own, ...nested.splice(0)]);
    };
    for (let isFirst = true; isFirst || !this.#accept("]"); isFirst = false) {
      if (this.#accept("&&")) required = both(required, operand());
      else if (this.#accept("[")) {
        this.#classItems++;
        nested.push(this.#class());
      } else items.push(this.#classItem());
    }
    this.#nesting--;
    const test = both(required, operand());
    return isNegated ? (code) => !test(code) : test;
  }

  #classItem(): CharacterTest {
    this.#classItems += this.#itemTests();
    const isEscape = this.#accept("\\");
    const low = isEscape ? this.#escapedCode() : this.#character();
    if (low === undefined) return this.#escapedClass();
    const next = this.#source[this.#at + 1];
    if (this.#source[this.#at] !== "-" || next === "]" || next === "[") return (code) => code === low;
    this.#at++;
    const high = this.#accept("\\") ? this.#escapedCode() : this.#character();
    if (high === undefined || high < low) this.#fail("bad character range");
    return (code) => code >= low && code <= high;
  }
}

function changed(flags: Flags, on: string, off: string): Flags {
  const flag = (name: keyof Flags) => (flags[name] || on.includes(name)) && !off.includes(name);
  return { i: flag("i"), s: flag("s"), m: flag("m"), u: flag("u") };
}

function anyOf(tests: readonly CharacterTest[]): CharacterTest {
  return (code) => tests.some((test) => test(code));
}

function both(a: CharacterTest | undefined, b: CharacterTest): CharacterTest {
  return a ? (code) => a(code) && b(code) : b;
}

function isLineBreak(code: number): boolean {
  return code === LINE_FEED || code === CARRIAGE_RETURN || code === 0x85 || code === 0x2028 ||
    code === 0x2029;
}

function isWithinLineBreak(before: number, after: number): boolean {
  return before === CARRIAGE_RETURN && after === LINE_FEED;
}

function isTextStart(before: number): boolean {
  return before < 0;
}

/** As in Java, no line starts at the end of the text, not even that of an empty text. */
function isLineStart(before: number, after: number): boolean {
  return after >= 0 && (before < 0 || isLineBreak(before) && !isWithinLineBreak(before, after));
}

function isLineEnd(before: number, after: number): boolean {
  return after < 0 || isLineBreak(after) && !isWithinLineBreak(before, after);
}

function isTextEnd(before: number, after: number, isAtVeryEnd: boolean): boolean {
  return after < 0 || isAtVeryEnd && isLineEnd(before, after);
}

function isWordEdge(before: number, after: number): boolean {
  return WORD_CHARACTER(before) !== WORD_CHARACTER(after);
}
