/** The task types for containers and images of the machine. */
import type { TaskType } from "../../model/tasks/task_catalog.ts";
import { dockerBuildTask } from "./build.ts";
import { dockerPruneTask, dockerRmTask, dockerStopTask } from "./containers.ts";
import { dockerImageLsTask, dockerPullTask, dockerPushTask, dockerTagTask } from "./images.ts";
import { dockerModelDeleteTask, dockerModelListTask, dockerModelPullTask } from "./models.ts";
import { dockerRunTask } from "./run.ts";

/** Types below `docker.cli.` and `docker.model.`. */
export const DOCKER_TASKS: readonly TaskType[] = Object.freeze([
  dockerBuildTask,
  dockerImageLsTask,
  dockerModelDeleteTask,
  dockerModelListTask,
  dockerModelPullTask,
  dockerPruneTask,
  dockerPullTask,
  dockerPushTask,
  dockerRmTask,
  dockerRunTask,
  dockerStopTask,
  dockerTagTask,
]);
