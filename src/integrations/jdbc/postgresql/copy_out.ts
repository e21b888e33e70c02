/** `jdbc.postgresql.CopyOut`. */
import { dynamicText } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { CONNECTION_PROPERTIES, TLS_PROPERTIES } from "../properties.ts";
import { textProperty } from "../session.ts";
import { COPY_PROPERTIES, copyOptions, copyTarget } from "./copy_properties.ts";

/** Streams a table or the rows of a query into a file. */
export const copyOut = defineTask({
  type: "jdbc.postgresql.CopyOut",
  title: "Copy from PostgreSQL into a file",
  description: "Writes a table or the rows of a query into a file with COPY.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...TLS_PROPERTIES,
    sql: dynamicText("A query; without it, `table` is needed."),
    ...COPY_PROPERTIES,
  },
  outputs: {
    uri: { type: "string", description: "URI of the file." },
    rowCount: { type: "integer", description: "Number of rows." },
  },
  metrics: { rows: { type: "counter", description: "Number of rows." } },
  examples: [{
    title: "Write the rows of a query as CSV",
    yaml: `id: export
type: io.svc.plugin.jdbc.postgresql.CopyOut
url: jdbc:postgresql://db.example.com:5432/shop
username: app
password: "{{ secret('DB_PASSWORD') }}"
sql: SELECT * FROM orders
format: CSV
header: true`,
  }],
  async run(context) {
    const { properties } = context;
    const query = textProperty(properties, "sql")?.replace(/;\s*$/, "");
    const source = query === undefined ? copyTarget(properties) : `(${query})`;
    const { copyToFile } = await import("./copy_to_file.ts");
    const { path, rowCount } = await copyToFile(
      context,
      `COPY ${source} TO STDOUT ${copyOptions(properties)}`,
    );
    context.metric("rows", rowCount);
    return { uri: await context.storeFile(path), rowCount };
  },
});
