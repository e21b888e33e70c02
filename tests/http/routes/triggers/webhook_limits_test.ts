import { assertEquals } from "@std/assert";
import { createHmac } from "node:crypto";
import type { JsonObject } from "../../../../src/base/json.ts";
import { MAX_WEBHOOK_BODY_BYTES, MAX_WRONG_WEBHOOK_KEYS } from "../../../../src/model/limits.ts";
import { FaultyStore } from "../../../support/fakes/faulty_store.ts";
import { Harness } from "../../../support/harness.ts";
import { evaluationsOf, executionsOf, stateOf, triggeredFlow } from "../../../support/flows/triggers.ts";

const KEY = "webhook-key-5f0c92d7";
const RIGHT = `/api/v1/main/executions/webhook/demo/w/${KEY}`;
const WRONG = "/api/v1/main/executions/webhook/demo/w/wrong";
const HOME = "192.0.2.1";

async function startWith(properties: JsonObject, secrets: ReadonlyMap<string, string> = new Map()) {
  const app = await Harness.start({ secrets });
  const trigger = { type: "io.kestra.plugin.core.trigger.Webhook", key: KEY, ...properties };
  await app.save(triggeredFlow("w", trigger));
  return app;
}

/** A call from an address; its status. */
async function call(app: Harness, path: string, address = HOME): Promise<number> {
  const { status } = await send(app, path, { address });
  return status;
}

async function send(
  app: Harness,
  path: string,
  { address = HOME, ...init }: RequestInit & { readonly address?: string } = {},
) {
  const request = new Request(`http://127.0.0.1:8080${path}`, { method: "POST", body: "{}", ...init });
  const response = await app.assembly.fetch(request, { remoteAddr: { hostname: address } });
  const { message } = await response.json().catch(() => ({}));
  const { headers, status } = response;
  return { status, message, retryAfter: headers.get("retry-after"), cache: headers.get("cache-control") };
}

async function tryKeys(app: Harness, path = WRONG, address = HOME): Promise<void> {
  for (let count = 0; count < MAX_WRONG_WEBHOOK_KEYS; count++) {
    assertEquals(await call(app, path, address), 404);
  }
}

Deno.test("POST /executions/webhook/… returns 429 after many wrong keys, and always takes the right one", async () => {
  await using app = await startWith({});
  await tryKeys(app);
  await app.advance(20_000);
  assertEquals(await send(app, WRONG), {
    status: 429,
    message: "Too many calls from this address have found no webhook: try again later",
    retryAfter: "40",
    cache: "no-store",
  });
  assertEquals(await call(app, RIGHT), 200);
  await app.advance(40_000);
  assertEquals(await call(app, WRONG), 404);
});

/** Where keys were tried by whom, the next caller, and the response. */
const TRIALS: readonly (readonly [tried: string, by: string, path: string, from: string, status: number])[] =
  [
    [WRONG, HOME, "/api/v1/main/executions/webhook/nowhere/w/k", HOME, 429],
    [WRONG, HOME, "/api/v1/main/executions/webhook/demo/none/k", HOME, 429],
    [WRONG, HOME, "/executions/webhook/demo/w/k", HOME, 404],
    [WRONG, HOME, `${RIGHT}/more`, HOME, 429],
    [WRONG, HOME, WRONG, "192.0.2.2", 404],
    [WRONG, "2001:db8::1", WRONG, "2001:db8::ffff:2", 429],
    [WRONG, "2001:db8::1", WRONG, "2001:db8:0:1::1", 404],
    [WRONG, "::ffff:192.0.2.1", WRONG, "::ffff:192.0.2.2", 404],
    [WRONG, HOME, "/api/v1/nowhere/executions/webhook/demo/w/k", HOME, 404],
    [
      "/api/v1/nowhere/executions/webhook/demo/w/k",
      HOME,
      "/api/v1/nowhere/executions/webhook/demo/w/k",
      HOME,
      429,
    ],
    ["/api/v1/nowhere/executions/webhook/demo/w/k", HOME, WRONG, HOME, 404],
  ];

