/**
 * Secrets from environment variables: `SECRET_NAME` contains base64 and is secret `NAME` of every namespace of the tenant
 * `main`, and of tenants that the operator names: a tenant must not read what belongs to the operator.
 */
import type { Logger } from "../../base/log.ts";
import { publicTenantId } from "../../model/access/tenant.ts";
import { MAIN_TENANT, type TenantId } from "../../model/flows/flow.ts";

/** Prefix of the variables. */
export const SECRET_VARIABLE_PREFIX = "SECRET_";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The secrets that a tenant has from the environment, by name. */
export type EnvironmentOf = (tenant: TenantId) => ReadonlyMap<string, string>;

const NONE: ReadonlyMap<string, string> = new Map();

/** The secrets of `main` and of those tenants. */
export function environmentFor(
  tenants: readonly string[],
  secrets: ReadonlyMap<string, string>,
): EnvironmentOf {
  const named = new Set([MAIN_TENANT, ...tenants]);
  return (tenant) => named.has(publicTenantId(tenant)) ? secrets : NONE;
}

/** Secrets by name. A value that is not base64 of UTF-8 is skipped with a warning that names only the variable. */
export function readEnvironmentSecrets(
  variables: ReadonlyMap<string, string>,
  logger: Logger,
): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const [variable, encoded] of variables) {
    if (!variable.startsWith(SECRET_VARIABLE_PREFIX) || variable === SECRET_VARIABLE_PREFIX) continue;
    const value = decode(encoded);
    if (value === undefined) {
      logger.warn("Skipped a secret of the environment: it is not base64 of UTF-8", { variable });
    } else secrets.set(variable.slice(SECRET_VARIABLE_PREFIX.length), value);
  }
  return secrets;
}

function decode(encoded: string): string | undefined {
  // Encoders may wrap the text at 64 or 76 characters.
  const text = encoded.replace(/\s/g, "");
  if (!BASE64.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const decoded = new TextDecoder().decode(bytes);
  return decoded.includes("\ufffd") ? undefined : decoded;
}
