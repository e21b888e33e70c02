/** The script that the `duckdb` program runs: each statement writes its rows, and the types of their columns, into files. */
import type { JsonObject } from "../../../base/json.ts";
import { bindNames, literalPlaceholder, quotedText, type SqlSyntax, withLiterals } from "../sql_text.ts";

/** The syntax of statements. */
export const DUCKDB_SYNTAX: SqlSyntax = { isMysql: false };

/** What the program runs. */
interface ScriptParts {
  /** Folder of the results, relative to the working directory. */
  readonly folder: string;
  readonly statements: readonly string[];
  /** Run last; their rows are dropped. */
  readonly after: readonly string[];
  readonly parameters: JsonObject | undefined;
  readonly timeZoneId: string | undefined;
  readonly isTransaction: boolean;
  /** Whether types are written, too: each query is then planned twice. */
  readonly withTypes: boolean;
}

/** Files of the statement with that index, in the folder of the results. */
export function resultNames(index: number): { readonly rows: string; readonly types: string } {
  return { rows: `rows-${index}.jsonl`, types: `types-${index}.jsonl` };
}

/** @throws Error a parameter is missing, or a statement is a command of the program's shell */
export function duckdbScript(parts: ScriptParts): string {
  const { folder, statements, after, parameters, timeZoneId, isTransaction, withTypes } = parts;
  const runs = statements.flatMap((statement, index) => {
    const sql = checked(bound(statement, parameters));
    const { rows, types } = resultNames(index);
    const described = withTypes && isQuery(sql) ? [`.output ${folder}/${types}`, `DESCRIBE ${sql}`, ";"] : [];
    return [...described, `.output ${folder}/${rows}`, sql, ";"];
  });
  return [
    ".bail on",
    ".mode jsonlines",
    ...timeZoneId === undefined ? [] : [`SET TimeZone = ${quotedText(timeZoneId)};`],
    ...isTransaction ? ["BEGIN TRANSACTION;"] : [],
    ...runs,
    `.output ${folder}/after.jsonl`,
    ...after.flatMap((statement) => [checked(bound(statement, parameters)), ";"]),
    ...isTransaction ? ["COMMIT;"] : [],
    "",
  ].join("\n");
}

const LEADING_COMMENTS = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[^]*?(?:\*\/|$))+/;

/** The statement without leading comments, behind which the shell would still accept one of its commands. */
function checked(statement: string): string {
  const sql = statement.replace(LEADING_COMMENTS, "");
  if (!/^[.#]/.test(sql)) return sql;
  throw new Error("Invalid sql: it has a command of DuckDB's shell; only SQL is allowed");
}

/** Whether DESCRIBE gives the columns of its result. */
function isQuery(sql: string): boolean {
  return /^(?:\(|(?:select|from|values|table|pivot|unpivot)\b)/i.test(sql) ||
    /^with\b/i.test(sql) && !/\b(?:insert|update|delete|merge)\b/i.test(sql);
}

/** The program takes no values apart from the SQL. */
function bound(sql: string, parameters: JsonObject | undefined): string {
  return withLiterals(bindNames(sql, parameters, { ...DUCKDB_SYNTAX, placeholder: literalPlaceholder }));
}
