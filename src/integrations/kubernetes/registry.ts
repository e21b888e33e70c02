/** The types of Kubernetes. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { kubectlApply, kubectlDelete, kubectlGet, kubectlPatch, kubectlRestart } from "./kubectl.ts";
import { podCreate } from "./pod_create.ts";

/** Types below `kubernetes.`. */
export const KUBERNETES_TASKS: readonly TaskDefinition[] = Object.freeze([
  kubectlApply,
  kubectlDelete,
  kubectlGet,
  kubectlPatch,
  kubectlRestart,
  podCreate,
]);
