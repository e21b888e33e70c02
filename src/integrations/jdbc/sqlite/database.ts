/** SQLite. */
import { dynamicFlag, dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import type { Database } from "../session.ts";

/** The database of `jdbc.sqlite`. */
export const SQLITE: Database = {
  prefix: "jdbc.sqlite",
  title: "SQLite",
  exampleUrl: "jdbc:sqlite:shop.db",
  syntax: { isMysql: false },
  placeholder: (index) => `?${index}`,
  quoted: (name) => `"${name.replaceAll('"', '""')}"`,
  async open(context) {
    const { openSqlite } = await import("./sqlite_session.ts");
    return await openSqlite(context);
  },
};

/** Properties that only SQLite has. */
export const SQLITE_PROPERTIES: PropertySchemas = Object.freeze({
  url: dynamicText("Name of the file in the working directory, such as `jdbc:sqlite:shop.db`.", {
    default: "jdbc:sqlite:database.db",
  }),
  sqliteFile: dynamicText("Storage URI of a database: it is copied to the file that `url` names."),
  outputDbFile: dynamicFlag(false, "Whether the database is stored as a file."),
});

/** Outputs that only SQLite has. */
export const SQLITE_OUTPUTS: PropertySchemas = Object.freeze({
  databaseUri: { type: "string", description: "Storage URI of the database, with `outputDbFile`." },
});
