/** `jdbc.postgresql.CopyIn`. */
import { dynamicText } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { CONNECTION_PROPERTIES, TLS_PROPERTIES } from "../properties.ts";
import { textProperty } from "../session.ts";
import { COPY_PROPERTIES, copyOptions, copyTarget } from "./copy_properties.ts";
import { POSTGRESQL_ADDRESS } from "./database.ts";

/** Streams a file into a table. */
export const copyIn = defineTask({
  type: "jdbc.postgresql.CopyIn",
  title: "Copy a file into PostgreSQL",
  description: "Loads a file into a table with COPY, the fastest way. All rows are loaded, or none.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...TLS_PROPERTIES,
    from: dynamicText("URI of the file.", { required: true }),
    ...COPY_PROPERTIES,
  },
  outputs: { rowCount: { type: "integer", description: "Number of rows." } },
  metrics: { rows: { type: "counter", description: "Number of rows." } },
  examples: [{
    title: "Load a CSV file",
    yaml: `id: load
type: io.svc.plugin.jdbc.postgresql.CopyIn
url: jdbc:postgresql://db.example.com:5432/shop
username: app
password: "{{ secret('DB_PASSWORD') }}"
from: "{{ outputs.extract.uri }}"
table: orders
format: CSV
header: true`,
  }],
  async run(context) {
    const { properties } = context;
    const sql = `COPY ${copyTarget(properties)} FROM STDIN ${copyOptions(properties)}`;
    const path = await context.fetchFile(textProperty(properties, "from") ?? "");
    const { openPostgresql } = await import("./postgresql_session.ts");
    await using session = await openPostgresql(context, POSTGRESQL_ADDRESS);
    const rowCount = await session.copyIn(sql, path);
    context.metric("rows", rowCount);
    return { rowCount };
  },
});
