/** SQL Server. */
import type { Database } from "../session.ts";
import { literalPlaceholder } from "../sql_text.ts";

/** The database of `jdbc.sqlserver`. */
export const SQLSERVER: Database = {
  prefix: "jdbc.sqlserver",
  title: "SQL Server",
  exampleUrl: "jdbc:sqlserver://db.example.com:1433;databaseName=shop",
  syntax: { isMysql: false, isBatch: isTransactSql },
  placeholder: literalPlaceholder,
  quoted: (name) => `[${name.replaceAll("]", "]]")}]`,
  async open(context) {
    const { openSqlserver } = await import("./sqlserver_session.ts");
    return await openSqlserver(context);
  },
};

/** Variables and blocks of Transact-SQL exist within one request. */
function isTransactSql(sql: string): boolean {
  return /\b(?:declare|begin|if|while|(?:create|alter)\s+(?:or\s+alter\s+)?(?:proc(?:edure)?|function|trigger))\b/i
    .test(sql);
}
