/** Times of log lines that may be of several days. */
import { computed } from "@preact/signals";
import { locale } from "../../core/numbers.ts";
import { preferences } from "../../core/preferences.ts";
import { clockText, now } from "../../core/time.ts";

const day = computed(() => {
  const { timeZone } = preferences.value;
  try {
    const zone = timeZone === "local" ? undefined : timeZone;
    return new Intl.DateTimeFormat(locale.value, { dateStyle: "medium", timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat(locale.value, { dateStyle: "medium" }); // A zone that this browser does not know.
  }
});
/** Lines are drawn again when it changes, not each second. */
const today = computed(() => day.value.format(now.value));

/** Time of the day with milliseconds, after the date unless that is today. */
export function lineTimeText(iso: string): string {
  const date = day.value.format(new Date(iso));
  return date === today.value ? clockText(iso) : `${date}, ${clockText(iso)}`;
}
