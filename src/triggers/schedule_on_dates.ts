/** `core.trigger.ScheduleOnDates`: starts an execution at given times. */
import type { TriggerType } from "../model/trigger_catalog.ts";
import { RECOVER_MISSED, SCHEDULE_OUTPUTS, TIME_ZONE } from "./schedule_properties.ts";

/** Gives `trigger.date`, `trigger.next` and `trigger.previous`. */
export const scheduleOnDatesTrigger: TriggerType = {
  form: "planned",
  type: "core.trigger.ScheduleOnDates",
  aliases: ["core.models.triggers.types.ScheduleOnDates"],
  description: "Starts executions at given times.",
  properties: {
    dates: {
      type: "list",
      required: true,
      dynamic: true,
      items: { type: "dateTime", dynamic: true, description: "A time." },
      description: "Times at which an execution starts.",
    },
    timezone: TIME_ZONE,
    recoverMissedSchedules: RECOVER_MISSED,
  },
  outputs: SCHEDULE_OUTPUTS,
};
