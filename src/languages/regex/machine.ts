/**
 * Runs all alternatives of a pattern in parallel (Pike's machine): time is linear in text × pattern, and the match is that
 * of a backtracking engine.
 */
import { fail, MAX_REGEX_INSTRUCTIONS } from "../values/mod.ts";
import type { CharacterTest } from "./classes.ts";
import type { PlaceTest, RegexNode } from "./syntax.ts";

/** Copying 64 slots takes about as long as a move. */
export const SLOTS_PER_MOVE_LOG2 = 6;

/** One step of a program; `fork` prefers `first`. */
type Instruction =
  | { readonly kind: "character"; readonly test: CharacterTest; readonly cost: number }
  | { readonly kind: "place"; readonly test: PlaceTest }
  | { readonly kind: "save"; readonly slot: number }
  | { readonly kind: "fork"; first: number; second: number }
  | { readonly kind: "jump"; to: number }
  | { readonly kind: "match" };

/** A compiled pattern. */
export type Program = readonly Instruction[];

/** Remaining moves. */
export interface MoveBudget {
  moves: number;
  /** Called when they are used up: adds moves to a budget that is granted in parts. */
  refill?(): void;
}

/** Spends moves. @throws ExpressionError `limit` when too few remain */
export function spendMoves(budget: MoveBudget, moves: number): void {
  budget.moves -= moves;
  if (budget.moves < 0) budget.refill?.();
  if (budget.moves < 0) fail("limit", "Cannot match the regular expression: it takes too many moves");
}

/** Compiles a pattern; counted repeats are expanded. @throws ExpressionError `limit` */
export function compileRegex(body: RegexNode): Program {
  const program: Instruction[] = [];
  emit({ kind: "group", index: 0, body }, program);
  program.push({ kind: "match" });
  return program;
}

function emit(node: RegexNode, program: Instruction[]): void {
  if (program.length > MAX_REGEX_INSTRUCTIONS) fail("limit", "Cannot use a regular expression that large");
  switch (node.kind) {
    case "character":
    case "place":
      program.push(node);
      return;
    case "group":
      program.push({ kind: "save", slot: node.index * 2 });
      emit(node.body, program);
      program.push({ kind: "save", slot: node.index * 2 + 1 });
      return;
    case "sequence":
      for (const item of node.items) emit(item, program);
      return;
    case "alternatives":
      return emitAlternatives(node.items, program);
    case "repeat":
      return emitRepeat(node, program);
    default:
      throw new TypeError(`Cannot compile a pattern with "${node.kind}" for the machine`);
  }
}

function emitAlternatives(items: readonly RegexNode[], program: Instruction[]): void {
  const jumps: { kind: "jump"; to: number }[] = [];
  items.forEach((item, index) => {
    if (index === items.length - 1) return emit(item, program);
    const fork = { kind: "fork" as const, first: program.length + 1, second: 0 };
    program.push(fork);
    emit(item, program);
    const jump = { kind: "jump" as const, to: 0 };
    program.push(jump);
    jumps.push(jump);
    fork.second = program.length;
  });
  for (const jump of jumps) jump.to = program.length;
}

function emitRepeat(node: RegexNode & { kind: "repeat" }, program: Instruction[]): void {
  const { body, min, max, isLazy } = node;
  for (let i = 0; i < min; i++) {
    const { length } = program;
    emit(body, program);
    if (program.length === length) break; // an empty body needs no repetition
  }
  const optional = max === Infinity ? 1 : max - min;
  const forks: { first: number; second: number }[] = [];
  for (let i = 0; i < optional; i++) {
    const start = program.length;
    const fork = { kind: "fork" as const, first: start + 1, second: 0 };
    program.push(fork);
    forks.push(fork);
    emit(body, program);
    if (max === Infinity) program.push({ kind: "jump", to: start });
  }
  for (const fork of forks) {
    fork.second = program.length;
    if (isLazy) [fork.first, fork.second] = [fork.second, fork.first];
  }
}

