/** `core.http.SseRequest`: an HTTP request whose response is a stream of server-sent events. */
import { formatDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { shownUri } from "../../base/network/shown_uri.ts";
import { HTTP_REQUEST_PROPERTIES } from "../../model/http/http_schema.ts";
import { headerOf, type HttpResponse } from "../../model/ports/http.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf, textOf, wholeNumberOf } from "../property_values.ts";
import { exchange } from "./exchange.ts";
import { type SseEvent, sseEvents } from "../../base/network/sse_events.ts";

const MEDIA_TYPE = "text/event-stream";
/** Events of one response: they are in memory until the task ends. */
const MAX_EVENTS = 100_000;

/** Outputs: `uri`, `size`, and `events` or `result`. */
export const httpSseRequestTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.http.SseRequest",
  aliases: [],
  description: "Sends an HTTP request and reads the events that the server sends in response.",
  properties: {
    ...HTTP_REQUEST_PROPERTIES,
    allowFailed: dynamicFlag(false, "Whether a response with a status code of 400 or more is a success."),
    concatJqExpression: dynamicText(
      "Expression in jq that takes a value from each event, such as `.data.message`; the values are joined to one text.",
    ),
    failedOnMissingJq: dynamicFlag(
      true,
      "Whether an event without a value for `concatJqExpression` is a failure; otherwise it is skipped.",
    ),
    maxEvents: dynamicProperty(
      "integer",
      "Number of events after which the connection is closed; by default the server closes it.",
      { minimum: 1, maximum: MAX_EVENTS },
    ),
  },
  outputs: {
    uri: { type: "string", description: "Address that was requested." },
    events: {
      type: "list",
      items: {
        type: "map",
        description: "One event: `data`, and `id`, `name`, `comment` and `retry` if it has them.",
      },
      description: "The events; absent if `result` is set. Data that is JSON is its value.",
    },
    size: { type: "integer", description: "Number of events." },
    result: { type: "string", description: "The values of `concatJqExpression`, joined." },
  },
  async run(properties, context) {
    const max = wholeNumberOf(properties, "maxEvents", { fallback: Infinity, minimum: 1 });
    const { draft, response } = await exchange(properties, context, { accept: MEDIA_TYPE });
    warnOfOtherType(response, draft.uri, context);
    const events = await firstEvents(response, max);
    context.metric({ name: "size", type: "counter", value: events.length });
    const values = await concatenated(properties, context, events);
    const outputs: JsonObject = { uri: draft.uri, size: events.length };
    if (values.length > 0) outputs.result = values.join("");
    else outputs.events = events;
    return { state: "SUCCESS", outputs };
  },
};

/** Some servers send events with another media type; most often it is a page that was not expected. */
function warnOfOtherType({ headers }: HttpResponse, uri: string, context: RunContext): void {
  const type = headerOf(headers, "content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === undefined || type === MEDIA_TYPE) return;
  context.log(
    "WARN",
    `The response of "${shownUri(uri)}" is "${type}", not "${MEDIA_TYPE}": it may have no events`,
  );
}

async function firstEvents({ body }: HttpResponse, max: number): Promise<JsonObject[]> {
  const events: JsonObject[] = [];
  for await (const event of sseEvents(body)) {
    if (events.length >= MAX_EVENTS) {
      throw new Error(`Cannot read more than ${MAX_EVENTS} events; set \`maxEvents\` to read the first ones`);
    }
    events.push(eventObject(event));
    if (events.length >= max) break;
  }
  return events;
}

function eventObject({ data, id, name, comment, retryMs }: SseEvent): JsonObject {
  const value = tryParseJson(data);
  const event: JsonObject = { data: value === undefined ? data : value };
  if (id !== undefined) event.id = id;
  if (name !== undefined) event.name = name;
  if (comment !== undefined) event.comment = comment;
  if (retryMs !== undefined) event.retry = formatDuration(retryMs);
  return event;
}

/** The values of `concatJqExpression` as texts. @throws Error an event has none, unless such events are skipped */
async function concatenated(
  properties: JsonObject,
  context: RunContext,
  events: readonly JsonObject[],
): Promise<string[]> {
  const program = textOf(properties, "concatJqExpression")?.trim() ?? "";
  const mustHave = flagOf(properties, "failedOnMissingJq", true);
  const values: string[] = [];
  if (program === "") return values;
  for (const [index, event] of events.entries()) {
    if (context.signal.aborted) throw new Error("The attempt was interrupted");
    const [value] = await Promise.allSettled([valueOf(context, event, program)]);
    if (value.status === "fulfilled") values.push(value.value);
    else if (mustHave) throw missingValue(index, value.reason);
    else context.log("DEBUG", `${missingValue(index, value.reason).message}; it is skipped`);
  }
  return values;
}

async function valueOf(context: RunContext, event: JsonObject, program: string): Promise<string> {
  const results = await context.render("{{ event | jq(program) }}", { event, program });
  const value: JsonValue | undefined = Array.isArray(results) ? results.at(-1) : results;
  if (value === undefined || value === null) throw new Error("it has none");
  if (Array.isArray(value) || isJsonObject(value)) throw new Error("it is no text, number or boolean");
  return printValue(value);
}

function missingValue(index: number, reason: unknown): Error {
  const cause = reason instanceof Error ? reason.message : String(reason);
  return new Error(`Cannot read the value of "concatJqExpression" from event ${index}: ${cause}`);
}
