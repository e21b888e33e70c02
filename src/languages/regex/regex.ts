/** A compiled regular expression: finds, replaces and splits as Java does. A pattern without operators is searched as text. */
import { indexOfText } from "../../base/text/find_text.ts";
import { ExpressionError, fail, MAX_REGEX_INSTRUCTIONS } from "../values/mod.ts";
import { Backtracker } from "./backtracker.ts";
import { compileRegex, Machine, type MoveBudget, type Program, spendMoves } from "./machine.ts";
import { parseRegex, type RegexTree } from "./syntax.ts";

/** Limits of one call: moves of the machine, characters of its result. */
export interface Budget extends MoveBudget {
  readonly maxLength: number;
}

/** A match: its offsets, and its groups; group 0 is the whole match. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/** Searches one text. */
interface RegexFinder {
  /** Start and end offset of each group, -1 for one that did not match. @throws ExpressionError `limit` */
  find(from: number): readonly number[] | undefined;
}

/** Reading 8 characters of a replacement takes at most as long as a move. */
const REPLACED_PER_MOVE_LOG2 = 3;
/** Moves that a match of a pattern without operators takes as long as. */
const PLAIN_MOVES = 8;
const PLAIN = /^(?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])+$/;
const GROUP_REFERENCE = /\\(.)|\$(?:(\d{1,2})|\{(\w+)\})|[\\$]/gs;

/** A compiled pattern. */
export class Regex {
  /** Groups of the pattern, without group 0, the whole match. */
  readonly groupCount: number;
  /** Indexes of the named groups. */
  readonly groupNames: ReadonlyMap<string, number>;
  /** Instructions of the program; for a pattern without one, its characters. */
  readonly size: number;
  readonly #plain: string | undefined;
  readonly #tree: RegexTree;
  /** Only for patterns that run in linear time. */
  readonly #program: Program | undefined;

  /** Patterns that are made of others may be longer than the default allows. @throws ExpressionError `argument`, `limit` */
  constructor(source: string, maxLength?: number) {
    this.#tree = parseRegex(source, maxLength);
    this.#program = this.#tree.isLinear ? compileRegex(this.#tree.body) : undefined;
    this.groupCount = this.#tree.groupCount;
    this.groupNames = this.#tree.groupNames;
    this.size = this.#program?.length ?? source.length;
    this.#plain = PLAIN.test(source) ? source.replace(/\\(.)/gs, "$1") : undefined;
  }

  /** Finds matches in one text, as offsets. */
  finder(text: string, budget: MoveBudget): RegexFinder {
    const { groupCount } = this;
    return this.#program
      ? new Machine({ program: this.#program, groupCount }, text, budget)
      : new Backtracker({ body: this.#tree.body, groupCount }, text, budget);
  }

  /** The first match at or after `from`. @throws ExpressionError `limit` */
  find(text: string, from: number, budget: Budget): Match | undefined {
    return this.#findAll(text, budget, from).next().value;
  }

  /** Replaces every match; `$1` and `${name}` are groups. @throws ExpressionError `argument`, `limit` */
  replaceAll(text: string, replacement: string, budget: Budget): string {
    let result = "", at = 0;
    for (const match of this.#findAll(text, budget)) {
      spendMoves(budget, replacement.length >>> REPLACED_PER_MOVE_LOG2);
      result += text.slice(at, match.start) + this.#expand(replacement, match);
      at = match.end;
      if (result.length > budget.maxLength) {
        fail("limit", `Cannot make a text of more than ${budget.maxLength} characters`);
      }
    }
    return result + text.slice(at);
  }

  /**
   * The parts between matches. A positive `limit` is the most parts, the last one unsplit; 0 drops empty parts at the
   * end, a negative one keeps them. A match of nothing at the start makes no part. @throws ExpressionError `limit`
   */
  split(text: string, limit: number, budget: Budget): string[] {
    const parts: string[] = [];
    let at = 0;
    for (const { start, end } of this.#findAll(text, budget)) {
      if (limit > 0 && parts.length === limit - 1) break;
      if (end === 0) continue;
      if (start === end && start === text.length) break;
      parts.push(text.slice(at, start));
      at = end;
    }
    if (parts.length === 0) return [text];
    parts.push(text.slice(at));
    while (limit === 0 && parts.at(-1) === "") parts.pop();
    return parts;
  }

  *#findAll(text: string, budget: Budget, from = 0): Generator<Match, undefined> {
    const plain = this.#plain;
    if (plain !== undefined) {
      for (
        let start = indexOfText(text, plain, from);
        start >= 0;
        start = indexOfText(text, plain, start + plain.length)
      ) {
        spendMoves(budget, PLAIN_MOVES);
        yield { start, end: start + plain.length, groups: [plain] };
      }
      return;
    }
    const machine = this.finder(text, budget);
    for (let at = from; at <= text.length;) {
      const slots = machine.find(at);
      if (!slots) return;
      const [start = 0, end = 0] = slots;
      yield { start, end, groups: groupsOf(text, slots) };
      at = end > start ? end : end + 1;
    }
  }

  #expand(replacement: string, { groups }: Match): string {
    if (!/[\\$]/.test(replacement)) return replacement;
    return replacement.replace(GROUP_REFERENCE, (reference, escaped, digits, name) => {
      if (escaped !== undefined) return escaped;
      const index = digits !== undefined ? this.#groupIndex(digits) : this.groupNames.get(name);
      if (index === undefined || index > this.groupCount) {
        return fail("argument", `Cannot replace with "${replacement}": no group "${reference}"`);
      }
      return (groups[index] ?? "") + this.#digitsAfter(digits);
    });
  }

  /** `$12` is group 12 where there is one, else group 1 and the character 2. */
  #groupIndex(digits: string): number {
    return Number(digits) <= this.groupCount ? Number(digits) : Number(digits[0]);
  }

  #digitsAfter(digits: string | undefined): string {
    return digits !== undefined && Number(digits) > this.groupCount ? digits.slice(1) : "";
  }
}

