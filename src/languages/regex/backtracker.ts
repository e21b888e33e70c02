/**
 * Runs patterns that need backtracking: look-around, back references, atomic groups and possessive quantifiers. Every
 * attempt of a part is charged to the budget, which limits the time, also if the part reads nothing.
 */
import { fail } from "../values/mod.ts";
import { type MoveBudget, SLOTS_PER_MOVE_LOG2, spendMoves } from "./machine.ts";
import type { RegexNode } from "./syntax.ts";

/** Nested parts; the stack has room for some 2,500. */
const MAX_DEPTH = 1000;
/** Comparing 256 characters with a group takes at most as long as a move. */
const COMPARED_PER_MOVE_LOG2 = 8;
/** The same for 4 characters whose case is ignored. */
const FOLDED_PER_MOVE_LOG2 = 2;

/** A partial match: the text, and start and end of each group, -1 for one that did not match. */
interface State {
  readonly text: string;
  readonly slots: number[];
  readonly budget: MoveBudget;
  depth: number;
}

/** The rest after a part: returns the end of the whole match, or -1. */
type Rest = (at: number) => number;

/** A part of a pattern: returns the end of the whole match when the part and the rest match, or -1. */
type Matcher = (state: State, at: number, rest: Rest) => number;

type NodeOf<Kind extends RegexNode["kind"]> = Extract<RegexNode, { kind: Kind }>;

/** Finds a pattern in one text. */
export class Backtracker {
  readonly #match: Matcher;
  readonly #state: State;

  constructor(
    pattern: { readonly body: RegexNode; readonly groupCount: number },
    text: string,
    budget: MoveBudget,
  ) {
    this.#match = compile(pattern.body);
    this.#state = { text, budget, slots: new Array(2 * (pattern.groupCount + 1)).fill(-1), depth: 0 };
  }

