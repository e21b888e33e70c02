/** The types for the API of this server, and of others of this language. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import {
  executionsCount,
  executionsDelete,
  executionsKill,
  executionsQuery,
  executionsResume,
} from "./executions.ts";
import { namespacesWithFlows, scheduleMonitor, triggersToggle } from "./triggers.ts";
import { flowsExport, flowsExportById, flowsList, logsFetch, namespacesList } from "./lists.ts";

/** Types below `kestra.`. */
export const SERVER_API_TASKS: readonly TaskDefinition[] = Object.freeze([
  executionsCount,
  executionsDelete,
  executionsKill,
  executionsQuery,
  executionsResume,
  flowsExport,
  flowsExportById,
  flowsList,
  logsFetch,
  namespacesList,
  namespacesWithFlows,
  triggersToggle,
]);

/** Polling triggers below `kestra.`. */
export const SERVER_API_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([scheduleMonitor]);
