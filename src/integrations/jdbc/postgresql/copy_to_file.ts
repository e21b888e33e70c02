/** Writes what COPY sends into a file. */
import type { JsonObject } from "../../../base/json.ts";
import type { TaskContext } from "../../../model/tasks/task_definition.ts";
import { POSTGRESQL_ADDRESS } from "./database.ts";
import { ByteFile } from "../../byte_file.ts";
import { openPostgresql } from "./postgresql_session.ts";

const EXTENSIONS: Readonly<JsonObject> = { CSV: "csv", BINARY: "bin" };

/** Runs COPY … TO STDOUT; returns the path of the file and the number of rows. */
export async function copyToFile(
  context: TaskContext,
  sql: string,
): Promise<{ readonly path: string; readonly rowCount: number }> {
  const format = String(context.properties.format);
  const path = `${await context.directory()}/rows.${EXTENSIONS[format] ?? "txt"}`;
  await using session = await openPostgresql(context, POSTGRESQL_ADDRESS);
  using file = new ByteFile(path, context.maxFileBytes);
  const rowCount = await session.copyOut(sql, (bytes) => file.bytes(bytes));
  return { path, rowCount };
}
