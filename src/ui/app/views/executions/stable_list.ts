/**
 * A page of executions that does not move while a person reads it: sorted by the newest, executions that start later are
 * counted and not shown, until the person wants to see them.
 */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
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
  const load = async (signal: AbortSignal): Promise<ExecutionPage> => {
    const newest = boundOf();
    const shown = newest === undefined ? filters : { ...filters, [NOT_LATER]: newest };
    const [found, later] = await Promise.all([
      get<Page<ExecutionRow>>("/executions/search", { ...shown, page, size, sort }, signal),
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
  const showNew = async () => {
    bound.value = undefined;
    await list.reload();
  };
  return { ...list, data: list.error ? list.data : last.current, showNew };
}

async function countLater(filters: Query, newest: string, signal: AbortSignal): Promise<number> {
  const query = { ...filters, [LATER]: newest, size: 1 };
  return (await get<Page<ExecutionRow>>("/executions/search", query, signal)).total;
}
