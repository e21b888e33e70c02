/** `jdbc.duckdb.Query`, `Queries` and `Trigger`. */
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineMachineTask } from "../../../model/tasks/machine_task.ts";
import { defineMachineTrigger } from "../../../model/triggers/machine_trigger.ts";
import { CONNECTION_PROPERTIES, FETCH_OUTPUTS, QUERY_PROPERTIES } from "../properties.ts";

const URL_PROPERTY = dynamicText(
  "`jdbc:duckdb:` for a database in memory, or with the path of a file behind it, or `md:` and a database of MotherDuck.",
  { default: "jdbc:duckdb:" },
);

const DATABASE_PROPERTIES: PropertySchemas = Object.freeze({
  ...CONNECTION_PROPERTIES,
  url: URL_PROPERTY,
  username: dynamicText("Without effect.", { ignored: true }),
  password: dynamicText("Without effect.", { ignored: true }),
});

const FILE_PROPERTIES: PropertySchemas = Object.freeze({
  inputFiles: dynamicProperty(
    "map",
    "Files to create in the working directory, by name: a storage URI is fetched, any other text is the content. SQL " +
      "reads them by name.",
    { orText: true },
  ),
  outputFiles: dynamicProperty(
    "list",
    "Names of files that the SQL writes and that are stored; `{{ outputFiles.<name> }}` is the path of one.",
    { items: { type: "string", dynamic: true, description: "A name." } },
  ),
  databaseUri: dynamicText("Storage URI of a database file to work on."),
  outputDbFile: dynamicFlag(false, "Whether the database is stored as a file."),
});

const FILE_OUTPUTS: PropertySchemas = Object.freeze({
  outputFiles: {
    type: "map",
    description: "Storage URIs of the output files, by name.",
    items: { type: "string", description: "A storage URI." },
  },
  databaseUri: { type: "string", description: "Storage URI of the database, with `outputDbFile`." },
});

const FETCH_METRICS = { "fetch.size": { type: "counter", description: "Number of rows." } } as const;
const PROGRAM_NOTE = "It needs the program `duckdb`, which runs with the rights of scripts.";

const query = defineMachineTask({
  type: "jdbc.duckdb.Query",
  title: "Query DuckDB",
  description: `Runs SQL with DuckDB, which reads and writes CSV, JSON and Parquet files. ${PROGRAM_NOTE}`,
  properties: { ...DATABASE_PROPERTIES, ...QUERY_PROPERTIES, ...FILE_PROPERTIES },
  outputs: { ...FETCH_OUTPUTS, ...FILE_OUTPUTS },
  metrics: FETCH_METRICS,
  examples: [{
    title: "Read a CSV file, and write another one",
    yaml: `id: totals
type: io.svc.plugin.jdbc.duckdb.Query
inputFiles:
  orders.csv: "{{ outputs.download.uri }}"
sql: |
  COPY (SELECT customer, sum(amount) AS total FROM 'orders.csv' GROUP BY customer)
  TO '{{ outputFiles.totals }}' (FORMAT csv, HEADER);
outputFiles:
  - totals`,
  }, {
    title: "Give the rows of a query to later tasks",
    yaml: `id: first
type: io.svc.plugin.jdbc.duckdb.Query
inputFiles:
  orders.csv: "{{ outputs.download.uri }}"
sql: SELECT * FROM 'orders.csv' ORDER BY amount DESC LIMIT 10
fetchType: FETCH`,
  }],
  async run(context) {
    const { runDuckdb } = await import("./run_duckdb.ts");
    const { fetched, files } = await runDuckdb(context, { isTransaction: false });
    context.metric("fetch.size", fetched.at(-1)?.size ?? 0);
    return { ...fetched.at(-1)?.outputs ?? { size: 0 }, ...files };
  },
});

const queries = defineMachineTask({
  type: "jdbc.duckdb.Queries",
  title: "Run statements with DuckDB",
  description:
    `Runs several SQL statements with DuckDB, with the results of each one that returns rows. ${PROGRAM_NOTE}`,
  properties: {
    ...DATABASE_PROPERTIES,
    ...QUERY_PROPERTIES,
    ...FILE_PROPERTIES,
    transaction: dynamicFlag(true, "Whether all statements have an effect, or none."),
  },
  outputs: {
    outputs: {
      type: "list",
      description: "`row`, `rows` or `uri`, and `size`, of each statement that returns rows.",
    },
    ...FILE_OUTPUTS,
  },
  metrics: FETCH_METRICS,
  async run(context) {
    const { runDuckdb } = await import("./run_duckdb.ts");
    const isTransaction = context.properties.transaction !== false;
    const { fetched, files } = await runDuckdb(context, { isTransaction });
    context.metric("fetch.size", fetched.reduce((sum, { size }) => sum + size, 0));
    return { outputs: fetched.map(({ outputs }) => outputs), ...files };
  },
});

const trigger = defineMachineTrigger({
  type: "jdbc.duckdb.Trigger",
  title: "Start when DuckDB has rows",
  description:
    `Runs SQL with DuckDB at an interval, and starts an execution when it returns rows. ${PROGRAM_NOTE}`,
  properties: { ...DATABASE_PROPERTIES, ...QUERY_PROPERTIES },
  outputs: FETCH_OUTPUTS,
  examples: [{
    title: "Start an execution for new orders of a database file",
    yaml: `id: orders
type: io.svc.plugin.jdbc.duckdb.Trigger
interval: PT5M
url: jdbc:duckdb:/data/shop.db
sql: SELECT * FROM orders WHERE NOT is_seen
afterSQL: UPDATE orders SET is_seen = true
fetchType: FETCH`,
  }],
  async poll(context) {
    const { runDuckdb } = await import("./run_duckdb.ts");
    const { fetched } = await runDuckdb(context, { isTransaction: true });
    const last = fetched.at(-1);
    return last && last.size > 0 ? last.outputs : undefined;
  },
});

/** The tasks. */
export const DUCKDB_TASKS = Object.freeze([query, queries]);

/** The trigger. */
export const DUCKDB_TRIGGERS = Object.freeze([trigger]);
