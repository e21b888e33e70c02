/** Texts of SQL: their statements and their named parameters. Literals, quoted names and comments are left as they are. */
import { Double, type JsonObject, type JsonValue, ownProperty, stringifyJson } from "../../base/json.ts";

/** What differs between databases. */
export interface SqlSyntax {
  /** A backslash escapes in literals, double quotes enclose literals too, and `#` begins a comment. */
  readonly isMysql: boolean;
  /** Whether a text must not be divided: its statements belong together. */
  readonly isBatch?: (sql: string) => boolean;
}

/** A statement and the values of its placeholders. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly JsonValue[];
}

const COMMENT = String.raw`--[^\n]*|/\*[^]*?(?:\*/|$)`;
const NAME = String.raw`::|:[A-Za-z_]\w*|;`;
const STANDARD = new RegExp(
  [
    String.raw`\b[eE]'[^'\\]*(?:(?:''|\\[^])[^'\\]*)*'`,
    String.raw`'[^']*(?:''[^']*)*'|"[^"]*"`,
    String.raw`(?<![\w$])\$(?:[A-Za-z_]\w*)?\$`,
    COMMENT,
    NAME,
  ].join("|"),
  "g",
);
const MYSQL = new RegExp(
  [
    String.raw`'[^'\\]*(?:(?:''|\\[^])[^'\\]*)*'|"[^"\\]*(?:(?:""|\\[^])[^"\\]*)*"`,
    "`[^`]*`|#[^\\n]*",
    COMMENT,
    NAME,
  ].join("|"),
  "g",
);

/** The statements of a text, without the semicolons between them and without empty ones. */
export function statementsOf(sql: string, { isMysql, isBatch }: SqlSyntax): string[] {
  if (isBatch?.(sql)) return [sql.trim()];
  const statements: string[] = [];
  let begin = 0;
  for (const { token, index } of tokensOf(sql, isMysql)) {
    if (token !== ";") continue;
    statements.push(sql.slice(begin, index));
    begin = index + 1;
  }
  return [...statements, sql.slice(begin)].map((text) => text.trim()).filter(hasCode);
}

/** The tokens that are no literals between dollar signs. */
function* tokensOf(
  sql: string,
  isMysql: boolean,
): Generator<{ readonly token: string; readonly index: number }> {
  const pattern = new RegExp(isMysql ? MYSQL : STANDARD);
  let lastTags: ReadonlyMap<string, number> | undefined;
  for (let match = pattern.exec(sql); match; match = pattern.exec(sql)) {
    const [token] = match;
    if (!token.startsWith("$")) {
      yield { token, index: match.index };
      continue;
    }
    lastTags ??= lastTagsOf(sql);
    const isClosed = Number(lastTags.get(token)) >= pattern.lastIndex;
    pattern.lastIndex = isClosed ? sql.indexOf(token, pattern.lastIndex) + token.length : match.index + 1;
  }
}

/** Where each text between two dollar signs is last: a search for each tag that is not closed would take quadratic time. */
function lastTagsOf(sql: string): ReadonlyMap<string, number> {
  const tags = new Map<string, number>();
  let at = sql.indexOf("$");
  for (let next = sql.indexOf("$", at + 1); at >= 0 && next >= 0; next = sql.indexOf("$", at + 1)) {
    tags.set(sql.slice(at, next + 1), at);
    at = next;
  }
  return tags;
}

function hasCode(text: string): boolean {
  return text.replaceAll(new RegExp(COMMENT, "g"), "").trim() !== "";
}

/**
 * Replaces `:name` by placeholders. Without parameters the text stays as it is, since a colon may be part of the syntax of a
 * database. @throws Error a parameter has no value
 */
export function bindNames(
  sql: string,
  parameters: JsonObject | undefined,
  { placeholder, ...syntax }: SqlSyntax & { readonly placeholder: (index: number) => string },
): BoundStatement {
  if (!parameters) return { sql, values: [] };
  const values: JsonValue[] = [];
  const indexes = new Map<string, number>();
  const placeholderOf = (token: string): string => {
    const name = token.slice(1);
    const value = ownProperty(parameters, name);
    if (value === undefined) throw new Error(`Missing parameter "${name}": parameters has no value for it`);
    const numbered = placeholder(1) !== placeholder(2);
    const known = numbered ? indexes.get(name) : undefined;
    if (known !== undefined) return placeholder(known);
    values.push(value);
    indexes.set(name, values.length);
    return placeholder(values.length);
  };
  let bound = "";
  let end = 0;
  for (const { token, index } of tokensOf(sql, syntax.isMysql)) {
    if (!/^:[A-Za-z_]/.test(token)) continue;
    bound += sql.slice(end, index) + placeholderOf(token);
    end = index + token.length;
  }
  return { sql: bound + sql.slice(end), values };
}

/** A placeholder that no SQL has, for databases that take no values apart from the SQL: {@link withLiterals} replaces it. */
export function literalPlaceholder(index: number): string {
  return `\u0000${index}\u0000`;
}

/** The statement with its values as literals; lists and objects are JSON. @throws Error a text has a null character */
export function withLiterals(
  { sql, values }: BoundStatement,
  textLiteral: (text: string) => string = quotedText,
): string {
  const literal = (value: JsonValue): string => {
    if (value === null) return "NULL";
    if (typeof value === "object" && !(value instanceof Double)) return textLiteral(stringifyJson(value));
    if (typeof value !== "string") return String(value);
    if (value.includes("\u0000")) throw new Error("Invalid parameter: it has a null character");
    return textLiteral(value);
  };
  // deno-lint-ignore no-control-regex
  return sql.replace(/\u0000(\d+)\u0000/g, (_all, index) => literal(values[index - 1] ?? null));
}

/** A text as standard SQL quotes it. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A text as databases quote it in whose literals a backslash escapes. */
export function escapedText(text: string): string {
  return quotedText(text.replaceAll("\\", "\\\\"));
}
