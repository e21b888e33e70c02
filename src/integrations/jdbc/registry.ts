/** The types of SQL databases. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { batchTask, databaseTrigger, type DatabaseTypes, queriesTask, queryTask } from "./database_types.ts";
import { DUCKDB_TASKS, DUCKDB_TRIGGERS } from "./duckdb/duckdb_types.ts";
import { MARIADB, MYSQL } from "./mysql/database.ts";
import { copyIn } from "./postgresql/copy_in.ts";
import { copyOut } from "./postgresql/copy_out.ts";
import { POSTGRESQL, REDSHIFT } from "./postgresql/database.ts";
import { TLS_PROPERTIES } from "./properties.ts";
import { SQLITE, SQLITE_OUTPUTS, SQLITE_PROPERTIES } from "./sqlite/database.ts";

const DATABASES: readonly DatabaseTypes[] = [
  { database: POSTGRESQL, olderPrefixes: ["jdbc.postgres"], properties: TLS_PROPERTIES },
  { database: REDSHIFT, properties: TLS_PROPERTIES },
  { database: MYSQL },
  { database: MARIADB },
  { database: SQLITE, properties: SQLITE_PROPERTIES, outputs: SQLITE_OUTPUTS },
];

/** Types below `jdbc.`. */
export const JDBC_TASKS: readonly TaskDefinition[] = Object.freeze([
  ...DATABASES.flatMap((each) => [queryTask(each), queriesTask(each), batchTask(each)]),
  copyIn,
  copyOut,
  ...DUCKDB_TASKS,
]);

/** Triggers below `jdbc.`. */
export const JDBC_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([
  ...DATABASES.map(databaseTrigger),
  ...DUCKDB_TRIGGERS,
]);
