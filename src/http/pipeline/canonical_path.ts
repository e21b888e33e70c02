/** The canonical path of a request, which is routed: a path without a tenant gets the tenant `main`. */
import { MAIN_TENANT } from "../../model/flows/flow.ts";

/** Prefix of every API route. */
export const API_PREFIX = "/api/v1";

const PREFIX = `${API_PREFIX}/`;
const MAIN_PREFIX = `${PREFIX}${MAIN_TENANT}/`;

/** The path of a URL as sent, without query and fragment; nothing is decoded. */
export function rawPath(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start === -1) return "/";
  const query = url.indexOf("?", start);
  const fragment = url.indexOf("#", start);
  let end = query === -1 ? url.length : query;
  if (fragment !== -1 && fragment < end) end = fragment;
  return url.slice(start, end);
}

/** Inserts the tenant into a path of a tenant resource: `/api/v1/flows/x` becomes `/api/v1/main/flows/x`. */
export function canonicalPath(url: string, tenantResources: ReadonlySet<string>): string {
  const path = rawPath(url);
  if (!path.startsWith(PREFIX)) return path;
  const slash = path.indexOf("/", PREFIX.length);
  const first = slash === -1 ? path.slice(PREFIX.length) : path.slice(PREFIX.length, slash);
  return tenantResources.has(first) ? MAIN_PREFIX + path.slice(PREFIX.length) : path;
}
