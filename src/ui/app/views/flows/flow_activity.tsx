/** How often each flow of a list ran in the last 24 hours. */
import type { State } from "../../../../model/executions/state.ts";
import { send } from "../../api/client.ts";
import type { LatestExecution } from "../../api/flow_entities.ts";
import { useResource } from "../../core/resource.ts";
import { type Tone, toneOf } from "../../kit/state_badge.tsx";
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

/** From the bottom of a bar to its top. */
const TONES: readonly Tone[] = ["bad", "warn", "held", "busy", "idle", "good"];

interface Part {
  readonly tone: Tone;
  /** Above 0. */
  readonly count: number;
}

/** The executions of an hour by the severity of their states, the most severe first. */
export function partsOf({ executionCounts }: HourCounts): Part[] {
  const counts = Object.entries(executionCounts) as [State, number][];
  return TONES.map((tone) => ({
    tone,
    count: counts.reduce((sum, [state, each]) => toneOf(state) === tone ? sum + each : sum, 0),
  })).filter(({ count }) => count > 0);
}

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

/** A bar an hour, in the colours of the states; failures are its lower part. */
export function Sparkline({ hours = [] }: { readonly hours?: readonly HourCounts[] }) {
  const bars = hours.map(partsOf);
  const parts = bars.flat();
  const count = sumOf(parts);
  if (count === 0) return <span class="dim">–</span>;
  const failed = sumOf(parts.filter(({ tone }) => tone === "bad"));
  const scale = HEIGHT / Math.max(...bars.map(sumOf));
  return (
    <svg
      class="spark"
      role="img"
      aria-label={t("flows.activityText", { count, failed })}
      viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
    >
      <title>{t("flows.activityText", { count, failed })}</title>
      {bars.map((bar, hour) => <Bar key={hour} parts={bar} x={hour * STEP} scale={scale} />)}
    </svg>
  );
}

function Bar(
  { parts, x, scale }: { readonly parts: readonly Part[]; readonly x: number; readonly scale: number },
) {
  let y = HEIGHT;
  return (
    <g>
      {parts.map(({ tone, count }) => {
        y -= count * scale;
        return <rect key={tone} class={tone} x={x} y={y} width={STEP - 1} height={count * scale} />;
      })}
    </g>
  );
}
