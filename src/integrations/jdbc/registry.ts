/** The types of SQL databases. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { batchTask, databaseTrigger, type DatabaseTypes, queriesTask, queryTask } from "./database_types.ts";
import { DUCKDB_TASKS, DUCKDB_TRIGGERS } from "./duckdb/duckdb_types.ts";
import { clickhouseBulkInsert } from "./http/clickhouse_bulk_insert.ts";
import { CLICKHOUSE, DREMIO, DRUID, PINOT, TRINO } from "./http/databases.ts";
import { MARIADB, MYSQL, MYSQL_QUERY_PROPERTIES } from "./mysql/database.ts";
import { copyIn } from "./postgresql/copy_in.ts";
import { copyOut } from "./postgresql/copy_out.ts";
import { POSTGRESQL, REDSHIFT } from "./postgresql/database.ts";
import { TLS_PROPERTIES } from "./properties.ts";
import { SNOWFLAKE, SNOWFLAKE_PROPERTIES } from "./snowflake/database.ts";
import { snowflakeDownload } from "./snowflake/download.ts";
import { snowflakeUpload } from "./snowflake/upload.ts";
import { SQLSERVER } from "./sqlserver/database.ts";
import { SQLITE, SQLITE_OUTPUTS, SQLITE_PROPERTIES } from "./sqlite/database.ts";

const DATABASES: readonly (DatabaseTypes & { readonly hasNoBatch?: true })[] = [
  { database: POSTGRESQL, olderPrefixes: ["jdbc.postgres"], properties: TLS_PROPERTIES },
  { database: REDSHIFT, properties: TLS_PROPERTIES },
  { database: MYSQL, queryProperties: MYSQL_QUERY_PROPERTIES },
  { database: MARIADB, queryProperties: MYSQL_QUERY_PROPERTIES },
  { database: SQLSERVER },
  { database: SQLITE, properties: SQLITE_PROPERTIES, outputs: SQLITE_OUTPUTS },
  { database: SNOWFLAKE, properties: SNOWFLAKE_PROPERTIES },
  { database: TRINO },
  // Its BulkInsert streams.
  { database: CLICKHOUSE, hasNoBatch: true },
  // Its REST API sends each statement as a job of its own.
  { database: DREMIO, hasNoBatch: true },
  // They have no INSERT.
  { database: DRUID, hasNoBatch: true },
  { database: PINOT, hasNoBatch: true },
];

/** Types below `jdbc.`. */
export const JDBC_TASKS: readonly TaskDefinition[] = Object.freeze([
  ...DATABASES.flatMap((each) => [
    queryTask(each),
    queriesTask(each),
    ...each.hasNoBatch ? [] : [batchTask(each)],
  ]),
  copyIn,
  copyOut,
  ...DUCKDB_TASKS,
  clickhouseBulkInsert,
  snowflakeDownload,
  snowflakeUpload,
]);

/** Triggers below `jdbc.`. */
export const JDBC_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([
  ...DATABASES.map(databaseTrigger),
  ...DUCKDB_TRIGGERS,
]);
