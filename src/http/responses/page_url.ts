/** Links to the pages of executions, for responses. */
import type { Context } from "hono";
import type { Execution } from "../../model/executions/execution.ts";
import { executionPath } from "../../ui/execution_page.ts";
import type { AppEnv } from "../forms/env.ts";

/** Address of the server for the caller, without a trailing slash. */
export type BaseUrlOf = (c: Context<AppEnv>) => string;

/** The configured address, else the origin of the request, whose host the guard has checked. */
export function baseUrlFrom(configured: string | undefined): BaseUrlOf {
  const fixed = configured?.replace(/\/+$/, "");
  return fixed === undefined ? (c) => originOf(c.req.raw.url) : () => fixed;
}

/** Link to the page of an execution. */
export function pageUrl(baseUrl: string, { tenant, namespace, flowId, id }: Execution): string {
  return baseUrl + executionPath(tenant, { namespace, id: flowId }, id);
}

function originOf(url: string): string {
  const slash = url.indexOf("/", url.indexOf("://") + 3);
  return slash === -1 ? url : url.slice(0, slash);
}
