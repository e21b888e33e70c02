/** Rows as the `duckdb` program writes them. */
import { assertEquals, assertRejects } from "@std/assert";
import { readResult } from "../../../../src/integrations/jdbc/duckdb/result_rows.ts";
import type { Cell, Column } from "../../../../src/integrations/jdbc/cells.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

async function read(rows: string, types?: string, link = false) {
  return await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/written`, rows);
    if (link) await Deno.symlink(`${folder}/written`, `${folder}/rows`);
    else await Deno.rename(`${folder}/written`, `${folder}/rows`);
    if (types !== undefined) await Deno.writeTextFile(`${folder}/types`, types);
    const found: { columns: readonly Column[]; rows: (readonly Cell[])[] } = { columns: [], rows: [] };
    const result = await readResult({ rows: `${folder}/rows`, types: `${folder}/types` }, {
      columns: (columns) => void (found.columns = columns),
      row: (cells) => void found.rows.push(cells),
    });
    return { ...found, ...result };
  });
}

Deno.test("readResult() gives cells of described columns as their texts", async () => {
  const types = [["a", "DECIMAL(4,2)"], ["a", "VARCHAR"], ["b", "BLOB"], ["c", "STRUCT(x INTEGER)"], [
    "d",
    "DOUBLE",
  ]]
    .map(([column_name, column_type]) => JSON.stringify({ column_name, column_type })).join("\n");
  const rows =
    `{"a":"1.50","a":"x\\"}\\n","b":"\\\\x00k","c":{"x":"]{"},"d":-Infinity}\n\n{"a":null,"a":null,"b":null,` +
    `"c":null,"d":1e5}\n`;
  const { columns, ...rest } = await read(rows, types);
  assertEquals(columns.map(({ kind }) => kind), ["decimal", "text", "bytes", "json", "float"]);
  assertEquals(rest, {
    rows: [["1.50", 'x"}\n', "\\x006b", '{"x":"]{"}', "-Infinity"], [null, null, null, null, "1e5"]],
    hasRows: true,
    rowCount: 2,
  });
});

Deno.test("readResult() names the columns by the first row where there is no description", async () => {
  assertEquals(await read('{"a b":"x","n":1}\n{"a b":null,"n":2}\n'), {
    columns: [{ name: "a b", kind: "json" }, { name: "n", kind: "json" }],
    rows: [['"x"', "1"], ["null", "2"]],
    hasRows: true,
    rowCount: 2,
  });
  assertEquals(await read(""), { columns: [], rows: [], hasRows: false, rowCount: 0 });
});

Deno.test("readResult() follows no link, and refuses incomplete lines", async () => {
  assertEquals((await read('{"a":1}\n', undefined, true)).rowCount, 0);
  await assertRejects(() => read('{"a":{"b":1\n'), Error, "incomplete");
});
