/**
 * Patterns of relative paths. Globs: `*` and `?` within a name, `**` for any number of folders, `[a-z]`, `{a,b}`; with the
 * prefix `regex:` a regular expression.
 */
import { Regex, seriesBudget } from "../../languages/regex/mod.ts";

/** Maximum number of alternatives from the braces of a pattern. */
const MAX_ALTERNATIVES = 1_000;
const MAX_PATTERN_LENGTH = 1_000;

/** Whether a path matches. */
export type PathTest = (path: string) => boolean;

type Token =
  | { readonly type: "any" | "anyName" | "anyFolders" | "one" | "oneOrSlash" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "class"; readonly isNegated: boolean; readonly ranges: readonly [string, string][] };

/** Compiles a test that matches any of the patterns. @throws Error a pattern is too long or an invalid regular expression */
export function compileGlobs(patterns: readonly string[]): PathTest {
  const tests = patterns.map((pattern) => testOf(pattern));
  return (path) => tests.some((test) => test(path));
}

/**
 * Like {@link compileGlobs}, for files of a namespace: a glob that begins with a letter, a digit or `_` matches in any
 * folder. @throws Error as {@link compileGlobs}
 */
export function compileNamespaceGlobs(patterns: readonly string[]): PathTest {
  return compileGlobs(patterns.map(inAnyFolder));
}

/** Like {@link compileNamespaceGlobs}, for one glob whose `*` and `?` also match slashes. @throws Error as {@link compileGlobs} */
export function compilePurgeGlob(pattern: string): PathTest {
  return testOf(inAnyFolder(pattern), matchingSlashes);
}

function inAnyFolder(pattern: string): string {
  return /^\w/.test(pattern) && !SYNTAX.test(pattern) ? `**/${pattern}` : pattern;
}

function matchingSlashes(token: Token): Token {
  if (token.type === "anyName") return { type: "any" };
  return token.type === "one" ? { type: "oneOrSlash" } : token;
}

const SYNTAX = /^(?:glob|regex):/;

function testOf(pattern: string, adapt = (token: Token): Token => token): PathTest {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new Error(`Invalid pattern: it is longer than ${MAX_PATTERN_LENGTH} characters`);
  }
  if (pattern.startsWith("regex:")) return regexTest(pattern.slice("regex:".length));
  const relative = pattern.replace(/^(?:glob:)?(?:\.?\/)*/, "");
  const compiled = expandBraces(relative).map((part) => tokensOf(part).map(adapt));
  return (path) => compiled.some((tokens) => matches(tokens, path));
}

/** Matches the whole path, with or without a leading slash. */
function regexTest(source: string): PathTest {
  const regex = new Regex(`^(?:${source})$`);
  const budgetFor = seriesBudget();
  const isMatch = (text: string) => regex.find(text, 0, budgetFor(text)) !== undefined;
  return (path) => isMatch(path) || isMatch(`/${path}`);
}

/** `a{b,c}` → `ab`, `ac`; an unclosed brace is literal. */
function expandBraces(pattern: string): string[] {
  let done: string[] = [];
  let left = [pattern];
  while (left.length > 0 && done.length + left.length <= MAX_ALTERNATIVES) {
    const next: string[] = [];
    for (const each of left) {
      const innermost = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(each);
      if (!innermost) done.push(each);
      else {
        const [, before, inside = "", after] = innermost;
        next.push(...inside.split(",").map((choice) => `${before}${choice}${after}`));
      }
    }
    left = next;
  }
  if (left.length > 0) done = [...done, ...left];
  return done.slice(0, MAX_ALTERNATIVES);
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length;) {
    const [token, length] = tokenAt(pattern, at);
    tokens.push(token);
    at += length;
  }
  return tokens;
}

function tokenAt(pattern: string, at: number): [Token, number] {
  if (pattern.startsWith("**/", at) && (at === 0 || pattern[at - 1] === "/")) {
    return [{ type: "anyFolders" }, 3];
  }
  if (pattern.startsWith("**", at)) return [{ type: "any" }, 2];
  const character = pattern[at] as string;
  if (character === "*") return [{ type: "anyName" }, 1];
  if (character === "?") return [{ type: "one" }, 1];
  if (character === "\\" && at + 1 < pattern.length) {
    return [{ type: "text", text: pattern[at + 1] as string }, 2];
  }
  const end = character === "[" ? pattern.indexOf("]", at + 2) : -1;
  if (end > 0) return [classOf(pattern.slice(at + 1, end)), end - at + 1];
  return [{ type: "text", text: character }, 1];
}

function classOf(text: string): Token {
  const isNegated = /^[!^]/.test(text);
  const ranges: [string, string][] = [];
  const members = isNegated ? text.slice(1) : text;
  for (let at = 0; at < members.length; at++) {
    const from = members[at] as string;
    const isRange = members[at + 1] === "-" && at + 2 < members.length;
    ranges.push([from, isRange ? members[at + 2] as string : from]);
    if (isRange) at += 2;
  }
  return { type: "class", isNegated, ranges };
}

/** Tracks all positions that the tokens so far can reach, so that matching takes at most pattern × path steps. */
function matches(tokens: readonly Token[], path: string): boolean {
  let positions = new Set([0]);
  for (const token of tokens) {
    const next = new Set<number>();
    for (const at of positions) advance(token, path, at, next);
    if (next.size === 0) return false;
    positions = next;
  }
  return positions.has(path.length);
}

function advance(token: Token, path: string, at: number, next: Set<number>): void {
  switch (token.type) {
    case "text":
      if (path[at] === token.text) next.add(at + 1);
      return;
    case "one":
      if (at < path.length && path[at] !== "/") next.add(at + 1);
      return;
    case "oneOrSlash":
      if (at < path.length) next.add(at + 1);
      return;
    case "class":
      if (at < path.length && path[at] !== "/" && isInClass(token, path[at] as string)) next.add(at + 1);
      return;
    default:
      return skip(token.type, path, at, next);
  }
}

/** Stops at a position that is already known: everything after it has been added. */
function skip(type: "any" | "anyName" | "anyFolders", path: string, at: number, next: Set<number>): void {
  if (type === "anyFolders") {
    next.add(at);
    for (let slash = path.indexOf("/", at); slash >= 0; slash = path.indexOf("/", slash + 1)) {
      next.add(slash + 1);
    }
    return;
  }
  for (let end = at; end <= path.length && !next.has(end); end++) {
    next.add(end);
    if (type === "anyName" && path[end] === "/") return;
  }
}

function isInClass({ isNegated, ranges }: Extract<Token, { type: "class" }>, character: string): boolean {
  return ranges.some(([from, to]) => character >= from && character <= to) !== isNegated;
}
