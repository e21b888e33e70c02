/** Every operation that is described, by method and path. */
import { API_PREFIX } from "../pipeline/canonical_path.ts";
import type { Operation } from "./operation.ts";
import { EXECUTION_OPERATIONS, RECORD_OPERATIONS } from "./operations/executions.ts";
import { FLOW_OPERATIONS, NAMESPACE_OPERATIONS } from "./operations/flows.ts";
import {
  ACCESS_OPERATIONS,
  DASHBOARD_OPERATIONS,
  PLUGIN_OPERATIONS,
  SERVER_OPERATIONS,
} from "./operations/server.ts";
import { TRIGGER_OPERATIONS } from "./operations/triggers.ts";

/** By method and path, as `GET /flows/{namespace}`: see {@link operationKey}. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ...FLOW_OPERATIONS,
  ...NAMESPACE_OPERATIONS,
  ...EXECUTION_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...TRIGGER_OPERATIONS,
  ...PLUGIN_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...DASHBOARD_OPERATIONS,
  ...SERVER_OPERATIONS,
]);

const OF_TENANT = [`${API_PREFIX}/{tenant}`, `${API_PREFIX}/main`];

/** What {@link OPERATIONS} knows a template of a path by: relative to its tenant, else to the API, else to the root. */
export function operationKey(method: string, template: string): string {
  const prefix = [...OF_TENANT, API_PREFIX].find((each) => template.startsWith(`${each}/`)) ?? "";
  return `${method} ${template.slice(prefix.length)}`;
}
