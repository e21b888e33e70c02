/** Tenants and the rules of their ids. */
import { DomainError } from "../errors.ts";
import type { TenantId } from "../flows/flow.ts";

/** A tenant as returned; stored with its internal id. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
}

/** First path segments of the API. No tenant may have such an id, so that a path without tenant is unambiguous. */
const RESOURCE_NAMES = [
  "acls",
  "ai",
  "apps",
  "assets",
  "auditlogs",
  "auths",
  "backups",
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
  "worker",
  "worker-groups",
  "worker-selectors",
  "workers",
] as const;

/** First key parts of records that belong to no tenant (`store/keys.ts`); a tenant with such an id would share these keys. */
const KEY_SPACES = [
  "audit",
  "beat",
  "bi",
  "chain",
  "fi",
  "g",
  "inbox",
  "lease",
  "mb",
  "meta",
  "mr",
  "ob",
  "oe",
  "td",
  "xd",
  "tenant",
  "tm",
  "token",
  "user",
  "wa",
  "wake",
] as const;

/** Ids that no tenant may have. */
export const RESERVED_TENANT_IDS: ReadonlySet<string> = new Set([...RESOURCE_NAMES, ...KEY_SPACES]);

/** Maximum lengths in characters. */
const MAX_TENANT_ID_LENGTH = 63;
const MAX_TENANT_NAME_LENGTH = 250;

const TENANT_ID = /^[a-z0-9][a-z0-9_-]*$/;

/** Precedes the generation in the internal id of a tenant; no id that a caller chooses contains it. */
const GENERATION_MARK = "~";

/**
 * The internal id of a tenant, with which its keys begin. Tenants of later generations never share an internal id with a
 * removed one: what still works for the removed tenant cannot reach one of the same id that was created after it.
 */
export function internalTenantId(id: string, generation: number): TenantId {
  return generation === 0 ? id : `${id}${GENERATION_MARK}${generation}`;
}

/** The id that callers use, from the internal one. */
export function publicTenantId(tenant: TenantId): string {
  const mark = tenant.indexOf(GENERATION_MARK);
  return mark === -1 ? tenant : tenant.slice(0, mark);
}

/** The generation in an internal id. */
export function generationOf(tenant: TenantId): number {
  return Number(tenant.slice(publicTenantId(tenant).length + 1));
}

/** Validates a new tenant. @throws DomainError invalid_entity */
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
