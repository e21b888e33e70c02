/**
 * Regular expressions of filters, which clients choose: refuses those whose matching could take long. The platform's engine
 * runs the simplest of them: it takes 0.1 to 0.6 µs for a name of 27 characters where the linear one of `languages/regex` takes
 * 10 to 15 µs (`team[0-4]$`, `prod.*-1[0-9]+`, `(sales|team7)` on 10,000 names). The linear engine runs the others: lists have up
 * to 10,000 names in one turn.
 */
import { LruCache } from "../../base/lru.ts";
import { Regex, untimedBudget } from "../../languages/regex/mod.ts";

const MAX_PATTERN_LENGTH = 200;
/** With n of them the linear engine follows as many states. */
const MAX_OPEN_REPETITIONS = 2;
/** With more of them the platform may take more than 0.1 ms for 150 characters: length^(n + 1) steps, doubled by each branch. */
const MAX_OF_PLATFORM = { open: 1, branches: 2 };
const MAX_TESTS = 100;
/** Each repetition or choice in a group may double the steps. */
const MAX_BRANCHES = 6;
/** Sum of the counts of all `{n}`. */
const MAX_COUNTED = 20;

/** The pattern without leading and trailing `.*` or `.*?`: partial matching finds the same in a fraction of the steps. */
function trimPattern(pattern: string): string {
  return pattern.replace(/^\^?\.\*\??/, "").replace(/(?<!\\)\.\*\??\$?$/, "");
}

const tests = new LruCache<string, (name: string) => boolean>(MAX_TESTS);

/** A test whether a pattern that {@link patternProblem} accepts matches a part of a name. */
export function patternTest(pattern: string): (name: string) => boolean {
  const known = tests.get(pattern);
  if (known) return known;
  const test = testOf(trimPattern(pattern));
  tests.set(pattern, test);
  return test;
}

function testOf(pattern: string): (name: string) => boolean {
  const repetitions = tokens(pattern).filter(isRepetition);
  const branches = repetitions.length + tokens(pattern).filter((token) => token === "|").length;
  const { length: open } = repetitions.filter(isOpen);
  if (open <= MAX_OF_PLATFORM.open && branches <= MAX_OF_PLATFORM.branches) {
    const platform = new RegExp(pattern, "u");
    return (name) => platform.test(name);
  }
  const linear = new Regex(pattern);
  return (name) => linear.find(name, 0, untimedBudget()) !== undefined;
}

interface Group {
  /** It contains a repetition or a choice: repeating it may take exponential time. */
  isRisky: boolean;
}

/** Why a pattern that matches a part of a name is refused: it is not a regular expression, or matching may take long. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return `a regular expression has at most ${MAX_PATTERN_LENGTH} characters`;
  }
  const shown = pattern.length <= 100 ? pattern : `${pattern.slice(0, 100)}…`;
  try {
    new RegExp(pattern, "u");
    patternTest(pattern); // The linear engine may refuse what the platform allows.
  } catch (error) {
    return `"${shown}" is no regular expression: ${(error as Error).message}`;
  }
  const problem = riskOf(pattern);
  return problem && `the regular expression "${shown}" ${problem}`;
}

/** Why matching a valid pattern may take long. */
function riskOf(pattern: string): string | undefined {
  if (/\\[1-9k]/.test(pattern.replaceAll("\\\\", ""))) return "must not refer back to a group";
  if (/\(\?<?[=!]/.test(pattern)) return "must not look ahead or behind";
  const groups: Group[] = [{ isRisky: false }];
  let closed: Group | undefined;
  let open = 0;
  let branches = 0;
  let counted = 0;
  for (const token of tokens(trimPattern(pattern))) {
    const group = groups[groups.length - 1] as Group;
    if (token.startsWith("(")) groups.push({ isRisky: false });
    else if (token === "|") {
      group.isRisky = true;
      if (groups.length > 1) branches++;
    } else if (isRepetition(token)) {
      if (closed?.isRisky) return "must not repeat a group that has repetitions or choices";
      group.isRisky = true;
      branches++;
      if (isOpen(token)) open++;
      counted += Math.max(0, ...(token.match(/\d+/g) ?? []).map(Number));
    }
    closed = token === ")" ? closeGroup(groups) : undefined;
  }
  if (open > MAX_OPEN_REPETITIONS) {
    return `must not have more than ${MAX_OPEN_REPETITIONS} open-ended repetitions`;
  }
  if (counted > MAX_COUNTED) return `must not count to more than ${MAX_COUNTED} in all`;
  return branches > MAX_BRANCHES
    ? `must not have more than ${MAX_BRANCHES} repetitions and choices`
    : undefined;
}

/** Openings of groups, escapes, classes, repetitions, and other characters one by one. */
function tokens(pattern: string): string[] {
  return pattern.match(
    /\\[^]|\((?:\?(?::|<\w+>))?|\[(?:\\[^]|[^\]\\])*\]|\{\d+(?:,\d*)?\}\??|[*+?]\??|[^]/g,
  ) ?? [];
}

function isRepetition(token: string): boolean {
  return /^(?:[*+?]|\{\d)/.test(token);
}

function isOpen(token: string): boolean {
  return /[*+,]/.test(token);
}

function closeGroup(groups: Group[]): Group {
  const closed = groups.pop() ?? { isRisky: false };
  const outer = groups[groups.length - 1];
  if (outer && closed.isRisky) outer.isRisky = true;
  return closed;
}
