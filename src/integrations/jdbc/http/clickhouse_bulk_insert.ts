/** `jdbc.clickhouse.BulkInsert`. */
import { dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineMachineTask } from "../../../model/tasks/machine_task.ts";
import { CONNECTION_PROPERTIES } from "../properties.ts";

/** Streams a file of rows into a table. */
export const clickhouseBulkInsert = defineMachineTask({
  type: "jdbc.clickhouse.BulkInsert",
  title: "Insert rows into ClickHouse",
  description:
    "Streams the rows of a file, one Ion value a line, into a table. The server writes them in blocks: after an error some " +
    "rows may be there.",
  properties: {
    ...CONNECTION_PROPERTIES,
    from: dynamicText("URI of the file.", { required: true }),
    sql: dynamicText("An INSERT with `VALUES (?, …)`; without it, `table` is needed."),
    table: dynamicText("Name of the table."),
    columns: dynamicProperty("list", "Names of the columns; default are those of the first row.", {
      items: { type: "string", dynamic: true, description: "A name." },
    }),
    chunk: dynamicProperty("integer", "Without effect: rows are sent as a stream.", { ignored: true }),
  },
  outputs: {
    rowCount: { type: "integer", description: "Rows of the file." },
    updatedCount: { type: "integer", description: "Rows that the server has written." },
  },
  metrics: {
    records: { type: "counter", description: "Rows of the file." },
    updated: { type: "counter", description: "Rows that the server has written." },
  },
  examples: [{
    title: "Insert the rows of a query of another database",
    yaml: `id: insert
type: io.svc.plugin.jdbc.clickhouse.BulkInsert
url: jdbc:clickhouse://db.example.com:8123/shop
username: app
password: "{{ secret('DB_PASSWORD') }}"
from: "{{ outputs.query.uri }}"
table: orders`,
  }],
  async run(context) {
    const { insertFile } = await import("./clickhouse_insert.ts");
    const counts = await insertFile(context);
    context.metric("records", counts.rowCount);
    context.metric("updated", counts.updatedCount);
    return { ...counts };
  },
});