for (const [tried, by, path, from, status] of TRIALS) {
  Deno.test(`POST ${path} from ${from} after wrong keys at ${tried} from ${by} returns ${status}`, async () => {
    await using app = await startWith({});
    await tryKeys(app, tried, by);
    assertEquals(await call(app, path, from), status);
  });
}

Deno.test("a webhook path of slashes alone costs no more than its length", async () => {
  await using app = await startWith({ path: "orders" });
  const slashes = "/".repeat(500_000);
  assertEquals(await call(app, `${RIGHT}${slashes}orders${slashes}x`), 404);
  assertEquals(await call(app, `${RIGHT}${slashes}orders${slashes}`), 200);
});

Deno.test("invented tenants do not end the limit of wrong webhook keys", async () => {
  await using app = await startWith({});
  await tryKeys(app);
  const statuses = new Map<number, number>();
  for (let count = 0; count < 11_000; count++) {
    const status = await call(app, `/api/v1/invented${count}/executions/webhook/demo/w/k`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const others = 9 * MAX_WRONG_WEBHOOK_KEYS;
  assertEquals([...statuses], [[404, others], [429, 11_000 - others]]);
  assertEquals([await call(app, WRONG), await call(app, RIGHT)], [429, 200]);
});

Deno.test("POST /executions/webhook/… of a disabled trigger is counted as a wrong key", async () => {
  await using app = await startWith({ disabled: true });
  await tryKeys(app, RIGHT);
  assertEquals(await call(app, RIGHT), 429);
});

Deno.test("POST /executions/webhook/… beyond the rate limit of the trigger returns 429", async () => {
  await using app = await startWith({ rateLimit: { calls: 2, period: "PT30S" } });
  assertEquals([await call(app, RIGHT), await call(app, RIGHT, "192.0.2.9")], [200, 200]);
  await app.advance(10_500);
  assertEquals(await send(app, RIGHT), {
    status: 429,
    message: "Too many calls: the webhook takes 2 calls in PT30S, try again later",
    retryAfter: "20",
    cache: "no-store",
  });
  assertEquals((await executionsOf(app, "w")).length, 2);
  assertEquals(evaluationsOf(await stateOf(app, "w"))[0], "SKIPPED: More calls than its `rateLimit` takes");
  await app.advance(20_000);
  assertEquals(await call(app, RIGHT), 200);
});

Deno.test("POST /executions/webhook/… with a rate limit given as texts has periods of a minute", async () => {
  await using app = await startWith({ rateLimit: { calls: "1" } });
  assertEquals(await call(app, RIGHT), 200);
  await app.advance(59_000);
  assertEquals(await call(app, RIGHT), 429);
  await app.advance(1_000);
  assertEquals(await call(app, RIGHT), 200);
});

const SIGNATURE = { secret: "{{ secret('HOOK') }}", header: "X-Sign" };
const SECRETS = new Map([["HOOK", btoa("sesame")]]);

function signed(body: string, secret = "sesame"): HeadersInit {
  return { "x-sign": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` };
}

/** A call with its signature, how the webhook uses bodies, and the response. */
const SIGNED: readonly (readonly [use: string, body: string, headers: HeadersInit, status: number])[] = [
  ["FETCH", '{"a":1}', signed('{"a":1}'), 200],
  ["STORE", '{"a":1}', signed('{"a":1}'), 200],
  ["NONE", '{"a":1}', signed('{"a":1}'), 200],
  ["FETCH", '{"a":2}', signed('{"a":1}'), 403],
  ["STORE", '{"a":2}', signed('{"a":1}'), 403],
  ["NONE", '{"a":2}', signed('{"a":1}'), 403],
  ["FETCH", '{"a":1}', signed('{"a":1}', "other"), 403],
  ["FETCH", '{"a":1}', {}, 403],
  ["STORE", "x".repeat(MAX_WEBHOOK_BODY_BYTES + 1), {}, 413],
];

for (const [fetchType, body, headers, status] of SIGNED) {
  const what = `${body.length} bytes with ${JSON.stringify(headers)}`;
  Deno.test(`POST /executions/webhook/… ${fetchType} of ${what} returns ${status}`, async () => {
    await using app = await startWith({ fetchType, signature: SIGNATURE }, SECRETS);
    const answer = await send(app, RIGHT, { body, headers });
    assertEquals(answer.status, status);
    const [execution] = await executionsOf(app, "w");
    assertEquals(execution !== undefined, status === 200);
    if (fetchType === "FETCH" && execution) assertEquals(execution.trigger.body, { a: 1 });
    const [noted] = evaluationsOf(await stateOf(app, "w"));
    const expected = status === 200
      ? "STARTED"
      : status === 413
      ? "SKIPPED: The body is too large"
      : "SKIPPED: It is not signed as it must be";
    assertEquals(noted, expected);
    assertEquals(JSON.stringify(answer).includes("sesame"), false);
  });
}

Deno.test("POST /executions/webhook/… takes a signed form", async () => {
  await using app = await startWith({ signature: SIGNATURE }, SECRETS);
  const body = '--b\r\ncontent-disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhello\r\n--b--\r\n';
  const headers = { ...signed(body), "content-type": "multipart/form-data; boundary=b" };
  assertEquals((await send(app, RIGHT, { body, headers })).status, 200);
  const [execution] = await executionsOf(app, "w");
  assertEquals((execution?.trigger.parts as JsonObject[])[0]?.fileName, "a.txt");
});

Deno.test("GET /executions/webhook/… is signed over nothing", async () => {
  await using app = await startWith({ signature: SIGNATURE }, SECRETS);
  const get = { method: "GET", body: null };
  assertEquals((await send(app, RIGHT, { ...get, headers: signed("") })).status, 200);
  assertEquals((await send(app, RIGHT, { ...get, headers: signed("x") })).status, 403);
});

Deno.test("POST /executions/webhook/… refuses all calls when the secret of signatures cannot be read", async () => {
  await using app = await startWith({ signature: SIGNATURE });
  for (const headers of [signed('{"a":1}'), signed('{"a":1}', "")]) {
    const { status, message } = await send(app, RIGHT, { body: '{"a":1}', headers });
    assertEquals([status, message], [
      403,
      "Forbidden: the signature cannot be checked, the webhook has no secret",
    ]);
  }
  assertEquals(await executionsOf(app, "w"), []);
});

Deno.test("POST /executions/webhook/… replays a stored response only for valid signatures", async () => {
  await using app = await startWith({ signature: SIGNATURE }, SECRETS);
  const once = { "idempotency-key": "k1" };
  const first = await send(app, RIGHT, { headers: { ...once, ...signed("{}") } });
  const again = await send(app, RIGHT, { headers: { ...once, ...signed("{}") } });
  const forged = await send(app, RIGHT, { headers: { ...once, ...signed("{}", "other") } });
  assertEquals([first.status, again.status, forged.status], [200, 200, 403]);
  assertEquals((await executionsOf(app, "w")).length, 1);
});

Deno.test("POST /executions/webhook/… takes no call again after its time", async () => {
  await using app = await startWith(
    { signature: { ...SIGNATURE, timestampHeader: "X-Time", tolerance: "PT1M" } },
    SECRETS,
  );
  const time = String(app.clock.now());
  const headers = { ...signed(`${time}.{}`), "x-time": time };
  assertEquals((await send(app, RIGHT, { headers })).status, 200);
  await app.advance(61_000);
  assertEquals((await send(app, RIGHT, { headers })).status, 403);
});

Deno.test("POST /executions/webhook/… notes no start that the database refuses", async () => {
  let store: FaultyStore | undefined;
  await using app = await Harness.start({ wrap: (memory) => store = new FaultyStore(memory) });
  await app.save(triggeredFlow("w", { type: "io.kestra.plugin.core.trigger.Webhook", key: KEY }));
  if (store) store.plan = () => "full";
  assertEquals(await call(app, RIGHT), 507);
  if (store) store.plan = () => "none";
  await app.advance(10_000);
  assertEquals(evaluationsOf(await stateOf(app, "w")), ["SKIPPED: Its execution cannot be stored"]);
  assertEquals(await call(app, RIGHT), 200);
  assertEquals(evaluationsOf(await stateOf(app, "w"))[0], "STARTED");
});
