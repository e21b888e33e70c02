/** The form of durations that a request asks for: `Accept: application/json;durations=iso`. */
import { DURATION_FORMS, type DurationForm } from "../../base/time/duration.ts";

const PARAMETER = /;\s*durations\s*=\s*"?(\w+)"?/i;

/** The form; `undefined` if the request names none, or one that does not exist. */
export function acceptedDurations(headers: Headers): DurationForm | undefined {
  const accept = headers.get("accept");
  if (accept === null) return undefined;
  const asked = PARAMETER.exec(accept)?.[1]?.toLowerCase();
  return DURATION_FORMS.find((form) => form === asked);
}
