/** The types for GitHub. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { appToken, runWorkflow } from "./actions.ts";
import { issuesComment, issuesCreate, pullsCreate } from "./issues.ts";
import { projectsList } from "./projects.ts";
import { SEARCH_TASKS } from "./search.ts";

/** Types below `github.`. */
export const GITHUB_TASKS: readonly TaskDefinition[] = Object.freeze([
  appToken,
  issuesComment,
  issuesCreate,
  projectsList,
  pullsCreate,
  runWorkflow,
  ...SEARCH_TASKS,
]);
