/** `core.http.SseRequest`: an HTTP request whose response is a stream of server-sent events. */
import { formatDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { shownUri } from "../../base/network/shown_uri.ts";
import { MAX_KEPT_BYTES } from "../../model/http/http_options.ts";
import { HTTP_REQUEST_PROPERTIES } from "../../model/http/http_schema.ts";
import { headerOf, type HttpResponse } from "../../model/ports/http.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf, textOf, wholeNumberOf } from "../property_values.ts";
import { exchange } from "./exchange.ts";
import { type SseEvent, sseEvents } from "../../base/network/sse_events.ts";

const MEDIA_TYPE = "text/event-stream";
/** Events of one response. */
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
    uri: { type: "string", description: "Address that was requested, without its user and password." },
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
    // The response is not held: what is kept of it has a limit.
    const { draft, response } = await exchange(properties, context, {
      accept: MEDIA_TYPE,
      maxBytes: Infinity,
    });
    warnOfOtherType(response, draft.uri, context);
    const { size, events, values } = await readEvents(response, max, valueReader(properties, context));
    context.metric({ name: "size", type: "counter", value: size });
    const outputs: JsonObject = { uri: shownUri(draft.uri), size };
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

/** What the task keeps of the response: the values, else the events. */
interface KeptEvents {
  readonly size: number;
  readonly events: JsonObject[];
  readonly values: readonly string[];
}

async function readEvents(
  { body }: HttpResponse,
  max: number,
  valueOf: (event: JsonObject, index: number) => Promise<string | undefined>,
): Promise<KeptEvents> {
  const events: JsonObject[] = [], values: string[] = [];
  let size = 0, keptChars = 0;
  for await (const event of sseEvents(body, MAX_KEPT_BYTES)) {
    if (size >= MAX_EVENTS) {
      throw new Error(`Cannot read more than ${MAX_EVENTS} events; set \`maxEvents\` to read the first ones`);
    }
    const object = eventObject(event);
    const value = await valueOf(object, size++);
    if (value !== undefined) {
      // Values take the place of the events before the first one.
      keptChars = (events.splice(0).length > 0 ? 0 : keptChars) + value.length;
      values.push(value);
    } else if (values.length === 0) {
      events.push(object);
      keptChars += charsOf(event);
    }
    if (keptChars > MAX_KEPT_BYTES) {
      throw new Error(
        `Cannot keep more than ${MAX_KEPT_BYTES} characters of events; set \`maxEvents\` to read the first ones`,
      );
    }
    if (size >= max) break;
  }
  return { size, events, values };
}

function charsOf({ data, id = "", name = "", comment = "" }: SseEvent): number {
  return data.length + id.length + name.length + comment.length;
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

/** Gives the value of `concatJqExpression` for an event. @throws Error it has none, unless such events are skipped */
function valueReader(
  properties: JsonObject,
  context: RunContext,
): (event: JsonObject, index: number) => Promise<string | undefined> {
  const program = textOf(properties, "concatJqExpression")?.trim() ?? "";
  const mustHave = flagOf(properties, "failedOnMissingJq", true);
  if (program === "") return () => Promise.resolve(undefined);
  return async (event, index) => {
    if (context.signal.aborted) throw new Error("The attempt was interrupted");
    const [value] = await Promise.allSettled([valueOf(context, event, program)]);
    if (value.status === "fulfilled") return value.value;
    if (mustHave) throw missingValue(index, value.reason);
    context.log("DEBUG", `${missingValue(index, value.reason).message}; it is skipped`);
    return undefined;
  };
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