  /** The first match at or after `from`. @throws ExpressionError `limit` */
  find(from: number): readonly number[] | undefined {
    const { text, slots } = this.#state;
    for (let at = from; at <= text.length; at++) {
      spendSlots(this.#state);
      slots.fill(-1);
      this.#state.depth = 0;
      const end = this.#match(this.#state, at, (last) => last);
      if (end >= 0) return [at, end, ...slots.slice(2)];
      if ((text.codePointAt(at) ?? 0) > 0xffff) at++;
    }
    return undefined;
  }
}

function compile(node: RegexNode): Matcher {
  switch (node.kind) {
    case "character":
      return (state, at, rest) => {
        const after = step(node, state, at);
        return after < 0 ? -1 : rest(after);
      };
    case "place":
      return (state, at, rest) => isPlace(node, state, at) ? rest(at) : -1;
    case "sequence":
      return sequence(partsOf(node).map(compile));
    case "alternatives":
      return alternatives(node.items.map(compile));
    case "group":
      return group(node);
    case "repeat":
      return isOneWay(node.body) ? repeatOneWay(node) : repeat(node);
    case "atomic":
      return atomic(node);
    case "look":
      return look(node);
    case "back":
      return back(node);
  }
}

/** The parts of a sequence without sequences within it, which would take time without a move. */
function partsOf(node: RegexNode): readonly RegexNode[] {
  return node.kind === "sequence" ? node.items.flatMap(partsOf) : [node];
}

/** Charges a pass over the groups. */
function spendSlots({ budget, slots }: State): void {
  spendMoves(budget, slots.length >>> SLOTS_PER_MOVE_LOG2);
}

/** Enters a nested part; the caller restores the depth. */
function enter(state: State): void {
  if (++state.depth > MAX_DEPTH) fail("limit", "Cannot match the regular expression: it repeats too often");
}

/** Where the character that the node accepts ends, or -1. */
function step({ test, cost }: NodeOf<"character">, state: State, at: number): number {
  spendMoves(state.budget, 1 + cost);
  const code = state.text.codePointAt(at);
  return code === undefined || !test(code) ? -1 : at + (code > 0xffff ? 2 : 1);
}

function isPlace({ test }: NodeOf<"place">, state: State, at: number): boolean {
  spendMoves(state.budget, 1);
  const { text } = state;
  const before = at === 0 ? -1 : text.charCodeAt(at - 1);
  const after = at >= text.length ? -1 : text.charCodeAt(at);
  const left = text.length - at;
  return test(before, after, left === 1 || left === 2 && text.endsWith("\r\n"));
}

function sequence(parts: readonly Matcher[]): Matcher {
  const last = parts.length - 1;
  return (state, at, rest) => {
    const run = (index: number, from: number): number => {
      enter(state);
      const end = (parts[index] as Matcher)(
        state,
        from,
        index === last ? rest : (after) => run(index + 1, after),
      );
      state.depth--;
      return end;
    };
    if (last >= 0) return run(0, at);
    spendMoves(state.budget, 1);
    return rest(at);
  };
}

function alternatives(parts: readonly Matcher[]): Matcher {
  return (state, at, rest) => {
    spendMoves(state.budget, 1);
    enter(state);
    let end = -1;
    for (let i = 0; i < parts.length && end < 0; i++) end = (parts[i] as Matcher)(state, at, rest);
    state.depth--;
    return end;
  };
}

function group({ index, body }: NodeOf<"group">): Matcher {
  const inner = compile(body);
  return (state, at, rest) => {
    const { slots } = state;
    spendMoves(state.budget, 1);
    enter(state);
    const end = inner(state, at, (after) => {
      spendMoves(state.budget, 1);
      const oldStart = slots[2 * index] as number, oldEnd = slots[2 * index + 1] as number;
      slots[2 * index] = at;
      slots[2 * index + 1] = after;
      const last = rest(after);
      if (last < 0) [slots[2 * index], slots[2 * index + 1]] = [oldStart, oldEnd];
      return last;
    });
    state.depth--;
    return end;
  };
}

function repeat({ body, min, max, isLazy }: NodeOf<"repeat">): Matcher {
  const inner = compile(body);
  return (state, at, rest) => {
    const round = (count: number, from: number): number => {
      spendMoves(state.budget, 1);
      if (count < min) return again(count, from);
      if (isLazy) {
        const end = rest(from);
        return end >= 0 ? end : again(count, from);
      }
      const end = again(count, from);
      return end >= 0 ? end : rest(from);
    };
    const again = (count: number, from: number): number => {
      if (count >= max) return -1;
      enter(state);
      const end = inner(
        state,
        from,
        (after) => after === from && count >= min ? -1 : round(count + 1, after),
      );
      state.depth--;
      return end;
    };
    return round(0, at);
  };
}

/** Whether a part matches in one way at most and keeps no group. */
function isOneWay(node: RegexNode): boolean {
  switch (node.kind) {
    case "character":
    case "place":
    case "back":
      return true;
    case "sequence":
      return node.items.every(isOneWay);
    case "look":
    case "atomic":
      return !holdsGroup(node.body);
    default:
      return false;
  }
}

function holdsGroup(node: RegexNode): boolean {
  if (node.kind === "group") return true;
  if ("items" in node) return node.items.some(holdsGroup);
  return "body" in node && holdsGroup(node.body);
}

/** A part with one way needs no nesting: each round is known by its end. */
function repeatOneWay({ body, min, max, isLazy }: NodeOf<"repeat">): Matcher {
  const inner = compile(body);
  return (state, at, rest) => {
    spendMoves(state.budget, 1);
    const ends = [at];
    const grow = () => {
      if (ends.length > max) return false;
      const from = ends.at(-1) as number;
      const after = body.kind === "character" ? step(body, state, from) : roundEnd(inner, state, from);
      const isRound = after > from || after === from && ends.length <= min;
      if (isRound) ends.push(after);
      return isRound;
    };
    while (ends.length <= min) if (!grow()) return -1;
    if (isLazy) {
      do {
        const end = rest(ends.at(-1) as number);
        if (end >= 0) return end;
      } while (grow());
      return -1;
    }
    while (grow());
    for (let count = ends.length - 1; count >= min; count--) {
      const end = rest(ends[count] as number);
      if (end >= 0) return end;
    }
    return -1;
  };
}

/** Where a round of a part ends, or -1. */
function roundEnd(inner: Matcher, state: State, at: number): number {
  spendMoves(state.budget, 1);
  return inner(state, at, (last) => last);
}

/** Only the first match of the body counts. */
function atomic({ body }: NodeOf<"atomic">): Matcher {
  const inner = compile(body), isCapturing = holdsGroup(body);
  return (state, at, rest) => {
    spendMoves(state.budget, 1);
    const kept = isCapturing ? copySlots(state) : undefined;
    const after = inner(state, at, (last) => last);
    const end = after < 0 ? -1 : rest(after);
    if (end < 0 && kept) restore(state, kept);
    return end;
  };
}

function look({ body, isBehind, isNegated }: NodeOf<"look">): Matcher {
  const inner = compile(body), isCapturing = holdsGroup(body);
  return (state, at, rest) => {
    spendMoves(state.budget, 1);
    const kept = isCapturing ? copySlots(state) : undefined;
    const isFound = isBehind ? matchesBefore(inner, state, at) : inner(state, at, (last) => last) >= 0;
    const end = isFound === isNegated ? -1 : rest(at);
    if (end < 0 && kept) restore(state, kept);
    return end;
  };
}

function matchesBefore(inner: Matcher, state: State, at: number): boolean {
  for (let start = at; start >= 0; start--) {
    if (inner(state, start, (last) => last === at ? last : -1) >= 0) return true;
  }
  return false;
}

function back({ index, isFolded }: NodeOf<"back">): Matcher {
  const shift = isFolded ? FOLDED_PER_MOVE_LOG2 : COMPARED_PER_MOVE_LOG2;
  return (state, at, rest) => {
    const { text, slots, budget } = state;
    spendMoves(budget, 1);
    const start = slots[2 * index] ?? -1, end = slots[2 * index + 1] ?? -1;
    if (start < 0 || end < 0 || at + end - start > text.length) return -1;
    spendMoves(budget, end - start >>> shift);
    const sought = text.slice(start, end), found = text.slice(at, at + sought.length);
    const isSame = found === sought || isFolded && found.toLowerCase() === sought.toLowerCase();
    return isSame ? rest(at + sought.length) : -1;
  };
}

function copySlots(state: State): number[] {
  spendSlots(state);
  return [...state.slots];
}

function restore({ slots }: State, kept: readonly number[]): void {
  for (let i = 0; i < kept.length; i++) slots[i] = kept[i] as number;
}
