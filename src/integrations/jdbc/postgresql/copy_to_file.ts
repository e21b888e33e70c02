/** Writes what COPY sends into a file. */
import { closeSync, openSync, writeSync } from "node:fs";
import { Buffer } from "node:buffer";
import type { JsonObject } from "../../../base/json.ts";
import type { TaskContext } from "../../../model/tasks/task_definition.ts";
import { POSTGRESQL_ADDRESS } from "./database.ts";
import { openPostgresql } from "./postgresql_session.ts";

/** Bytes that are written together: the server sends a message a row. */
const BUFFER_BYTES = 256 * 1024;
const EXTENSIONS: Readonly<JsonObject> = { CSV: "csv", BINARY: "bin" };

/** Runs COPY … TO STDOUT; returns the path of the file and the number of rows. */
export async function copyToFile(
  context: TaskContext,
  sql: string,
): Promise<{ readonly path: string; readonly rowCount: number }> {
  const format = String(context.properties.format);
  const path = `${await context.directory()}/rows.${EXTENSIONS[format] ?? "txt"}`;
  await using session = await openPostgresql(context, POSTGRESQL_ADDRESS);
  const file = openSync(path, "w");
  const buffer = Buffer.alloc(BUFFER_BYTES);
  let used = 0;
  const write = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at);
  };
  try {
    const rowCount = await session.copyOut(sql, (bytes) => {
      if (used + bytes.length > BUFFER_BYTES) {
        write(buffer.subarray(0, used));
        used = 0;
      }
      if (bytes.length > BUFFER_BYTES) return write(bytes);
      buffer.set(bytes, used);
      used += bytes.length;
    });
    write(buffer.subarray(0, used));
    return { path, rowCount };
  } finally {
    closeSync(file);
  }
}
