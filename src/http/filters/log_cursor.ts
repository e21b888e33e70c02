/** The text that stands for a place in a search of log lines, so that the next page can begin there. */
import type { LogPlace } from "../../model/executions/log_query.ts";
import { badRequest } from "../forms/refusals.ts";

/** Clients hand it back as it is. */
export function cursorText({ key, executionId, number }: LogPlace): string {
  return `${key}-${number}-${executionId}`;
}

/** `cursor` of the answer before, with the same filters and order; `undefined` when there is none. @throws DomainError bad_request */
export function readCursor(query: URLSearchParams): LogPlace | undefined {
  const text = query.get("cursor");
  if (text === null || text === "") return undefined;
  const [, key, number, executionId = ""] = /^(\d{1,15})-(\d{1,9})-([0-9A-Za-z]{0,64}|~)$/.exec(text) ?? [];
  if (key !== undefined) return { key: Number(key), number: Number(number), executionId };
  throw badRequest(`"cursor" must be the one of the answer before, but received "${text.slice(0, 100)}"`);
}