function groupsOf(text: string, slots: readonly number[]): (string | undefined)[] {
  const groups: (string | undefined)[] = [];
  for (let i = 0; i + 1 < slots.length; i += 2) {
    const start = slots[i] as number, end = slots[i + 1] as number;
    groups.push(start < 0 || end < 0 ? undefined : text.slice(start, end));
  }
  return groups;
}

/** Why a pattern cannot be used; `undefined` when it can. Patterns that are compiled in one turn share a budget. */
export function patternMistake(pattern: string, budget = untimedBudget()): string | undefined {
  const compiled = compile(pattern, budget);
  return compiled instanceof Regex ? undefined : compiled.reason;
}

/** Moves of patterns that no other time bounds and that nothing interrupts: some 60 ms. */
const UNTIMED_MOVES = 1_000_000;

/** A budget for patterns in the thread of the server, outside of a render. One budget may be shared. */
export function untimedBudget(): Budget {
  return { moves: UNTIMED_MOVES, maxLength: 0 };
}

/** Moves that a text of a series adds, and each of its characters: more than most patterns take. */
const TEXT_MOVES = 1_000, CHARACTER_MOVES = 64;

/** As {@link untimedBudget} for a series of texts: what they take beyond their shares is limited for all together. */
export function seriesBudget(): (text: string) => Budget {
  const budget = untimedBudget();
  return (text) => {
    const moves = budget.moves + TEXT_MOVES + CHARACTER_MOVES * text.length;
    budget.moves = Math.min(moves, UNTIMED_MOVES);
    return budget;
  };
}

type Refusal = { readonly reason: string };

/** Whether the whole text matches; a reason when it takes too many moves. */
type WholeTest = (text: string, budget: Budget) => boolean | Refusal;

/** A test of whole texts; a reason when the pattern cannot be used. */
export function wholeTest(pattern: string, budget = untimedBudget()): WholeTest | Refusal {
  const regex = compile(pattern, budget);
  if (!(regex instanceof Regex)) return regex;
  return (text, budget) => guarded(() => regex.find(text, 0, budget) !== undefined);
}

/** Whether a pattern matches the whole text; a reason when the pattern or the text is beyond the limits. */
export function matchesPattern(
  pattern: string,
  text: string,
  budget = untimedBudget(),
): boolean | Refusal {
  const test = wholeTest(pattern, budget);
  return typeof test === "function" ? test(text, budget) : test;
}

/** Compiling takes moves, too: one for each instruction. */
function compile(pattern: string, budget: MoveBudget): Regex | Refusal {
  return guarded(() => {
    spendCompilation(budget, pattern.length);
    try {
      // First alone: a bracket too many must not pair with those around it.
      spendCompilation(budget, new Regex(pattern).size);
      return new Regex(`\\A(?:${pattern})\\z`);
    } catch (error) {
      if (error instanceof ExpressionError && error.code === "limit") budget.moves -= MAX_REGEX_INSTRUCTIONS;
      throw error;
    }
  });
}

function spendCompilation(budget: MoveBudget, moves: number): void {
  budget.moves -= moves;
  if (budget.moves < 0) {
    fail("limit", "Cannot use the regular expression: it and those before it take too many moves together");
  }
}

/** Errors of the engine as reasons. */
function guarded<T>(run: () => T): T | Refusal {
  try {
    return run();
  } catch (error) {
    if (error instanceof ExpressionError) return { reason: error.reason };
    throw error;
  }
}
