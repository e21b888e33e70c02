import { assertEquals, assertRejects } from "@std/assert";
import { SqliteProcesses } from "../../../src/machine/sqlite/sqlite_processes.ts";
import { withTempDir } from "../../support/temp_dir.ts";

/** Lengths of the values of the rows of a query. */
async function lengthsOf(sql: string): Promise<number[][]> {
  return await withTempDir(async (directory) => {
    const { signal } = new AbortController();
    const place = { directory, file: "a.db", owner: "main/e", signal };
    await using database = await new SqliteProcesses().open(place);
    const rows: number[][] = [];
    await database.run(sql, [], {
      columns: () => {},
      row: (texts) => void rows.push(texts.map(({ length }) => length)),
    });
    return rows;
  });
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
