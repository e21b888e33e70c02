/** Holds each response of a server under test against the server's own OpenAPI description. */
import type { DurationForm } from "../../../src/base/time/duration.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { acceptedDurations } from "../../../src/http/pipeline/accepted_durations.ts";
import { Description } from "../../fuzz/http/description.ts";
import { judge } from "../../fuzz/http/judge.ts";

/** Handles a request as a server does. */
type Handle = (request: Request) => Promise<Response> | Response;

/** The descriptions of one build by the form of durations; those of all servers in a test process are the same but for their credentials. */
const described = new Map<DurationForm, Description>();

/**
 * The response with its body read. Streams of events are not read, and responses of servers that require credentials for
 * the description are not checked before one without has started. `durations` is how the server writes them by default. @throws Error it disagrees with the description
 */
export async function describedResponse(
  request: Request,
  handle: Handle,
  durations: DurationForm = "seconds",
): Promise<Response> {
  const response = await handle(request);
  const description = await descriptionOf(handle, acceptedDurations(request.headers) ?? durations);
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (!description || isStream || request.method === "HEAD") return response;
  const body = await response.bytes();
  const { pathname, search } = new URL(request.url);
  const mistake = judge(
    { method: request.method, target: pathname + search, headers: [...request.headers] },
    { status: response.status, headers: new Map(response.headers), body, isReusable: true },
    { description, hidden: [], isProtected: false },
  );
  // Tests of faults expect it; others would see the status.
  if (mistake && response.status < 500) throw new Error(`${mistake.kind}: ${mistake.detail}`);
  const { status, headers } = response;
  return new Response(body.length === 0 ? null : body, { status, headers });
}

async function descriptionOf(handle: Handle, durations: DurationForm): Promise<Description | undefined> {
  const known = described.get(durations);
  if (known) return known;
  const headers = { accept: `application/json;durations=${durations}` };
  const response = await handle(new Request("http://127.0.0.1:8080/openapi.json", { headers }));
  if (response.ok) described.set(durations, new Description(await response.json() as JsonObject));
  else await response.body?.cancel();
  return described.get(durations);
}
