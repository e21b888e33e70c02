/** Reads query parameters that many routes share. */
import type { Context } from "hono";
import type { Instant } from "../../base/time/clock.ts";
import { DomainError } from "../../model/errors.ts";
import { parseInstant } from "../../base/time/iso_8601.ts";
import { MAX_PAGE_SIZE } from "../../model/limits.ts";
import type { AppEnv } from "../env.ts";
import { badRequest, invalidArgument } from "../refusals.ts";

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

/** The query of a request. */
export function queryOf(c: Context<AppEnv>): URLSearchParams {
  return new URLSearchParams(rawQuery(c.req.raw.url));
}

/**
 * The query as sent, from its question mark, without fragment; empty if the URL has no query. Read from the text: with an
 * invalid `Host` the URL cannot be parsed.
 */
export function rawQuery(url: string): string {
  const hash = url.indexOf("#");
  const whole = hash === -1 ? url : url.slice(0, hash);
  const mark = whole.indexOf("?");
  return mark === -1 ? "" : whole.slice(mark);
}

/** `page` (from 1), `size` (default 10) and repeated `sort=field:asc|desc`. @throws DomainError invalid_argument */
export function readPaging(query: URLSearchParams): Paging {
  return {
    page: readPositive(query, "page", 1, Number.MAX_SAFE_INTEGER),
    size: readPositive(query, "size", 10, MAX_PAGE_SIZE),
    sort: readSort(query),
  };
}

/** A whole number from 1, at most `max`. @throws DomainError invalid_argument */
export function readPositive(query: URLSearchParams, name: string, fallback: number, max: number): number {
  const text = query.get(name);
  if (text === null || text === "") return fallback;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return Math.min(value, max);
  throw invalidArgument(`"${name}" must be a whole number from 1, but received "${text}"`);
}

/** The first criterion of each field: further ones have no effect. */
function readSort(query: URLSearchParams): SortKey[] {
  const keys = new Map<string, SortKey>();
  for (const text of query.getAll("sort")) {
    if (text === "") continue;
    const key = readSortKey(text);
    if (!keys.has(key.field)) keys.set(key.field, key);
  }
  return [...keys.values()];
}

function readSortKey(text: string): SortKey {
  const parts = text.split(":");
  if (parts.length !== 2 || parts[0] === "") {
    throw invalidSort(`"${text}" must be of the form "field:asc" or "field:desc"`);
  }
  return { field: parts[0] as string, descending: parts[1] !== "asc" };
}

/** A field of an order. @throws DomainError invalid_argument: it is not among `known` */
export function sortFieldIn<T extends string>(field: string, known: readonly T[]): T {
  const found = known.find((name) => name === field);
  if (found !== undefined) return found;
  throw invalidSort(`"${field.slice(0, 100)}" must be one of ${known.join(", ")}`);
}

function invalidSort(reason: string): DomainError {
  return new DomainError("invalid_argument", `Invalid sort parameter: ${reason}`);
}

/** As {@link parseInstant}; an unescaped `+` arrives as a space and is restored. */
export function parseQueryInstant(text: string): Instant | undefined {
  return parseInstant(text.trim().replace(/ (\d{2}:?\d{2})$/, "+$1"));
}

/** `true` or `false`, any case; `fallback` when absent or empty. @throws DomainError bad_request */
export function readBoolean(query: URLSearchParams, name: string, fallback: boolean): boolean {
  const text = query.get(name)?.toLowerCase();
  if (text === undefined || text === "") return fallback;
  if (text === "true" || text === "false") return text === "true";
  throw badRequest(`"${name}" must be "true" or "false", but received "${text}"`);
}

/** A required parameter. @throws DomainError bad_request */
export function readRequired(query: URLSearchParams, name: string): string {
  const text = query.get(name);
  if (text !== null && text !== "") return text;
  throw badRequest(`query parameter "${name}" is missing`);
}
