/** Tenants: what their ids may be. */
import { DomainError } from "../errors.ts";
import type { TenantId } from "../flows/flow.ts";

/** A tenant as stored and answered. */
export interface Tenant {
  readonly id: TenantId;
  readonly name: string;
}

/** First path segments of the API; none can be a tenant, so that a path without tenant has one reading. */
const RESOURCE_NAMES = [
  "acls",
  "apps",
  "assets",
  "auditlogs",
  "auths",
  "banners",
  "basicAuth",
  "basicAuthValidationErrors",
  "bindings",
  "blueprints",
  "cluster",
  "concurrency-limit",
  "configs",
  "dashboards",
  "dependencies",
  "events",
  "executions",
  "expressions",
  "files",
  "flows",
  "groups",
  "health",
  "instance",
  "invitations",
  "kv",
  "license-info",
  "login",
  "logout",
  "logs",
  "main",
  "mcp",
  "me",
  "metrics",
  "namespaces",
  "openapi",
  "outputs",
  "pebble",
  "ping",
  "plugins",
  "roles",
  "search",
  "secrets",
  "service-accounts",
  "services",
  "settings",
  "setup",
  "stats",
  "support",
  "taskruns",
  "templates",
  "tenants",
  "tests",
  "tokens",
  "triggers",
  "ui",
  "usages",
  "users",
  "webhook",
  "webhooks",
  "worker-groups",
  "worker-selectors",
] as const;

/** First parts of the keys that belong to no tenant (`store/keys.ts`); a tenant of that name would share them. */
const KEY_SPACES = [
  "beat",
  "bi",
  "chain",
  "fi",
  "g",
  "inbox",
  "meta",
  "ob",
  "oe",
  "td",
  "xd",
  "tenant",
  "tm",
  "token",
  "user",
  "wake",
] as const;

/** Ids that no tenant can be given. */
export const RESERVED_TENANT_IDS: ReadonlySet<string> = new Set([...RESOURCE_NAMES, ...KEY_SPACES]);

/** Characters of a tenant's id and of its name. */
const MAX_TENANT_ID_LENGTH = 63;
const MAX_TENANT_NAME_LENGTH = 250;

const TENANT_ID = /^[a-z0-9][a-z0-9_-]*$/;

/** Checks the id and name of a tenant to be created. @throws DomainError invalid_entity */
export function checkTenant({ id, name }: Tenant): void {
  const reason = tenantProblem(id, name);
  if (reason) throw new DomainError("invalid_entity", `Invalid entity: ${reason}`);
}

function tenantProblem(id: string, name: string): string | undefined {
  if (!TENANT_ID.test(id) || id.length > MAX_TENANT_ID_LENGTH) {
    return `id: "${
      id.slice(0, 80)
    }" must be 1 to ${MAX_TENANT_ID_LENGTH} lower-case letters, digits, "-" or "_", ` +
      "the first a letter or digit";
  }
  if (RESERVED_TENANT_IDS.has(id)) {
    return `id: "${id}" is a name of the API and cannot be a tenant; choose another`;
  }
  if (name === "" || name.length > MAX_TENANT_NAME_LENGTH) {
    return `name: must have 1 to ${MAX_TENANT_NAME_LENGTH} characters`;
  }
  return undefined;
}
