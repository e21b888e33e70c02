/**
 * A page of executions that does not move while a person reads it: sorted by the newest, executions that start later are
 * counted and not shown, until the person wants to see them.
 */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { get, type Page, type Query } from "../../api/client.ts";
import type { ExecutionRow } from "../../api/entities.ts";
import { type Resource, useResource } from "../../core/resource.ts";
import { STARTED_BEFORE } from "./execution_filters.ts";

/** Sorts by the newest. */
export const NEWEST = "state.startDate:desc";
const REFRESH_MS = 5_000;
const NOT_LATER = "filters[startDate][LESS_THAN_OR_EQUAL_TO]";
const LATER = "filters[startDate][GREATER_THAN]";

/** What is shown. */
export interface ExecutionPage extends Page<ExecutionRow> {
  /** Number of matching executions that started after the newest shown one. */
  readonly newCount: number;
  /** The filters with the bound that keeps newer executions out: what the person sees. */
  readonly filters: Query;
}

interface ListQuery {
  readonly filters: Query;
  readonly page: number;
  readonly size: number;
  readonly sort: string;
}

interface StableList extends Resource<ExecutionPage> {
  /** Shows the new ones, too. */
  readonly showNew: () => Promise<void>;
}

/** Loads a page of the list. While another page is loaded, the last one stays. */
export function useExecutionPage({ filters, page, size, sort }: ListQuery): StableList {
  const listKey = JSON.stringify([filters, sort]);
  const bound = useSignal<{ readonly key: string; readonly newest: string } | undefined>(undefined);
  const boundOf = () => bound.peek()?.key === listKey ? bound.peek()?.newest : undefined;
  const next = useRef<NextPage | undefined>(undefined);
  const load = async (signal: AbortSignal): Promise<ExecutionPage> => {
    const newest = boundOf();
    const shown = newest === undefined ? filters : { ...filters, [NOT_LATER]: newest };
    const [found, later] = await Promise.all([
      takeNext(next, { ...shown, page, size, sort }) ?? search({ ...shown, page, size, sort }, signal),
      newest === undefined ? undefined : countLater(filters, newest, signal),
    ]);
    const first = found.results[0]?.state.startDate;
    const canBind = sort === NEWEST && page === 1 && filters[STARTED_BEFORE] === undefined;
    if (newest !== undefined || !canBind || !first) return { ...found, newCount: later ?? 0, filters: shown };
    bound.value = { key: listKey, newest: first };
    return { ...found, newCount: 0, filters: { ...filters, [NOT_LATER]: first } };
  };
  const list = useResource(JSON.stringify([listKey, page]), load, { refreshMs: REFRESH_MS });
  const last = useRef<ExecutionPage>(undefined);
  if (list.data) last.current = list.data;
  const hasNext = list.data !== undefined && page * size < list.data.total;
  useEffect(() => {
    if (hasNext) prefetch(next, { ...last.current?.filters, page: page + 1, size, sort });
  }, [listKey, page, hasNext]);
  const showNew = async () => {
    bound.value = undefined;
    await list.reload();
  };
  return { ...list, data: list.error ? list.data : last.current, showNew };
}

/** The page after the one that is shown, loaded before a person asks for it. */
interface NextPage {
  readonly key: string;
  readonly found: Promise<Page<ExecutionRow> | undefined>;
}

interface NextRef {
  current: NextPage | undefined;
}

function prefetch(next: NextRef, query: Query): void {
  next.current = { key: JSON.stringify(query), found: search(query).catch(() => undefined) };
}

/** The loaded page if it is the wanted one. It is used once, since it grows old. */
function takeNext(
  next: NextRef,
  query: Query,
): Promise<Page<ExecutionRow>> | undefined {
  const taken = next.current;
  if (taken?.key !== JSON.stringify(query)) return undefined;
  next.current = undefined;
  return taken.found.then((found) => found ?? search(query));
}

function search(query: Query, signal?: AbortSignal): Promise<Page<ExecutionRow>> {
  return get<Page<ExecutionRow>>("/executions/search", query, signal);
}

async function countLater(filters: Query, newest: string, signal: AbortSignal): Promise<number> {
  const query = { ...filters, [LATER]: newest, size: 1 };
  return (await get<Page<ExecutionRow>>("/executions/search", query, signal)).total;
}
