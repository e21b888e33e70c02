/** Every described operation, by method and path. */
import { API_PREFIX } from "../pipeline/canonical_path.ts";
import type { Operation } from "./operation.ts";
import { ACCESS_OPERATIONS } from "./operations/access.ts";
import { EXECUTION_OPERATIONS } from "./operations/executions.ts";
import { FLOW_OPERATIONS } from "./operations/flows.ts";
import { MONITORING_OPERATIONS } from "./operations/monitoring.ts";
import { NAMESPACE_OPERATIONS } from "./operations/namespaces.ts";
import { SERVER_OPERATIONS } from "./operations/server.ts";
import { TRIGGER_OPERATIONS } from "./operations/triggers.ts";
import { WORKER_OPERATIONS } from "./operations/workers.ts";

const ALL = [
  ...FLOW_OPERATIONS,
  ...NAMESPACE_OPERATIONS,
  ...EXECUTION_OPERATIONS,
  ...MONITORING_OPERATIONS,
  ...TRIGGER_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...SERVER_OPERATIONS,
  ...WORKER_OPERATIONS,
];

/** By method and path, as `GET /flows/{namespace}`: see {@link operationKey}. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  ALL.map(([key, summary, details]) => [key, { summary, ...details }]),
);

const OF_TENANT = [`${API_PREFIX}/{tenant}`, `${API_PREFIX}/main`];

/** The key of an operation in {@link OPERATIONS}: its path is relative to the tenant, else to the API, else to the root. */
export function operationKey(method: string, template: string): string {
  const prefix = [...OF_TENANT, API_PREFIX].find((each) => template.startsWith(`${each}/`)) ?? "";
  return `${method} ${template.slice(prefix.length)}`;
}
