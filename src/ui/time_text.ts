/** Times and durations for people. */
import { type Instant, toIso } from "../base/clock.ts";
import { type Html, markup } from "./markup.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A duration in its two largest units: `12 ms`, `1.24 s`, `2 min 03 s`, `1 h 02 min`, `3 d 04 h`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 10) / 100).toFixed(2)} s`;
  if (ms < MINUTE_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < HOUR_MS) return twoUnits(ms, [MINUTE_MS, "min"], [1000, "s"]);
  if (ms < DAY_MS) return twoUnits(ms, [HOUR_MS, "h"], [MINUTE_MS, "min"]);
  return twoUnits(ms, [DAY_MS, "d"], [HOUR_MS, "h"]);
}

type Unit = readonly [ms: number, name: string];

function twoUnits(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor(ms % large / small);
  return `${Math.floor(ms / large)} ${largeName} ${String(rest).padStart(2, "0")} ${smallName}`;
}

/** Date and time in UTC, with a machine-readable attribute. */
export function dateTimeTag(at: Instant): Html {
  const iso = toIso(at);
  return markup`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)}<small>${
    iso.slice(19, 23)
  } UTC</small></time>`;
}

/** Time of the day in UTC, with milliseconds. */
export function timeTag(at: Instant): Html {
  const iso = toIso(at);
  return markup`<time datetime="${iso}" title="${iso}">${iso.slice(11, 23)}</time>`;
}
