/** `core.trigger.Schedule`: starts an execution at times that a cron expression gives. */
import { ownProperty } from "../base/json.ts";
import { isFlagSet } from "../base/text/truthy_text.ts";
import type { PropertySchemas } from "../model/flows/schema.ts";
import type { ScheduleTriggerType } from "../model/triggers/trigger_catalog.ts";
import { sharedFireTimes } from "./cron/shared_times.ts";
import { RECOVER_MISSED, SCHEDULE_OUTPUTS, TIME_ZONE } from "./shared_properties.ts";

const BACKFILL: PropertySchemas = Object.freeze({
  start: { type: "dateTime", description: "First time to make up for." },
  end: { type: "dateTime", description: "Last time to make up for; now without it, or if it is later." },
  currentDate: { type: "dateTime", description: "Next time to make up for; the server moves it." },
  previousNextExecutionDate: {
    type: "dateTime",
    description: "Next time of the schedule after the backfill.",
  },
  paused: { type: "boolean", default: false, description: "Whether the backfill is paused." },
  inputs: { type: "map", description: "Inputs of the executions." },
  labels: { type: "map", orList: true, description: "Labels of the executions." },
});

/** Sets `trigger.date`, `trigger.next` and `trigger.previous`. */
export const scheduleTrigger: ScheduleTriggerType = {
  form: "schedule",
  type: "core.trigger.Schedule",
  aliases: ["core.models.triggers.types.Schedule"],
  description: "Starts executions at the times that a cron expression gives.",
  properties: {
    cron: {
      type: "string",
      required: true,
      description:
        "Five fields (minute, hour, day, month, day of the week), six with `withSeconds`, or a name such as `@daily`; day `L` is the last one of a month.",
    },
    withSeconds: {
      type: "boolean",
      default: false,
      description: "Whether the cron expression begins with a field for seconds.",
    },
    timezone: TIME_ZONE,
    lateMaximumDelay: {
      type: "duration",
      sign: "positive",
      description: "Times that are later than this start no execution.",
    },
    recoverMissedSchedules: RECOVER_MISSED,
    backfill: { type: "object", properties: BACKFILL, description: "Past times to make up for." },
    scheduleConditions: {
      type: "conditions",
      deprecated: "use `conditions`",
      description: "Conditions that must all hold for a time.",
    },
  },
  outputs: SCHEDULE_OUTPUTS,
  times(properties, timeZone) {
    const withSeconds = isFlagSet(ownProperty(properties, "withSeconds"));
    const zone = String(ownProperty(properties, "timezone") ?? timeZone);
    return sharedFireTimes(String(ownProperty(properties, "cron") ?? ""), withSeconds, zone);
  },
};
