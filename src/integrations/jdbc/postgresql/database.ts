/** PostgreSQL and databases that speak its protocol. */
import type { Database } from "../session.ts";

/** Addresses of PostgreSQL. */
export const POSTGRESQL_ADDRESS = Object.freeze({ kinds: ["postgresql", "postgres"], port: 5432 });

/** The database of `jdbc.postgresql`. */
export const POSTGRESQL: Database = postgresqlDatabase({
  prefix: "jdbc.postgresql",
  title: "PostgreSQL",
  ...POSTGRESQL_ADDRESS,
});

/** The database of `jdbc.redshift`. */
export const REDSHIFT: Database = postgresqlDatabase({
  prefix: "jdbc.redshift",
  title: "Amazon Redshift",
  kinds: ["redshift", "postgresql"],
  port: 5439,
});

interface PostgresqlOptions extends Pick<Database, "prefix" | "title"> {
  readonly kinds: readonly string[];
  readonly port: number;
}

function postgresqlDatabase({ prefix, title, kinds, port }: PostgresqlOptions): Database {
  return {
    prefix,
    title,
    exampleUrl: `jdbc:${kinds[0]}://db.example.com:${port}/shop`,
    syntax: { isMysql: false },
    placeholder: (index) => `$${index}`,
    quoted: (name) => `"${name.replaceAll('"', '""')}"`,
    async open(context) {
      const { openPostgresql } = await import("./postgresql_session.ts");
      return await openPostgresql(context, { kinds, port });
    },
  };
}
