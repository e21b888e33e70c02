/**
 * Regular expressions of filters, which clients choose: refuses those whose matching could take long. The platform's engine
 * runs them, although the linear one of `languages/regex` needs no such check: it takes 10 to 15 µs for a name of 27
 * characters where the platform takes 0.1 to 0.6 µs (`team[0-4]$`, `prod.*-1[0-9]+`, `(sales|team7)` on 10,000 names). Flow
 * ids are distinct, so that the first list of 10,000 flows with such a filter would take 120 ms instead of 5. The deadline of
 * `FlowIndex` bounds what passes this check.
 */
import { trimPattern } from "./execution_query.ts";

const MAX_PATTERN_LENGTH = 200;
/** With n of them a match may take length^(n + 1) steps: on 150 characters 4 ms for two, 160 for three. */
const MAX_OPEN_REPETITIONS = 2;
/** Each repetition or choice in a group may double the steps. */
const MAX_BRANCHES = 6;
/** Sum of the counts of all `{n}`. */
const MAX_COUNTED = 20;

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
      if (/[*+,]/.test(token)) open++;
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

function closeGroup(groups: Group[]): Group {
  const closed = groups.pop() ?? { isRisky: false };
  const outer = groups[groups.length - 1];
  if (outer && closed.isRisky) outer.isRisky = true;
  return closed;
}
