/** Says in the audit log what a request changed by a list or a filter. */
import type { Context } from "hono";
import type { AppEnv } from "../env.ts";

/** Ids that are named; a record has room for some ten. */
const NAMED_IDS = 20;

/** Notes how many things a request changed, and the first of those that it named or found. */
export function noteChanges(c: Context<AppEnv>, count: number, ids: readonly string[] = []): void {
  const named = ids.slice(0, NAMED_IDS).join(" ");
  c.set("auditedIds", [["count", String(count)], ...named === "" ? [] : [["ids", named] as const]]);
}
