/** `googleworkspace.calendar.InsertEvent`. https://developers.google.com/workspace/calendar/api/v3/reference/events/insert */
import { dynamicProperty, dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { GcpClient } from "../gcp/client.ts";
import { connectionProperties } from "./connection.ts";

function timeProperty(description: string): PropertySchema {
  return dynamicProperty("object", description, {
    required: true,
    properties: {
      dateTime: dynamicText("Date and time with its offset, such as `2026-11-28T09:00:00-07:00`."),
      timeZone: dynamicText("Time zone, such as `Europe/Berlin`."),
    },
  });
}

const PERSON = {
  displayName: dynamicText("Name of the person."),
  email: dynamicText("Mail address of the person."),
};

/** Output: `event`. */
export const calendarInsertEvent = defineTask({
  type: "googleworkspace.calendar.InsertEvent",
  title: "Create an event in Google Calendar",
  description: "Creates an event in a calendar that is shared with the service account.",
  properties: {
    ...connectionProperties(["calendar"]),
    calendarId: dynamicText("Id of the calendar, a mail address.", { required: true }),
    summary: dynamicText("Title of the event.", { required: true }),
    location: dynamicText("Place of the event."),
    startTime: timeProperty("When the event begins."),
    endTime: timeProperty("When the event ends."),
    creator: dynamicProperty("object", "Who creates the event.", { properties: PERSON }),
    attendees: dynamicProperty("list", "Who is invited.", {
      items: dynamicProperty("object", "A person.", { properties: PERSON }),
    }),
  },
  outputs: { event: { type: "map", description: "The event, with `id` and `htmlLink`." } },
  examples: [{
    title: "Create an event",
    yaml: `id: event
type: io.svc.plugin.googleworkspace.calendar.InsertEvent
serviceAccount: "{{ secret('GOOGLE_KEY') }}"
calendarId: team@example.com
summary: Review
startTime:
  dateTime: "2026-11-28T09:00:00+01:00"
endTime:
  dateTime: "2026-11-28T10:00:00+01:00"`,
  }],
  async run(context) {
    const { calendarId, summary, location, startTime: start, endTime: end, creator, attendees } = context
      .properties;
    const id = String(calendarId);
    const event = await new GcpClient(context).json({
      api: "www",
      path: `/calendar/v3/calendars/${encodeURIComponent(id)}/events`,
      json: { summary, location, start, end, creator, attendees },
      operation: `create an event of the calendar "${id}"`,
    });
    return { event };
  },
});
