import { DatabaseSync } from "node:sqlite";
import { assertEquals, assertRejects } from "@std/assert";
import type { SqliteDatabase } from "../../../src/model/ports/sqlite.ts";
import { SqliteProcesses } from "../../../src/machine/sqlite/sqlite_processes.ts";
import { withTempDir } from "../../support/temp_dir.ts";

/** Calls `use` with the database that `make` has written. */
async function withDatabase<Result>(
  use: (database: SqliteDatabase) => Promise<Result>,
  make: (path: string) => void = () => {},
): Promise<Result> {
  return await withTempDir(async (directory) => {
    make(`${directory}/a.db`);
    const { signal } = new AbortController();
    const place = { directory, file: "a.db", owner: "main/e", signal };
    await using database = await new SqliteProcesses().open(place);
    return await use(database);
  });
}

/** Lengths of the values of the rows of a query. */
async function lengthsOf(sql: string): Promise<number[][]> {
  return await withDatabase(async (database) => {
    const rows: number[][] = [];
    await database.run(sql, [], {
      columns: () => {},
      row: (texts) => void rows.push(texts.map(({ length }) => length)),
    });
    return rows;
  });
}

/** Of each statement the number of its rows, and its message if it fails. */
async function endsOf(database: SqliteDatabase, statements: readonly string[]): Promise<string[]> {
  const ends: string[] = [];
  for (const sql of statements) {
    let rows = 0;
    const sink = { columns: () => {}, row: () => void rows++ };
    const message = await database.run(sql, [], sink).then(() => "end", (error) => error.message);
    ends.push(`${rows} ${message}`);
  }
  return ends;
}

const MAX = 16 * 1024 * 1024;
/** A text in JSON has two quotes, and a tab stands between two values. */
const LARGEST = `SELECT printf('%.*c', ${MAX - 2 - 4}, 'a'), 'b'`;

Deno.test("SqliteDatabase.run() gives a row of 16 MiB", async () => {
  assertEquals(await lengthsOf(LARGEST), [[MAX - 4, 3]]);
});

const LARGER: readonly (readonly [name: string, sql: string])[] = [
  ["a row with a character more", LARGEST.replace("'b'", "'bb'")],
  ["bytes whose text would be longer", `SELECT zeroblob(${MAX - 1})`],
  ["bytes above the limit", "SELECT zeroblob(120000000)"],
];
for (const [name, sql] of LARGER) {
  Deno.test(`SqliteDatabase.run() fails for ${name}: the server would hold it several times`, async () => {
    await assertRejects(() => lengthsOf(sql), Error, "a row has more than 16777216 characters");
  });
}

/** Some SQL, with the end of each statement that it contains. */
type EndsCase = readonly [name: string, ends: Readonly<Record<string, string>>];

const OVERFLOW = "abs(-9223372036854775808)";

const FAILURES: readonly EndsCase[] = [
  ["in the third of four rows", {
    [`SELECT CASE WHEN value = 3 THEN ${OVERFLOW} ELSE value END FROM json_each('[1,2,3,4]')`]:
      "2 integer overflow",
  }],
  ["after more rows than are written together", {
    [
      `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)
      SELECT CASE WHEN n > 50000 THEN ${OVERFLOW} ELSE n END FROM c`
    ]: "50000 integer overflow",
  }],
  ["in an aggregate", {
    "SELECT sum(value) FROM json_each('[9223372036854775807, 1]')": "0 integer overflow",
  }],
  ["in VALUES, and not for a query that is only explained", {
    "VALUES (1), (json('{'))": "1 malformed JSON",
    "EXPLAIN QUERY PLAN SELECT json('{')": "1 end",
  }],
  ["of a function that is not allowed", { "SELECT load_extension('x')": "0 not authorized" }],
  ["of a constraint, before RETURNING gives a row", {
    "CREATE TABLE t (n UNIQUE)": "0 end",
    "INSERT INTO t VALUES (1) RETURNING n": "1 end",
    "INSERT INTO t VALUES (2), (1) RETURNING n": "0 UNIQUE constraint failed: t.n",
    "UPDATE t SET n = 1 / 0 WHERE n = 2 RETURNING n": "0 end",
    "SELECT n FROM t": "1 end",
  }],
  ["of a constraint that the commit checks, after RETURNING has given its rows", {
    "PRAGMA foreign_keys = ON": "0 end",
    "CREATE TABLE p (id INTEGER PRIMARY KEY)": "0 end",
    "CREATE TABLE c (p REFERENCES p DEFERRABLE INITIALLY DEFERRED)": "0 end",
    "INSERT INTO c VALUES (1) RETURNING p": "1 FOREIGN KEY constraint failed",
    "SELECT * FROM c": "0 end",
  }],
  ["of a database that is full", {
    "CREATE TABLE t (b)": "0 end",
    "PRAGMA max_page_count = 3": "1 end",
    "INSERT INTO t VALUES (zeroblob(100000)) RETURNING 1": "0 database or disk is full",
  }],
  ["of one statement is not that of the next one", {
    "SELECT json('{')": "0 malformed JSON",
    "SELECT 1 WHERE 0": "0 end",
    "SELECT missing": "0 no such column: missing",
    "SELECT 1 / 0": "1 end",
    "PRAGMA table_info(none)": "0 end",
  }],
];
for (const [name, ends] of FAILURES) {
  Deno.test(`SqliteDatabase.run() fails for an error ${name}`, async () => {
    const statements = Object.keys(ends);
    assertEquals(
      await withDatabase((database) => endsOf(database, statements)),
      Object.values(ends),
    );
  });
}

Deno.test("SqliteDatabase.run() fails at a damaged page, behind the rows before it", async () => {
  const damaged = (path: string) => {
    const database = new DatabaseSync(path);
    // Each row fills a page; the last one, which has the last row, is overwritten.
    database.exec("CREATE TABLE t (b); INSERT INTO t SELECT zeroblob(3000) FROM json_each('[1,2,3,4,5]')");
    database.close();
    const bytes = Deno.readFileSync(path);
    Deno.writeFileSync(path, bytes.fill(0xff, bytes.length - 4096));
  };
  const ends = await withDatabase((database) => endsOf(database, ["SELECT * FROM t"]), damaged);
  assertEquals(ends, ["4 database disk image is malformed"]);
});
