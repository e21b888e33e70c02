/** A small bar that shows when an execution ran, among those of its page. */
import type { State } from "../../../../model/executions/state.ts";
import type { StateInfo } from "../../api/entities.ts";
import { durationText, now } from "../../core/time.ts";
import { toneOf } from "../../kit/state_badge.tsx";

/** A span of time, in milliseconds. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

interface Segment extends TimeSpan {
  readonly state: State;
}

const WAITING: readonly State[] = ["CREATED", "QUEUED", "PAUSED", "BREAKPOINT"];

/** The span that covers all executions; those that have not ended last until `nowMs`. */
export function spanOf(states: readonly StateInfo[], nowMs: number): TimeSpan {
  const starts = states.map(({ startDate }) => Date.parse(startDate));
  const ends = states.map(({ endDate }) => endDate === undefined ? nowMs : Date.parse(endDate));
  return { from: Math.min(...starts), to: Math.max(...ends) };
}

/** How long an execution was in each of its states, in their order; one that took no time is an instant in its last one. */
export function segmentsOf({ current, histories, startDate, endDate }: StateInfo, nowMs: number): Segment[] {
  const end = endDate === undefined ? nowMs : Date.parse(endDate);
  const segments = histories.flatMap(({ state, date }, index) => {
    const from = Date.parse(date);
    const next = histories[index + 1]?.date;
    const to = next === undefined ? end : Date.parse(next);
    return to > from ? [{ state, from, to }] : [];
  });
  const start = Date.parse(startDate);
  return segments.length > 0 ? segments : [{ state: current, from: start, to: start }];
}

/** The bar. Start and duration are in other columns, so that screen readers skip it. */
export function MiniGantt({ state, span }: { readonly state: StateInfo; readonly span: TimeSpan }) {
  const segments = segmentsOf(state, state.endDate === undefined ? now.value : 0);
  const width = Math.max(1, span.to - span.from);
  const shareOf = (ms: number) => `${Math.min(100, Math.max(0, 100 * ms / width))}%`;
  // The shortest bars have 2 px: at the end of the span they would be outside.
  const leftOf = (ms: number) => `min(${shareOf(ms - span.from)}, 100% - 2px)`;
  const title = segments.map((each) => `${each.state} ${durationText((each.to - each.from) / 1_000)}`);
  return (
    <span class="mini-gantt" aria-hidden="true" title={title.join(", ")}>
      {segments.map(({ state: each, from, to }) => (
        <span
          key={from}
          class={`${toneOf(each === "RUNNING" ? state.current : each)} ${
            WAITING.includes(each) ? "waits" : ""
          }`}
          style={{ left: leftOf(from), width: shareOf(to - from) }}
        />
      ))}
    </span>
  );
}
