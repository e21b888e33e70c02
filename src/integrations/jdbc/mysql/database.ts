/** MySQL and MariaDB. */
import { dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import type { Database } from "../session.ts";

/** Properties of Query and Queries. */
export const MYSQL_QUERY_PROPERTIES: PropertySchemas = Object.freeze({
  inputFile: dynamicText(
    "Storage URI of the file that `LOAD DATA LOCAL INFILE '{{ inputFile }}'` reads; the server must allow it.",
  ),
});

/** The database of `jdbc.mysql`. */
export const MYSQL: Database = mysqlDatabase("jdbc.mysql", "MySQL");

/** The database of `jdbc.mariadb`. */
export const MARIADB: Database = mysqlDatabase("jdbc.mariadb", "MariaDB");

function mysqlDatabase(prefix: string, title: string): Database {
  return {
    prefix,
    title,
    exampleUrl: `jdbc:${title.toLowerCase()}://db.example.com:3306/shop`,
    syntax: { isMysql: true },
    placeholder: () => "?",
    quoted: (name) => `\`${name.replaceAll("`", "``")}\``,
    async open(context) {
      const { openMysql } = await import("./mysql_session.ts");
      return await openMysql(context);
    },
  };
}
