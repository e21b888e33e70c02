/** Runs the SQL of tasks and triggers. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { MachineWork } from "../../model/tasks/machine_task.ts";
import { type Fetched, fetchRows, fetchTypeOf } from "./fetching.ts";
import { type Database, type SqlSession, textProperty } from "./session.ts";
import { bindNames, statementsOf } from "./sql_text.ts";

interface QueryOptions {
  readonly isTransaction: boolean;
  /** `fetchType` where the properties give none. */
  readonly fallback: "NONE" | "FETCH";
}

/** What the statements gave. */
interface QueryResults {
  /** Of the statements that return rows, in their order. */
  readonly fetched: readonly Fetched[];
  /** Further outputs of the database. */
  readonly further: JsonObject;
}

/** Runs `sql` and `afterSQL`. @throws Error the server refuses one; with a transaction nothing is changed then */
export async function runQueries(
  context: MachineWork,
  database: Database,
  { isTransaction, fallback }: QueryOptions,
): Promise<QueryResults> {
  const { properties } = context;
  const type = fetchTypeOf(properties, fallback);
  const statements = statementsOf(textProperty(properties, "sql") ?? "", database.syntax);
  const after = statementsOf(textProperty(properties, "afterSQL") ?? "", database.syntax);
  const parameters = isJsonObject(properties.parameters) ? properties.parameters : undefined;
  const bind = (sql: string) =>
    bindNames(sql, parameters, { ...database.syntax, placeholder: (index) => database.placeholder(index) });
  const fetched: Fetched[] = [];
  const bound = statements.map(bind);
  await using session = await database.open(context);
  await session.prepare?.({ statements: bound, after, isTransaction });
  await inTransaction(
    session,
    isTransaction && !database.transactions && statements.length + after.length > 1,
    async () => {
      for (const statement of bound) {
        const { result, ...found } = await fetchRows(type, context, (sink) => session.run(statement, sink));
        if (result.hasRows) fetched.push(found);
      }
      for (const sql of after) await session.command(sql);
    },
  );
  return { fetched, further: await session.finish?.() ?? {} };
}

/** Commits what the work does, or rolls it back. */
export async function inTransaction(
  session: SqlSession,
  isTransaction: boolean,
  work: () => Promise<void>,
): Promise<void> {
  if (!isTransaction) return await work();
  await session.command("BEGIN");
  // Without a commit the server rolls back when the connection ends.
  await work();
  await session.command("COMMIT");
}

/** Outputs of a Query: those of its last statement that returns rows. */
export function lastOutputs(fetched: readonly Fetched[], fallback: JsonObject): JsonObject {
  return fetched.at(-1)?.outputs ?? fallback;
}
