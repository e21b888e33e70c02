/** The types that each database has: Query, Queries, Batch and Trigger. What they run is imported when it is used. */
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineMachineTask } from "../../model/tasks/machine_task.ts";
import { defineMachineTrigger } from "../../model/triggers/machine_trigger.ts";
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { CONNECTION_PROPERTIES, FETCH_OUTPUTS, QUERY_PROPERTIES } from "./properties.ts";
import type { Database } from "./session.ts";

/** A kind of database, and the properties that only it has. */
export interface DatabaseTypes {
  readonly database: Database;
  /** Further beginnings of the names. */
  readonly olderPrefixes?: readonly string[];
  readonly properties?: PropertySchemas;
  /** Properties that only its Query and Queries have. */
  readonly queryProperties?: PropertySchemas;
  /** Outputs that only its tasks have. */
  readonly outputs?: PropertySchemas;
}

/** Runs SQL and gives the rows of its last statement that returns some. */
export function queryTask(
  { database, olderPrefixes = [], properties, queryProperties, outputs }: DatabaseTypes,
): TaskDefinition {
  const { prefix, title, exampleUrl } = database;
  return defineMachineTask({
    type: `${prefix}.Query`,
    aliases: olderPrefixes.map((each) => `${each}.Query`),
    title: `Query ${title}`,
    description: `Runs SQL on ${title}. ${transactionNote(database)}`,
    properties: { ...CONNECTION_PROPERTIES, ...properties, ...QUERY_PROPERTIES, ...queryProperties },
    outputs: { ...FETCH_OUTPUTS, ...outputs },
    metrics: { "fetch.size": { type: "counter", description: "Number of rows." } },
    examples: [{
      title: "Store the rows of a query",
      yaml: `id: orders
type: io.svc.plugin.${prefix}.Query
url: ${exampleUrl}
username: app
password: "{{ secret('DB_PASSWORD') }}"
sql: SELECT * FROM orders WHERE status = :status
parameters:
  status: open
fetchType: STORE`,
    }],
    async run(context) {
      const { lastOutputs, runQueries } = await import("./run_queries.ts");
      const { fetched, further } = await runQueries(context, database, {
        isTransaction: true,
        fallback: "NONE",
      });
      context.metric("fetch.size", fetched.at(-1)?.size ?? 0);
      return { ...lastOutputs(fetched, { size: 0 }), ...further };
    },
  });
}

function transactionNote({ transactions }: Database): string {
  return transactions === "none"
    ? "Of several statements those before a failed one keep their effect, unless the database itself undoes them."
    : "Several statements run in one transaction.";
}

/** Runs SQL and gives the rows of each statement that returns some. */
export function queriesTask(
  { database, olderPrefixes = [], properties, queryProperties, outputs }: DatabaseTypes,
): TaskDefinition {
  const { prefix, title } = database;
  return defineMachineTask({
    type: `${prefix}.Queries`,
    aliases: olderPrefixes.map((each) => `${each}.Queries`),
    title: `Run statements on ${title}`,
    description: `Runs several SQL statements on ${title}, with the results of each one that returns rows.`,
    properties: {
      ...CONNECTION_PROPERTIES,
      ...properties,
      ...QUERY_PROPERTIES,
      ...queryProperties,
      transaction: dynamicFlag(true, "Whether all statements have an effect, or none."),
    },
    outputs: {
      outputs: {
        type: "list",
        description: "`row`, `rows` or `uri`, and `size`, of each statement that returns rows.",
      },
      ...outputs,
    },
    async run(context) {
      const { runQueries } = await import("./run_queries.ts");
      const isTransaction = context.properties.transaction !== false;
      const { fetched, further } = await runQueries(context, database, { isTransaction, fallback: "NONE" });
      return { outputs: fetched.map(({ outputs }) => outputs), ...further };
    },
  });
}

/** Inserts the rows of a file. */
export function batchTask(
  { database, olderPrefixes = [], properties, outputs }: DatabaseTypes,
): TaskDefinition {
  const { prefix, title } = database;
  return defineMachineTask({
    type: `${prefix}.Batch`,
    aliases: olderPrefixes.map((each) => `${each}.Batch`),
    title: `Insert rows into ${title}`,
    description: `Inserts the rows of a file, one Ion value a line, into a table of ${title}. ${
      database.transactions
        ? "After an error those of earlier statements remain."
        : "All are inserted, or none."
    }`,
    properties: {
      ...CONNECTION_PROPERTIES,
      ...properties,
      from: dynamicText("URI of the file.", { required: true }),
      sql: dynamicText("An INSERT with `VALUES (?, …)`; without it, `table` is needed."),
      table: dynamicText("Name of the table."),
      columns: dynamicProperty("list", "Names of the columns; default are those of the first row.", {
        items: { type: "string", dynamic: true, description: "A name." },
      }),
      chunk: dynamicProperty("integer", "Rows of one statement, at most 5,000.", {
        default: 1_000,
        minimum: 1,
      }),
    },
    outputs: {
      rowCount: { type: "integer", description: "Rows of the file." },
      updatedCount: { type: "integer", description: "Rows that the database has changed." },
      ...outputs,
    },
    metrics: {
      records: { type: "counter", description: "Rows of the file." },
      updated: { type: "counter", description: "Rows that the database has changed." },
      query: { type: "counter", description: "Number of statements." },
    },
    async run(context) {
      const { runBatch } = await import("./run_batch.ts");
      const { rowCount, updatedCount, queryCount, further } = await runBatch(context, database);
      context.metric("records", rowCount);
      context.metric("updated", updatedCount);
      context.metric("query", queryCount);
      return { rowCount, updatedCount, ...further };
    },
  });
}

/** Starts an execution when a query returns rows. */
export function databaseTrigger(
  { database, olderPrefixes = [], properties }: DatabaseTypes,
): TriggerDefinition {
  const { prefix, title, exampleUrl } = database;
  return defineMachineTrigger({
    type: `${prefix}.Trigger`,
    aliases: olderPrefixes.map((each) => `${each}.Trigger`),
    title: `Start when ${title} has rows`,
    description:
      `Runs SQL on ${title} at an interval, and starts an execution when it returns rows. \`afterSQL\` can mark them.`,
    properties: { ...CONNECTION_PROPERTIES, ...properties, ...QUERY_PROPERTIES },
    outputs: FETCH_OUTPUTS,
    examples: [{
      title: "Start an execution for new orders, and mark them",
      yaml: `id: orders
type: io.svc.plugin.${prefix}.Trigger
interval: PT5M
url: ${exampleUrl}
sql: SELECT * FROM orders WHERE NOT is_seen
afterSQL: UPDATE orders SET is_seen = true
fetchType: FETCH`,
    }],
    async poll(context) {
      const { lastOutputs, runQueries } = await import("./run_queries.ts");
      const { fetched } = await runQueries(context, database, { isTransaction: true, fallback: "NONE" });
      return (fetched.at(-1)?.size ?? 0) > 0 ? lastOutputs(fetched, {}) : undefined;
    },
  });
}
