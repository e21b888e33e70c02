import { assertEquals, assertThrows } from "@std/assert";
import { bindNames, statementsOf } from "../../../src/integrations/jdbc/sql_text.ts";

const STANDARD = { isMysql: false };
const MYSQL = { isMysql: true };

/** A text of SQL and its statements. */
const STATEMENTS: readonly (readonly [sql: string, statements: readonly string[], isMysql?: boolean])[] = [
  ["SELECT 1", ["SELECT 1"]],
  ["a; b ;\n c;", ["a", "b", "c"]],
  [" ; -- nothing\n; /* ; */ ;", []],
  ["SELECT ';', 'it''s;'; b", ["SELECT ';', 'it''s;'", "b"]],
  [`SELECT ";" FROM "a;b"; c`, [`SELECT ";" FROM "a;b"`, "c"]],
  ["SELECT 'a\\'; b", ["SELECT 'a\\'", "b"]],
  ["SELECT E'a\\';b'; c", ["SELECT E'a\\';b'", "c"]],
  ["SELECT 1 -- a; b\n; c", ["SELECT 1 -- a; b", "c"]],
  ["DO $$ BEGIN a; b; END $$; c", ["DO $$ BEGIN a; b; END $$", "c"]],
  ["DO $x$ $$ ; $$ $x$; c", ["DO $x$ $$ ; $$ $x$", "c"]],
  ["SELECT $a$ ; $b$ ; $a$; $b$; c $c", ["SELECT $a$ ; $b$ ; $a$", "$b$", "c $c"]],
  ["SELECT $a$b$a$; $$c$$; $a$$ ; $$; d", ["SELECT $a$b$a$", "$$c$$", "$a$$", "$$", "d"]],
  ["SELECT a$$; b$$, $1$; $1$", ["SELECT a$$", "b$$, $1$", "$1$"]],
  ["SELECT 'unclosed; b", ["SELECT 'unclosed", "b"]],
  ["SELECT 'a\\';b'; c", ["SELECT 'a\\';b'", "c"], true],
  ['SELECT `a;b`, "c;" # d;\n; e', ['SELECT `a;b`, "c;" # d;', "e"], true],
];

for (const [sql, statements, isMysql = false] of STATEMENTS) {
  Deno.test(`statementsOf() of ${JSON.stringify(sql)}${isMysql ? " in MySQL" : ""}`, () => {
    assertEquals(statementsOf(sql, { isMysql }), statements);
  });
}

Deno.test("bindNames() numbers a name once, and leaves casts, literals, names and comments", () => {
  const sql = `SELECT :a, :b::int, ':a', ":a", x[1:2], :a -- :c\n/* :c */ $$ :c $$`;
  const bound = bindNames(sql, { a: 1, b: null }, { ...STANDARD, placeholder: (index) => `$${index}` });
  assertEquals(bound, {
    sql: `SELECT $1, $2::int, ':a', ":a", x[1:2], $1 -- :c\n/* :c */ $$ :c $$`,
    values: [1, null],
  });
});

Deno.test("bindNames() repeats the value of a name where places have no numbers", () => {
  const bound = bindNames("SELECT :a, :a, ':a\\''", { a: 1 }, { ...MYSQL, placeholder: () => "?" });
  assertEquals(bound, { sql: "SELECT ?, ?, ':a\\''", values: [1, 1] });
});

Deno.test("bindNames() leaves all as it is without parameters, and refuses a name without a value", () => {
  const options = { ...STANDARD, placeholder: (index: number) => `$${index}` };
  assertEquals(bindNames("SELECT :a", undefined, options), { sql: "SELECT :a", values: [] });
  assertThrows(() => bindNames("SELECT :toString", {}, options), Error, 'Missing parameter "toString"');
});

Deno.test("statementsOf() reads a long unclosed literal in a time that grows with its length", () => {
  const sql = `SELECT '${"a''".repeat(20_000)}`;
  assertEquals(statementsOf(sql, STANDARD).length, 1);
});

Deno.test("statementsOf() reads unclosed dollar quotes in a time that grows with their number", () => {
  const tags = Array.from({ length: 200_000 }, (_, index) => `$t${index}$ `).join("");
  assertEquals(statementsOf(`SELECT ${tags}; b`, STANDARD).length, 2);
  const { sql } = bindNames(`SELECT ${tags}, :a`, { a: 1 }, { ...STANDARD, placeholder: () => "?" });
  assertEquals(sql, `SELECT ${tags}, ?`);
});
