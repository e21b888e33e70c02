/** When a cron expression fires, found the slow way: minute by minute, by a clock that is read from the platform. */
import type { CronExpression } from "../../../src/languages/cron/mod.ts";

const MINUTE_MS = 60_000;
const STEP_MS = 30 * MINUTE_MS;
const DAY_MS = 86_400_000;

/** A stretch of time. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** The offsets of a zone, read every half an hour. */
export class LocalClock {
  readonly #from: number;
  readonly #offsets: number[] = [];

  constructor(zone: string, from: number, until: number) {
    this.#from = from - 5 * DAY_MS;
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    for (let at = this.#from; at < until + 5 * DAY_MS; at += STEP_MS) {
      const [, sign, hours, minutes] = /GMT(?:([+-])(\d+):(\d+))?/.exec(format.format(at)) ?? [];
      const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
      this.#offsets.push((sign === "-" ? -size : size) * MINUTE_MS);
    }
  }

  /** The local time as if it were UTC. */
  localOf(at: number): number {
    return at + (this.#offsets[Math.floor((at - this.#from) / STEP_MS)] ?? 0);
  }

  /** Two days before and after each change of the offset. */
  spansAroundChanges(): Span[] {
    const spans: Span[] = [];
    for (let i = 1; i < this.#offsets.length - 200; i++) {
      if (this.#offsets[i] === this.#offsets[i - 1]) continue;
      const change = this.#from + i * STEP_MS;
      spans.push({ from: change - 2 * DAY_MS, until: change + 2 * DAY_MS });
    }
    return spans;
  }
}

/** All times after `from` and before `until`. */
export function oracleFires(cron: CronExpression, clock: LocalClock, { from, until }: Span): number[] {
  const fires: number[] = [];
  let passed = clock.localOf(from);
  for (let at = from + MINUTE_MS; at < until; at += MINUTE_MS) {
    const local = clock.localOf(at);
    if (cron.isEveryHour) {
      if (isMeant(cron, local)) fires.push(at);
      continue;
    }
    let isDue = false;
    for (let minute = passed + MINUTE_MS; minute <= local; minute += MINUTE_MS) {
      isDue ||= isMeant(cron, minute);
    }
    if (isDue) fires.push(at);
    passed = Math.max(passed, local);
  }
  return fires;
}

function isMeant(cron: CronExpression, local: number): boolean {
  const date = new Date(local);
  if (!cron.minutes.includes(date.getUTCMinutes()) || !cron.hours.includes(date.getUTCHours())) return false;
  const isOfMonth = cron.days.has(date.getUTCDate()), isOfWeek = cron.weekdays.has(date.getUTCDay());
  return cron.months.has(date.getUTCMonth() + 1) &&
    (cron.isEitherDay ? isOfMonth || isOfWeek : isOfMonth && isOfWeek);
}
