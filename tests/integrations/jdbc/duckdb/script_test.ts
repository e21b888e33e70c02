/** The script for the `duckdb` program. */
import { assertEquals, assertThrows } from "@std/assert";
import { duckdbScript } from "../../../../src/integrations/jdbc/duckdb/script.ts";

const PARTS = {
  folder: ".r",
  statements: ["SELECT 1"],
  after: [],
  parameters: undefined,
  timeZoneId: undefined,
  isTransaction: false,
  withTypes: false,
};

const HEAD = [".bail on", ".mode jsonlines"];
const END = [".output .r/after.jsonl", ""];

Deno.test("duckdbScript() writes each statement into a file, in one transaction with what comes after it", () => {
  const statements = ["CREATE TABLE a (n int)", "-- rows\nFROM a -- all"];
  const script = duckdbScript({
    ...PARTS,
    statements,
    after: ["DROP TABLE a"],
    timeZoneId: "a'b",
    isTransaction: true,
    withTypes: true,
  });
  assertEquals(script.split("\n"), [
    ...HEAD,
    "SET TimeZone = 'a''b';",
    "BEGIN TRANSACTION;",
    ".output .r/rows-0.jsonl",
    "CREATE TABLE a (n int)",
    ";",
    ".output .r/types-1.jsonl",
    "DESCRIBE FROM a -- all",
    ";",
    ".output .r/rows-1.jsonl",
    "FROM a -- all",
    ";",
    ".output .r/after.jsonl",
    "DROP TABLE a",
    ";",
    "COMMIT;",
    "",
  ]);
});

Deno.test("duckdbScript() asks for types of queries alone", () => {
  const described = (statement: string) =>
    duckdbScript({ ...PARTS, statements: [statement], withTypes: true }).includes("DESCRIBE");
  const queries = [
    "select 1",
    "(SELECT 1)",
    "/* a */ WITH a AS (SELECT 1) FROM a",
    "VALUES (1)",
    "PIVOT a ON b",
  ];
  const others = [
    "SHOW TABLES",
    "INSERT INTO a VALUES (1)",
    "WITH b AS (SELECT 1) INSERT INTO a FROM b",
    "SUMMARIZE a",
  ];
  assertEquals(queries.filter((each) => !described(each)), []);
  assertEquals(others.filter(described), []);
});

Deno.test("duckdbScript() writes parameters as literals that their values cannot leave", () => {
  const parameters = { t: "it's; DROP", n: 1.5, none: null, flag: true, list: [1, "'"] };
  const statements = ["SELECT :t, :n, :none, :flag, :list, ':t', :t"];
  const script = duckdbScript({ ...PARTS, statements, parameters });
  const sql = `SELECT 'it''s; DROP', 1.5, NULL, true, '[1,"''"]', ':t', 'it''s; DROP'`;
  assertEquals(script.split("\n"), [...HEAD, ".output .r/rows-0.jsonl", sql, ";", ...END]);
});

Deno.test("duckdbScript() refuses commands of the shell, also behind comments", () => {
  for (const statement of [".shell id", "  \n.shell id", "-- a\n/* b\n*/ .shell id", "# .shell id"]) {
    assertThrows(() => duckdbScript({ ...PARTS, statements: [statement] }), Error, "DuckDB's shell");
    assertThrows(() => duckdbScript({ ...PARTS, after: [statement] }), Error, "DuckDB's shell");
  }
});
