/** Which operations the audit log records. A new operation that is no GET is recorded unless it is named here. */
import type { AuditType } from "../../model/audit.ts";
import type { AuditedRoute } from "../pipeline/audit.ts";
import { OPERATION_NAMES } from "../openapi/operation_names.ts";
import { operationKey } from "../openapi/operations.ts";
import { operationId, pathTemplates } from "../openapi/path_template.ts";

/** Operations that change nothing although they are no GET. */
export const READING_OPERATIONS: ReadonlySet<string> = new Set([
  ...["validateFlows", "validateTask", "validateTrigger", "exportFlowsByIds", "generateFlowGraphFromSource"],
  ...["listExpressionVariables", "autocompleteNamespaces", "validateNewExecutionInputs"],
  ...["validateResumeExecutionInputs", "evalTaskRunExpression", "evalExpression", "getLatestExecutions"],
  ...[
    "renderExpressions",
    "validateDashboard",
    "validateChart",
    "getPluginUiManifest",
    "exportPluginDefaults",
  ],
  ...["previewChart", "exportChartToCsv", "getDashboardChartData", "exportDashboardChartDataToCSV"],
  ...["getStatisticsSummary", "countExecutionsByTime", "countExecutionsByFlow", "countExecutionsByNamespace"],
  ...["getNewestExecutionsByFlow", "countLogsByTime", "countTaskRunsByTime"],
]);

/** Starts, whose executions say themselves who started them: recorded by `--audit all` only. Webhooks are starts, too. */
export const STARTING_OPERATIONS: ReadonlySet<string> = new Set([
  ...["createExecution", "postExecutionsTriggerByNamespaceByFlowId", "runFlowTest"],
]);

/** Reads that are recorded as changes are: they give away all that the server holds. */
const RECORDED_READS: ReadonlySet<string> = new Set(["downloadBackup"]);

/** Operations that create something although their names do not begin with "create". */
const CREATING: ReadonlySet<string> = new Set(["importFlows", "importPluginDefaults"]);
/** Pages have no operations: they do what these do. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ["POST /ui/login", "login"],
  ["POST /ui/logout", "logout"],
  ["POST /ui/setup", "createBasicAuth"],
]);
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The operation of a route. */
export interface RouteOperation {
  readonly name: string;
  readonly type: AuditType;
  /** `change`: successful requests are recorded; `start`: by `--audit all` only; `none`: refused ones at most. */
  readonly kind: "change" | "start" | "none";
}

/** The operation of a route, decided by its method and pattern. */
export function operationOf({ method, path, access }: AuditedRoute): RouteOperation {
  const key = operationKey(method, pathTemplates(path).at(-1) ?? path);
  const page = PAGES.get(`${method} ${path.replace(/\/$/, "")}`);
  const name = page ?? OPERATION_NAMES.get(key) ?? operationId(key);
  const kind = kindOf(name, method, access);
  return { name, type: kind === "start" ? "CREATE" : typeOf(name, method), kind };
}

function kindOf(name: string, method: string, access: AuditedRoute["access"]): RouteOperation["kind"] {
  if (access === "webhook") return "start";
  if (RECORDED_READS.has(name)) return "change";
  if (access === "worker" || SAFE_METHODS.has(method) || READING_OPERATIONS.has(name)) return "none";
  return STARTING_OPERATIONS.has(name) ? "start" : "change";
}

function typeOf(name: string, method: string): AuditType {
  if (name === "login") return "LOGIN";
  if (name === "logout") return "LOGOUT";
  if (SAFE_METHODS.has(method) || READING_OPERATIONS.has(name)) return "READ";
  if (/kill/i.test(name)) return "UPDATE";
  if (method === "DELETE" || name.startsWith("delete")) return "DELETE";
  return name.startsWith("create") || CREATING.has(name) ? "CREATE" : "UPDATE";
}