/** Start and end offsets of each group, -1 for one that did not match. */
type Slots = readonly number[];

class Threads {
  readonly places: number[] = [];
  readonly slots: Slots[] = [];
  readonly #seen: Uint32Array;
  #round = 0;

  constructor(size: number) {
    this.#seen = new Uint32Array(size);
  }

  clear(): void {
    this.places.length = 0;
    this.slots.length = 0;
    this.#round++;
  }

  /** True for the first visit of a place since {@link clear}. */
  enter(place: number): boolean {
    if (this.#seen[place] === this.#round) return false;
    this.#seen[place] = this.#round;
    return true;
  }
}

/** Finds patterns in one text. */
export class Machine {
  readonly #program: Program;
  readonly #text: string;
  readonly #empty: Slots;
  readonly #budget: MoveBudget;
  #current: Threads;
  #next: Threads;

  constructor(
    pattern: { readonly program: Program; readonly groupCount: number },
    text: string,
    budget: MoveBudget,
  ) {
    const { program, groupCount } = pattern;
    this.#program = program;
    this.#text = text;
    this.#budget = budget;
    this.#empty = new Array(2 * (groupCount + 1)).fill(-1);
    this.#current = new Threads(program.length);
    this.#next = new Threads(program.length);
  }

  /** The first match at or after `from`. @throws ExpressionError `limit` */
  find(from: number): Slots | undefined {
    let match: Slots | undefined;
    this.#current.clear();
    for (let at = from; at <= this.#text.length;) {
      if (!match) this.#add(this.#current, { place: 0, at, slots: this.#empty });
      if (this.#current.places.length === 0 && match) return match;
      const code = this.#text.codePointAt(at) ?? -1;
      const after = at + (code > 0xffff ? 2 : 1);
      this.#next.clear();
      match = this.#advance(code, after) ?? match;
      [this.#current, this.#next] = [this.#next, this.#current];
      at = after;
    }
    return match;
  }

  /** Advances every thread by a character; returns the match of the best thread that ends here and drops those after it. */
  #advance(code: number, after: number): Slots | undefined {
    const { places, slots } = this.#current;
    spendMoves(this.#budget, places.length + 1);
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      const instruction = this.#program[place] as Instruction;
      if (instruction.kind === "match") return slots[i];
      if (instruction.kind !== "character" || code < 0) continue;
      this.#budget.moves -= instruction.cost;
      if (instruction.test(code)) {
        this.#add(this.#next, { place: place + 1, at: after, slots: slots[i] as Slots });
      }
    }
    return undefined;
  }

  /** Follows the instructions that read no character, in order of preference. */
  #add(threads: Threads, start: { place: number; at: number; slots: Slots }): void {
    const { at } = start;
    const stack: [number, Slots][] = [[start.place, start.slots]];
    for (let top = stack.pop(); top; top = stack.pop()) {
      const [place, slots] = top;
      if (!threads.enter(place)) continue;
      this.#budget.moves--;
      const instruction = this.#program[place] as Instruction;
      switch (instruction.kind) {
        case "jump":
          stack.push([instruction.to, slots]);
          break;
        case "fork":
          stack.push([instruction.second, slots], [instruction.first, slots]);
          break;
        case "save":
          this.#budget.moves -= slots.length >>> SLOTS_PER_MOVE_LOG2;
          stack.push([place + 1, slots.with(instruction.slot, at)]);
          break;
        case "place":
          if (this.#isPlace(instruction.test, at)) stack.push([place + 1, slots]);
          break;
        default:
          threads.places.push(place);
          threads.slots.push(slots);
      }
    }
  }

  #isPlace(test: PlaceTest, at: number): boolean {
    const before = at === 0 ? -1 : this.#text.charCodeAt(at - 1);
    const after = at >= this.#text.length ? -1 : this.#text.charCodeAt(at);
    const left = this.#text.length - at;
    return test(before, after, left === 1 || left === 2 && this.#text.endsWith("\r\n"));
  }
}
