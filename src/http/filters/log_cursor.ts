/** The cursor of a log search: a place from which the next page continues. */
import type { LogPlace } from "../../model/executions/log_query.ts";
import { badRequest } from "../refusals.ts";

/** The cursor as text, opaque to clients. */
export function cursorText({ key, executionId, number }: LogPlace): string {
  return `${key}-${number}-${executionId}`;
}

/** The `cursor` of the previous response, for the same filters and order; `undefined` when absent. @throws DomainError bad_request */
export function readCursor(query: URLSearchParams): LogPlace | undefined {
  const text = query.get("cursor");
  if (text === null || text === "") return undefined;
  const [, key, number, executionId = ""] = /^(\d{1,15})-(\d{1,9})-([0-9A-Za-z]{0,64}|~)$/.exec(text) ?? [];
  if (key !== undefined) return { key: Number(key), number: Number(number), executionId };
  throw badRequest(`"cursor" must be the one of the previous response, but received "${text.slice(0, 100)}"`);
}
