/** How often each flow of a list ran in the last 24 hours. */
import type { State } from "../../../../model/executions/state.ts";
import { send } from "../../api/client.ts";
import type { LatestExecution } from "../../api/flow_entities.ts";
import { useResource } from "../../core/resource.ts";
import { toneOf } from "../../kit/state_badge.tsx";
import { t } from "../../texts/mod.ts";

/** Executions that started within an hour. */
interface HourCounts {
  readonly executionCounts: Readonly<Partial<Record<State, number>>>;
}

type Activity = ReadonlyMap<string, readonly HourCounts[]>;
/** By namespace, then by id. */
type Counted = Readonly<Record<string, Readonly<Record<string, readonly HourCounts[]>>>>;

const HOURS = 24;
const HOUR_MS = 3_600_000;
const REFRESH_MS = 60_000;
const STEP = 5;
const HEIGHT = 22;

/** The hours of flows that ran, by namespace and id. */
export function useActivity(latest: readonly LatestExecution[]): Activity {
  const from = Date.now() - HOURS * HOUR_MS;
  const flows = latest.filter(({ startDate }) => Date.parse(startDate) >= from)
    .map(({ namespace, flowId }) => ({ namespace, id: flowId }));
  const load = (signal: AbortSignal) =>
    flows.length === 0 ? Promise.resolve(new Map()) : count(flows, signal);
  const activity = useResource<Activity>(JSON.stringify(flows), load, { refreshMs: REFRESH_MS });
  return activity.data ?? new Map();
}

async function count(
  flows: readonly { readonly namespace: string; readonly id: string }[],
  signal: AbortSignal,
): Promise<Activity> {
  const now = Date.now();
  const startDate = new Date(now - (HOURS - 1) * HOUR_MS).toISOString();
  const body = { flows, startDate, endDate: new Date(now).toISOString() };
  const path = "/stats/executions/daily/group-by-flow";
  const counted = await send<Counted>("POST", path, { body, signal });
  return new Map(
    Object.entries(counted).flatMap(([namespace, byId]) =>
      Object.entries(byId).map(([id, hours]) => [`${namespace}/${id}`, hours] as const)
    ),
  );
}

/** Sums of an hour. */
export function sumsOf({ executionCounts }: HourCounts): { readonly total: number; readonly failed: number } {
  const counts = Object.entries(executionCounts) as [State, number][];
  const sum = (list: typeof counts) => list.reduce((total, [, each]) => total + each, 0);
  return { total: sum(counts), failed: sum(counts.filter(([state]) => toneOf(state) === "bad")) };
}

/** A bar an hour; failures are its lower part. */
export function Sparkline({ hours = [] }: { readonly hours?: readonly HourCounts[] }) {
  const sums = hours.map(sumsOf);
  const count = sums.reduce((total, each) => total + each.total, 0);
  if (count === 0) return <span class="dim">–</span>;
  const failed = sums.reduce((total, each) => total + each.failed, 0);
  const scale = HEIGHT / Math.max(...sums.map(({ total }) => total));
  return (
    <svg
      class="spark"
      role="img"
      aria-label={t("flows.activityText", { count, failed })}
      viewBox={`0 0 ${sums.length * STEP} ${HEIGHT}`}
    >
      <title>{t("flows.activityText", { count, failed })}</title>
      {sums.map((each, hour) => {
        const [total, bad] = [each.total * scale, each.failed * scale];
        return (
          <g key={hour}>
            <rect x={hour * STEP} y={HEIGHT - total} width={STEP - 1} height={total - bad} class="good" />
            <rect x={hour * STEP} y={HEIGHT - bad} width={STEP - 1} height={bad} class="bad" />
          </g>
        );
      })}
    </svg>
  );
}
