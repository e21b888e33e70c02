/** Reading of query parameters that many routes share. */
import type { Instant } from "../../base/clock.ts";
import { DomainError } from "../../model/errors.ts";
import { parseInstant } from "../../base/iso_8601.ts";
import { MAX_PAGE_SIZE } from "../../model/limits.ts";

/** A page of a list, from 1, and the wanted order. */
export interface Paging {
  readonly page: number;
  readonly size: number;
  readonly sort: readonly SortKey[];
}

/** One criterion of an order. */
export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
}

/** `page` (from 1), `size` (default 10) and repeated `sort=field:asc|desc`. @throws DomainError invalid_argument */
export function readPaging(query: URLSearchParams): Paging {
  return {
    page: readPositive(query, "page", 1, Number.MAX_SAFE_INTEGER),
    size: readPositive(query, "size", 10, MAX_PAGE_SIZE),
    sort: query.getAll("sort").filter((text) => text !== "").map(readSortKey),
  };
}

/** A whole number from 1, at most `max`. @throws DomainError invalid_argument */
export function readPositive(query: URLSearchParams, name: string, fallback: number, max: number): number {
  const text = query.get(name);
  if (text === null || text === "") return fallback;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return Math.min(value, max);
  throw new DomainError(
    "invalid_argument",
    `Illegal argument: "${name}" must be a whole number from 1, but received "${text}"`,
  );
}

function readSortKey(text: string): SortKey {
  const parts = text.split(":");
  if (parts.length !== 2 || parts[0] === "") {
    throw new DomainError(
      "invalid_argument",
      `Invalid sort parameter: "${text}" must be of the form "field:asc" or "field:desc"`,
    );
  }
  return { field: parts[0] as string, descending: parts[1] !== "asc" };
}

/** As {@link parseInstant}, of a parameter: a `+` may have become a space on its way. */
export function parseQueryInstant(text: string): Instant | undefined {
  return parseInstant(text.trim().replace(/ (\d{2}:?\d{2})$/, "+$1"));
}

/** `true` or `false`, any case; `fallback` when absent or empty. @throws DomainError bad_request */
export function readBoolean(query: URLSearchParams, name: string, fallback: boolean): boolean {
  const text = query.get(name)?.toLowerCase();
  if (text === undefined || text === "") return fallback;
  if (text === "true" || text === "false") return text === "true";
  throw new DomainError(
    "bad_request",
    `Bad Request: "${name}" must be "true" or "false", but received "${text}"`,
  );
}

/** The value of a parameter that must be there. @throws DomainError bad_request */
export function readRequired(query: URLSearchParams, name: string): string {
  const text = query.get(name);
  if (text !== null && text !== "") return text;
  throw new DomainError("bad_request", `Bad Request: query parameter "${name}" is missing`);
}
