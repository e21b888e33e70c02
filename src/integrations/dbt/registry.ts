/** The types of dbt Cloud. Those of the dbt command are script tasks. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { dbtCloudCheckStatus, dbtCloudTriggerRun } from "./cloud_tasks.ts";

/** Types below `dbt.cloud.`. */
export const DBT_TASKS: readonly TaskDefinition[] = Object.freeze([dbtCloudCheckStatus, dbtCloudTriggerRun]);
