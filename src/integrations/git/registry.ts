/** The task types of git. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { clone } from "./clone.ts";
import { namespaceSync, tenantSync } from "./namespace_sync.ts";
import { push } from "./push.ts";
import { pushExecutionFiles } from "./push_execution_files.ts";
import { pushFlows } from "./push_flows.ts";
import { pushNamespaceFiles } from "./push_namespace_files.ts";
import { sync } from "./sync.ts";
import { pushDashboards, syncDashboards } from "./sync_dashboards.ts";
import { syncFlow } from "./sync_flow.ts";
import { syncFlows } from "./sync_flows.ts";
import { syncNamespaceFiles } from "./sync_namespace_files.ts";

/** Types below `git.`. */
export const GIT_TASKS: readonly TaskDefinition[] = Object.freeze([
  clone,
  namespaceSync,
  push,
  pushDashboards,
  pushExecutionFiles,
  pushFlows,
  pushNamespaceFiles,
  sync,
  syncDashboards,
  syncFlow,
  syncFlows,
  syncNamespaceFiles,
  tenantSync,
]);
