/** States as icon, text and colour; readable without any one of them. */
import type { State } from "../../../model/executions/state.ts";

/** The severity of a state; a class of the style sheet. */
export type Tone = "idle" | "busy" | "good" | "warn" | "bad" | "held";

interface Look {
  readonly tone: Tone;
  /** Lines within a field of 16 × 16. */
  readonly lines: string;
  /** A circle around them. */
  readonly ring?: "whole" | "dashed";
  /** It turns, unless the person prefers less motion. */
  readonly turns?: boolean;
}

const AGAIN = "M13.2 9.3A5.5 5.5 0 1 1 13.5 8M13.8 4.2V8H10";
const SQUARE = "M6 6h4v4H6z";

const LOOKS: Readonly<Record<State, Look>> = {
  CREATED: { tone: "idle", lines: "", ring: "dashed" },
  SUBMITTED: { tone: "idle", lines: "M8 5v6M5.5 7.5 8 5l2.5 2.5", ring: "whole" },
  QUEUED: { tone: "idle", lines: "M8 4.5V8l2.5 1.5", ring: "whole" },
  RUNNING: { tone: "busy", lines: "M8 1.75A6.25 6.25 0 1 1 1.75 8", turns: true },
  RESTARTED: { tone: "busy", lines: AGAIN },
  RETRYING: { tone: "busy", lines: AGAIN },
  SUCCESS: { tone: "good", lines: "m5.2 8.2 2 2 3.8-4.2", ring: "whole" },
  WARNING: { tone: "warn", lines: "M8 2 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1" },
  RETRIED: { tone: "warn", lines: AGAIN },
  RESUBMITTED: { tone: "warn", lines: AGAIN },
  FAILED: { tone: "bad", lines: "m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4", ring: "whole" },
  KILLING: { tone: "bad", lines: SQUARE, ring: "dashed" },
  KILLED: { tone: "bad", lines: SQUARE, ring: "whole" },
  CANCELLED: { tone: "held", lines: "m3.8 3.8 8.4 8.4", ring: "whole" },
  PAUSED: { tone: "held", lines: "M6.4 5.8v4.4M9.6 5.8v4.4", ring: "whole" },
  BREAKPOINT: { tone: "held", lines: "M10 8a2 2 0 1 1-4 0 2 2 0 0 1 4 0", ring: "whole" },
  SKIPPED: { tone: "held", lines: "m3 4.5 4 3.5-4 3.5m5-7 4 3.5-4 3.5M14 4.5v7" },
};

/** The tone of a state. */
export function toneOf(state: State): Tone {
  return LOOKS[state].tone;
}

/** A state with its icon. */
export function StateBadge({ state }: { readonly state: State }) {
  const { tone, lines, ring, turns } = LOOKS[state];
  return (
    <span class={`state ${tone}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {ring && (
          <circle cx="8" cy="8" r="6.25" stroke-dasharray={ring === "dashed" ? "2.4 2.5" : undefined} />
        )}
        <path class={turns ? "spin" : undefined} d={lines} />
      </svg>
      {state}
    </span>
  );
}
