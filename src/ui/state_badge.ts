/** States as icon, text and colour; readable without any one of them. */
import type { State } from "../model/executions/state.ts";
import { type Html, markup } from "./markup.ts";

/** The severity of a state; a class of the style sheet. */
type Tone = "idle" | "busy" | "good" | "warn" | "bad" | "held";

const RING = markup`<circle cx="8" cy="8" r="6.25"/>`;
const AGAIN = markup`<path d="M13.2 9.3A5.5 5.5 0 1 1 13.5 8M13.8 4.2V8H10"/>`;
const STOP = markup`${RING}<path d="M6 6h4v4H6z"/>`;

/** Tone and icon, on a field of 16 × 16. */
const LOOKS: Readonly<Record<State, readonly [tone: Tone, icon: Html]>> = {
  CREATED: ["idle", markup`<circle cx="8" cy="8" r="6.25" stroke-dasharray="2.4 2.5"/>`],
  SUBMITTED: ["idle", markup`${RING}<path d="M8 5v6M5.5 7.5 8 5l2.5 2.5"/>`],
  QUEUED: ["idle", markup`${RING}<path d="M8 4.5V8l2.5 1.5"/>`],
  RUNNING: ["busy", markup`<path class="spin" d="M8 1.75A6.25 6.25 0 1 1 1.75 8"/>`],
  RESTARTED: ["busy", AGAIN],
  RETRYING: ["busy", AGAIN],
  SUCCESS: ["good", markup`${RING}<path d="m5.2 8.2 2 2 3.8-4.2"/>`],
  WARNING: ["warn", markup`<path d="M8 2 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1"/>`],
  RETRIED: ["warn", AGAIN],
  RESUBMITTED: ["warn", AGAIN],
  FAILED: ["bad", markup`${RING}<path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4"/>`],
  KILLING: [
    "bad",
    markup`<circle cx="8" cy="8" r="6.25" stroke-dasharray="2.4 2.5"/><path d="M6 6h4v4H6z"/>`,
  ],
  KILLED: ["bad", STOP],
  CANCELLED: ["held", markup`${RING}<path d="m3.8 3.8 8.4 8.4"/>`],
  PAUSED: ["held", markup`${RING}<path d="M6.4 5.8v4.4M9.6 5.8v4.4"/>`],
  BREAKPOINT: ["held", markup`${RING}<circle cx="8" cy="8" r="2"/>`],
  SKIPPED: ["held", markup`<path d="m3 4.5 4 3.5-4 3.5m5-7 4 3.5-4 3.5M14 4.5v7"/>`],
};

/** The tone of a state. */
export function toneOf(state: State): Tone {
  return LOOKS[state][0];
}

/** A state with its icon. */
export function stateBadge(state: State): Html {
  const [tone, icon] = LOOKS[state];
  return markup`<span class="state ${tone}"><svg viewBox="0 0 16 16" aria-hidden="true">${icon}</svg>${state}</span>`;
}
