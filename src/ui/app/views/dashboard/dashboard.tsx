/** `/`: how the executions do, what fails, what comes next. */
import type { ComponentChildren } from "preact";
import { urlQuery } from "../../api/client.ts";
import { May } from "../../core/access.ts";
import { countText } from "../../core/numbers.ts";
import { pagePath } from "../../core/places.ts";
import { query } from "../../core/router.ts";
import { useResource } from "../../core/resource.ts";
import { durationText } from "../../core/time.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { Card, FailingFlows, NextSchedules, REFRESH_MS, ServerCard } from "./cards.tsx";
import {
  IN_PROGRESS,
  loadParts,
  loadPercentiles,
  loadTotals,
  type Summary,
  summaryOf,
} from "./dashboard_data.ts";
import { ExecutionsChart } from "./executions_chart.tsx";
import { DashboardSwitch } from "./dashboard_switch.tsx";
import { FirstSteps } from "./first_steps.tsx";
import { type Range, RangeChoice, RANGES } from "./range_choice.tsx";

const DEFAULT_RANGE: Range = "PT24H";
/** Percentiles sort all executions of the range, so they are read less often. */
const PERCENTILES_REFRESH_MS = 60_000;

/** The view. */
export function Dashboard() {
  const range = RANGES.find((each) => each === query.value.get("timeRange")) ?? DEFAULT_RANGE;
  const totals = useResource("totals", loadTotals, { refreshMs: REFRESH_MS });
  return (
    <>
      <ViewHead title={t("nav.dashboard")}>
        {totals.data?.all !== 0 && <RangeChoice present={range} ranges={RANGES} fallback={DEFAULT_RANGE} />}
        <DashboardSwitch />
      </ViewHead>
      <Loaded resource={totals} rows={10}>
        {({ all, running }) => all === 0 ? <FirstSteps /> : <Figures range={range} running={running} />}
      </Loaded>
    </>
  );
}

function Figures({ range, running }: { readonly range: Range; readonly running: number }) {
  const parts = useResource(`parts ${range}`, (signal) => loadParts(range, signal), {
    refreshMs: REFRESH_MS,
  });
  const summary = parts.data && summaryOf(parts.data);
  return (
    <div class="dashboard">
      <Tiles range={range} running={running} summary={summary} />
      <Card title={t("dashboard.overTime")} resource={parts} kind="broad">
        {(found) => {
          const sums = summaryOf(found);
          return sums.total === 0
            ? <p class="dim">{t("dashboard.noneInRange")}</p>
            : <ExecutionsChart parts={found} summary={sums} />;
        }}
      </Card>
      <FailingFlows range={range} />
      <NextSchedules />
      <May right="server">
        <ServerCard />
      </May>
    </div>
  );
}

interface TilesProps {
  readonly range: Range;
  readonly running: number;
  readonly summary: Summary | undefined;
}

function Tiles({ range, running, summary }: TilesProps) {
  const durations = useResource(`percentiles ${range}`, (signal) => loadPercentiles(range, signal), {
    refreshMs: PERCENTILES_REFRESH_MS,
  });
  const executions = (state?: string) => pagePath("executions") + urlQuery({ state, timeRange: range });
  const seconds = (value: number | undefined) => value === undefined ? undefined : durationText(value);
  const rate = summary?.successRate;
  const rateText = rate === undefined ? undefined : `${countText(Math.floor(rate * 1_000) / 10)} %`;
  return (
    <dl class="tiles">
      <Tile name={t("dashboard.executions")} href={executions()}>{summary && countText(summary.total)}</Tile>
      <Tile
        name={t("dashboard.successRate")}
        note={summary && t("dashboard.ended", { count: countText(summary.ended) })}
      >
        {rateText}
      </Tile>
      <Tile name={t("dashboard.failed")} href={executions("FAILED")}>
        {summary && countText(summary.failed)}
      </Tile>
      <Tile name={t("dashboard.running")} href={pagePath("executions") + urlQuery({ state: IN_PROGRESS })}>
        {countText(running)}
      </Tile>
      <Tile name={t("dashboard.p50")}>{seconds(durations.data?.p50)}</Tile>
      <Tile name={t("dashboard.p95")}>{seconds(durations.data?.p95)}</Tile>
    </dl>
  );
}

function Tile({ name, href, note, children }: {
  readonly name: string;
  readonly href?: string;
  readonly note?: string;
  /** `undefined` while it is not known. */
  readonly children: ComponentChildren;
}) {
  const value = children ?? "–";
  return (
    <div class="card tile">
      <dt>{name}</dt>
      <dd class="num">{href === undefined ? value : <a href={href}>{value}</a>}</dd>
      {note !== undefined && <dd class="note dim">{note}</dd>}
    </div>
  );
}
