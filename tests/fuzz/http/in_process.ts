/** A server in the test process that takes requests as they are on the wire, without a port. */
import type { JsonObject } from "../../../src/base/json.ts";
import { Harness } from "../../support/harness.ts";
import { Description } from "./description.ts";
import type { Send } from "./fixtures.ts";
import type { Rules } from "./judge.ts";
import { type FuzzRequest, headerOf } from "./message.ts";
import { PLANTED } from "./recorded.ts";
import type { WireResponse } from "./wire.ts";

/** The server with what the fuzzer needs of it. */
export interface InProcessServer extends AsyncDisposable {
  readonly rules: Rules;
  readonly send: Send;
  /** Handles a request; `undefined` for one that the platform would refuse. */
  exchange(request: FuzzRequest): Promise<WireResponse | undefined>;
}

/** Starts one, on a memory store and a fake clock. */
export async function startInProcess(): Promise<InProcessServer> {
  const harness = await Harness.start({ secrets: new Map([["PLANTED_ENV", PLANTED.environment]]) });
  const description = new Description(await harness.json("GET", "/openapi.json") as JsonObject);
  return {
    rules: { description, hidden: Object.values(PLANTED), isProtected: false },
    send: async (method, path, init) => await harness.request(method, `/api/v1${path}`, init),
    exchange: async (request) => {
      const sent = requestOf(request);
      return sent && await responseOf(request, await harness.assembly.fetch(sent));
    },
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

/** A request with the URL that the platform makes of the message: nothing is resolved, nothing is checked. */
function requestOf(request: FuzzRequest): Request | undefined {
  const { method, headers, target, raw } = request;
  // A request of this platform has a method in upper case.
  if (raw || !target.startsWith("/") || method !== method.toUpperCase()) return undefined;
  try {
    const hasBody = request.body !== undefined && method !== "GET" && method !== "HEAD";
    const sent = new Request("http://127.0.0.1/", {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      ...(hasBody && { body: request.body }),
    });
    Object.defineProperty(sent, "url", { value: `http://${headerOf(request, "host") ?? ""}${target}` });
    return sent;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function responseOf({ method }: FuzzRequest, response: Response): Promise<WireResponse> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (isStream) await response.body?.cancel();
  const body = isStream || method === "HEAD" ? new Uint8Array() : await response.bytes();
  return { status: response.status, headers: new Map(response.headers), body, isReusable: true };
}
