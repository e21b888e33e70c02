/** Inserts the rows of a file into ClickHouse. */
import { mkdtemp } from "node:fs/promises";
import { stringifyJson } from "../../../base/json.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import { readRows, writePieces } from "../../row_files.ts";
import { insertOf } from "../run_batch.ts";
import { openClickhouse } from "./clickhouse_session.ts";
import { CLICKHOUSE } from "./databases.ts";

/** Rows of the file, and rows that the server has written. */
export async function insertFile(
  context: MachineWork,
): Promise<{ readonly rowCount: number; readonly updatedCount: number }> {
  const source = await context.fetchFile(optionalText(context.properties.from) ?? "");
  const path = `${await mkdtemp(`${await context.directory()}/insert-`)}/rows.jsonl`;
  let rowCount = 0;
  let begin = "";
  const lines = async function* () {
    let insert: ReturnType<typeof insertOf> | undefined;
    for await (const row of readRows(source)) {
      insert ??= insertOf(context.properties, row, CLICKHOUSE);
      rowCount++;
      yield `${stringifyJson([...insert.valuesOf(row)])}\n`;
    }
    begin = insert?.begin ?? "";
  };
  await writePieces(path, lines(), context.signal);
  if (rowCount === 0) return { rowCount: 0, updatedCount: 0 };
  await using session = await openClickhouse(context);
  const sql = begin.replace(/\bvalues\s*$/i, "FORMAT JSONCompactEachRow");
  return { rowCount, updatedCount: await session.insert(sql, path) };
}
