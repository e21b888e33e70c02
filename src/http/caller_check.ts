/** Looks again whether the sender of a request may do what it was admitted for. */
import type { Context } from "hono";
import { DomainError } from "../model/errors.ts";
import type { AppEnv } from "./env.ts";

/**
 * To be called after a wait that the caller can prolong: who expects to lose rights could begin requests before.
 * @throws DomainError unauthorized: the user or token of the caller was changed or removed since the request began
 */
export function checkCaller(c: Pick<Context<AppEnv>, "get">): void {
  if (!c.get("visit")?.caller?.isOver) return;
  throw new DomainError("unauthorized", "Unauthorized: the caller has changed since the request began");
}
