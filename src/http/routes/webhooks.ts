/** Webhook calls: the one place where executions start without credentials. */
import { type Context, Hono } from "hono";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, setOwnProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import { MAX_WEBHOOK_BODY_BYTES } from "../../model/limits.ts";
import type { WebhookCall, Webhooks } from "../../services/webhooks.ts";
import { readText } from "../body.ts";
import type { AppEnv } from "../env.ts";
import { jsonAnswer } from "../json_answer.ts";
import { type BaseUrlOf, pageUrl } from "../page_url.ts";

/** What the routes work with. */
export interface WebhookRoutesDeps {
  readonly webhooks: Webhooks;
  readonly baseUrlOf: BaseUrlOf;
}

/** Credentials of the caller, which are nobody else's business. */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization"]);
/** A body that is nested deeper is kept as text: to print it again would exhaust the stack. */
const MAX_JSON_DEPTH = 500;
const NO_STORE = { "cache-control": "no-store" };

/** Routes below `/executions/webhook`; their mount is open to all. */
export function webhookRoutes({ webhooks, baseUrlOf }: WebhookRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.on(["GET", "POST", "PUT"], "/:namespace/:flowId/:key", async (c) => {
    // A HEAD request is answered by GET's handler, and nobody expects it to start anything.
    if (c.req.raw.method === "HEAD") {
      throw new DomainError("method_not_allowed", "Method Not Allowed: use GET or POST");
    }
    const { namespace, flowId, key } = c.req.param();
    const baseUrl = baseUrlOf(c);
    const { tenant } = c.get("actor");
    const answer = await webhooks.call(
      tenant,
      { namespace, id: flowId },
      key,
      () => readCall(c),
      (execution) => pageUrl(baseUrl, execution),
    );
    return jsonAnswer(answer, NO_STORE);
  });

  routes.on(["GET", "POST", "PUT"], "/:namespace/:flowId/:key/*", () => {
    throw new DomainError("not_found", "Not Found: Webhook not found");
  });

  return routes;
}

async function readCall(c: Context<AppEnv>): Promise<WebhookCall> {
  const { url, headers } = c.req.raw;
  const call: WebhookCall = {};
  const body = readBody(await readText(c, MAX_WEBHOOK_BODY_BYTES));
  if (body !== undefined) call.body = body;
  call.headers = listsByName([...headers].filter(([name]) => !HIDDEN_HEADERS.has(name)));
  const mark = url.indexOf("?");
  call.parameters = mark === -1 ? {} : listsByName(new URLSearchParams(url.slice(mark)));
  return call;
}

/** Objects and lists are read whatever the content type says; anything else is text. */
function readBody(text: string): JsonValue | undefined {
  if (text === "") return undefined;
  if (!/^\s*[[{]/.test(text) || depthOf(text) > MAX_JSON_DEPTH) return text;
  try {
    const value = parseJson(text);
    return isJsonObject(value) || Array.isArray(value) ? value : text;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** How deep brackets are nested outside of texts. */
function depthOf(json: string): number {
  let depth = 0, deepest = 0, isInText = false;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (isInText && code === 92) i++; // a backslash takes the next character with it
    else if (code === 34) isInText = !isInText;
    else if (isInText) continue;
    else if (code === 91 || code === 123) deepest = Math.max(deepest, ++depth);
    else if (code === 93 || code === 125) depth--;
  }
  return deepest;
}

function listsByName(pairs: Iterable<readonly [string, string]>): JsonObject {
  const lists = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const list = lists.get(name);
    if (list) list.push(value);
    else lists.set(name, [value]);
  }
  const object: JsonObject = {};
  for (const [name, list] of lists) setOwnProperty(object, name, list);
  return object;
}
