/** The task types that run commands of one program. A new one is a declaration and a line here. */
import type { TaskType } from "../../../model/tasks/task_catalog.ts";
import { ansibleCliTask } from "./ansible_cli.ts";
import { awsCliTask } from "./aws_cli.ts";
import { azCliTask } from "./az_cli.ts";
import { dockerComposeTask } from "./compose_cli.ts";
import { databricksCliTask } from "./databricks_cli.ts";
import { dbtCliTask } from "./dbt/dbt_cli.ts";
import { SINGLE_COMMAND_TASKS } from "./dbt/single_commands.ts";
import { gcloudCliTask } from "./gcloud_cli.ts";
import { redisCliTask } from "./redis_cli.ts";
import { snowflakeCliTask } from "./snowflake_cli.ts";
import { terraformCliTask } from "./terraform_cli.ts";

/** In the order of their files. */
export const CLI_TASKS: readonly TaskType[] = Object.freeze([
  ansibleCliTask,
  awsCliTask,
  azCliTask,
  dockerComposeTask,
  databricksCliTask,
  dbtCliTask,
  ...SINGLE_COMMAND_TASKS,
  gcloudCliTask,
  redisCliTask,
  snowflakeCliTask,
  terraformCliTask,
]);
