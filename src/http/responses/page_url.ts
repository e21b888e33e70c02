/** Links to the pages of executions, for responses. */
import type { Context } from "hono";
import { isLoopback } from "../../base/network/ip.ts";
import { publicTenantId } from "../../model/access/tenant.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { MAIN_TENANT } from "../../model/flows/flow.ts";
import { UI_PATH } from "../../ui/layout.ts";
import type { AppEnv } from "../env.ts";

/** Address of the server for the caller, without a trailing slash. Empty for relative links. */
export type BaseUrlOf = (c: Context<AppEnv>) => string;

/** The configured address, else the origin of the request. */
function baseUrlFrom(configured: string | undefined): BaseUrlOf {
  const fixed = configured?.replace(/(?<!\/)\/+$/, "");
  return fixed === undefined ? (c) => originOf(c.req.raw.url) : () => fixed;
}

/** Facts of the server for {@link linkBaseFrom}. */
interface LinkConfig {
  /** Public address, without slash at the end. */
  readonly baseUrl?: string;
  /** Listen address. */
  readonly host: string;
  readonly isProtected: boolean;
}

/**
 * The configured address, else the origin of the request. Programs store the links and send them on, and a server with a login
 * accepts any `Host`: there only loopback names and the listen address are used, and other hosts get relative links.
 */
export function linkBaseFrom({ baseUrl, host, isProtected }: LinkConfig): BaseUrlOf {
  const baseUrlOf = baseUrlFrom(baseUrl);
  if (baseUrl !== undefined || !isProtected) return baseUrlOf;
  /** The last origin with an own name; a start must not parse it again. */
  let known = "";
  return (c) => {
    const origin = baseUrlOf(c);
    if (origin === known) return origin;
    if (!hasOwnName(origin, host)) return "";
    return known = origin;
  };
}

function hasOwnName(origin: string, host: string): boolean {
  const name = origin.slice(origin.indexOf("://") + 3).replace(/:\d*$/, "").toLowerCase();
  return isLoopback(name) || name === host.toLowerCase() || name === `[${host.toLowerCase()}]`;
}

/** Link to the page of an execution; without the tenant `main`. */
export function pageUrl(baseUrl: string, { tenant, namespace, flowId, id }: Execution): string {
  const owner = tenant === MAIN_TENANT ? UI_PATH : `${UI_PATH}/${publicTenantId(tenant)}`;
  return `${baseUrl}${owner}/executions/${namespace}/${flowId}/${id}`;
}

function originOf(url: string): string {
  const slash = url.indexOf("/", url.indexOf("://") + 3);
  return slash === -1 ? url : url.slice(0, slash);
}
