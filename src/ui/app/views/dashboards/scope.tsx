/** The time range and the namespace of a dashboard, as the address has them. */
import { parseDuration } from "../../../../base/time/duration.ts";
import { query } from "../../core/router.ts";
import { RangeChoice, RANGES } from "../dashboard/range_choice.tsx";
import type { Scope } from "./dashboard_api.ts";
import type { Dashboard } from "./definition.ts";

/** What is shown at an address. */
export function scopeOf({ range }: Dashboard, address: URLSearchParams): Scope {
  return { range: address.get("timeRange") ?? range, namespace: address.get("namespace") ?? "" };
}

/** The ranges that the dashboard allows, its own among them. */
export function ScopeRange({ dashboard }: { readonly dashboard: Dashboard }) {
  const present = scopeOf(dashboard, query.value).range;
  const lengthOf = (range: string) => parseDuration(range) ?? 0;
  const ranges = [
    ...new Set<string>([...RANGES.filter((range) => lengthOf(range) <= dashboard.maxMs), dashboard.range]),
  ];
  ranges.sort((a, b) => lengthOf(a) - lengthOf(b));
  return <RangeChoice present={present} ranges={ranges} fallback={dashboard.range} />;
}
