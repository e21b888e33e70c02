/** The time range of a dashboard. It is in the address, so that what is seen can be shared. */
import { query } from "../../core/router.ts";
import { t, type TextName } from "../../texts/mod.ts";

/** Time ranges that a person can choose, as the API names them. */
export const RANGES = ["PT1H", "PT24H", "P7D", "P30D"] as const;
/** One of {@link RANGES}. */
export type Range = typeof RANGES[number];

const TITLES: Readonly<Record<Range, TextName>> = {
  PT1H: "range.hour",
  PT24H: "range.day",
  P7D: "range.week",
  P30D: "range.month",
};

interface RangeChoiceProps {
  readonly present: string;
  readonly ranges: readonly string[];
  /** The range of an address without one. */
  readonly fallback: string;
}

/** Links to the same page with another range. */
export function RangeChoice({ present, ranges, fallback }: RangeChoiceProps) {
  const hrefOf = (range: string) => {
    // Also parameters without a value stay: `create` says that the page is the editor.
    const parameters = new URLSearchParams(query.value);
    parameters.delete("timeRange");
    if (range !== fallback) parameters.append("timeRange", range);
    return parameters.size === 0 ? location.pathname : `${location.pathname}?${parameters}`;
  };
  return (
    <nav class="segments" aria-label={t("dashboard.range")}>
      {ranges.map((range) => (
        <a key={range} href={hrefOf(range)} aria-current={range === present ? "true" : undefined}>
          {titleOf(range)}
        </a>
      ))}
    </nav>
  );
}

function titleOf(range: string): string {
  const known = RANGES.find((each) => each === range);
  return known ? t(TITLES[known]) : t("dashboards.lastRange", { range });
}
