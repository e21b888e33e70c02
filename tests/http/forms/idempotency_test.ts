import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { settle } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { json, yaml } from "../../support/flows/request_bodies.ts";

const DAY_MS = 24 * 3_600_000;
const RETURN = "tasks:\n  - id: a\n    type: io.svc.plugin.core.debug.Return\n    format: a\n";
const WAIT = "tasks:\n  - id: a\n    type: io.svc.plugin.core.flow.Sleep\n    duration: PT1M\n";
const INPUTS = "inputs:\n  - id: name\n    type: STRING\n    required: false\n" +
  "  - id: data\n    type: FILE\n    required: false\n";
const HOOK = "triggers:\n  - id: hook\n    type: io.svc.plugin.core.trigger.Webhook\n    key: k1\n";

function source(id: string, more = "", tasks = RETURN): string {
  return `id: ${id}\nnamespace: demo\n${more}${tasks}`;
}

/** A request with the key `one`, unless another is given. */
function once(init: RequestInit = {}, key = "one"): RequestInit {
  return { ...init, headers: { ...init.headers as Record<string, string>, "idempotency-key": key } };
}

function form(parts: Readonly<Record<string, string>>, boundary = "b"): RequestInit {
  const fields = Object.entries(parts).map(([name, value]) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`
  );
  const body = fields.join("") + `--${boundary}--\r\n`;
  return { body, headers: { "content-type": `multipart/form-data; boundary=${boundary}` } };
}

const NAME = 'name="name"';
const DATA = 'name="data"; filename="d.txt"';

async function total(server: Harness): Promise<unknown> {
  return (await server.json("GET", "/executions/search?size=1") as Record<string, unknown>).total;
}

interface Answer {
  readonly status: number;
  readonly replayed: string | null;
  readonly text: string;
}

async function send(server: Harness, path: string, init: RequestInit, method = "POST"): Promise<Answer> {
  const response = await server.request(method, path, init);
  const replayed = response.headers.get("idempotent-replayed");
  return { status: response.status, replayed, text: await response.text() };
}

/** Pairs of equal starts. */
const SAME: readonly (readonly [string, string, RequestInit, string, RequestInit])[] = [
  ["no form", "/executions/demo/f", {}, "/executions/demo/f", {}],
  ["the alias of the path", "/executions/demo/f", {}, "/executions/trigger/demo/f", {}],
  [
    "another order of the query",
    "/executions/demo/f?labels=a:b&revision=1",
    {},
    "/executions/demo/f?revision=1&labels=a:b",
    {},
  ],
  [
    "another boundary and order of parts",
    "/executions/demo/f",
    form({ [NAME]: "x", [DATA]: "content" }),
    "/executions/demo/f",
    form({ [DATA]: "content", [NAME]: "x" }, "other"),
  ],
  [
    "parts that the flow does not know",
    "/executions/demo/f",
    form({ [NAME]: "x" }),
    "/executions/demo/f",
    form({ [NAME]: "x", 'name="0"': "{}" }),
  ],
  [
    "another encoding of the form",
    "/executions/demo/f",
    form({ [NAME]: "x" }),
    "/executions/demo/f",
    { body: new URLSearchParams({ name: "x" }) },
  ],
];

for (const [name, path, init, againPath, again] of SAME) {
  Deno.test(`POST /executions/:namespace/:flowId with a key starts once: ${name}`, async () => {
    await using server = await Harness.start();
    await server.save(source("f", INPUTS));
    const first = await send(server, path, once(init));
    const second = await send(server, againPath, once(again));
    assertEquals([first.status, first.replayed], [200, null], first.text);
    assertEquals([second.status, second.replayed], [200, "true"], second.text);
    assertEquals(second.text, first.text);
    assertEquals(await total(server), 1);
  });
}

const OTHER: readonly (readonly [string, string, RequestInit])[] = [
  ["another flow", "/executions/demo/g", form({ [NAME]: "x", [DATA]: "content" })],
  ["another query", "/executions/demo/f?labels=a:b", form({ [NAME]: "x", [DATA]: "content" })],
  ["another value", "/executions/demo/f", form({ [NAME]: "y", [DATA]: "content" })],
  ["another content of a file", "/executions/demo/f", form({ [NAME]: "x", [DATA]: "contents" })],
  [
    "another name of a file",
    "/executions/demo/f",
    form({ [NAME]: "x", 'name="data"; filename="e.txt"': "content" }),
  ],
  ["no file", "/executions/demo/f", form({ [NAME]: "x" })],
  ["no form", "/executions/demo/f", {}],
  ["an unknown flow", "/executions/demo/unknown", {}],
];

for (const [name, path, init] of OTHER) {
  Deno.test(`POST /executions/:namespace/:flowId refuses a key that was used for something else: ${name}`, async () => {
    await using server = await Harness.start();
    await server.save(source("f", INPUTS));
    await server.save(source("g", INPUTS));
    await send(server, "/executions/demo/f", once(form({ [NAME]: "x", [DATA]: "content" })));
    const { status, text } = await send(server, path, once(init));
    assertEquals(status, 422, text);
    assertStringIncludes(
      JSON.parse(text).message,
      'Idempotency-Key "one" was used for a start with other content',
    );
    assertEquals(await total(server), 1);
  });
}

const BAD_KEYS: readonly (readonly [string, number])[] = [["", 422], ["k".repeat(256), 422], [
  "k".repeat(255),
  200,
]];

for (const [key, expected] of BAD_KEYS) {
  Deno.test(`POST /executions/:namespace/:flowId returns ${expected} for a key of ${key.length} characters`, async () => {
    await using server = await Harness.start();
    await server.save(source("f"));
    const { status, text } = await send(server, "/executions/demo/f", once({}, key));
    assertEquals(status, expected);
    if (expected === 422) assertStringIncludes(text, `1 to 255 characters, but has ${key.length}`);
  });
}

Deno.test("POST /executions/:namespace/:flowId without a key starts each time", async () => {
  await using server = await Harness.start();
  await server.save(source("f"));
  const [first, second] = [await server.start("f"), await server.start("f")];
  assertNotEquals(first.id, second.id);
});

Deno.test("POST /executions/:namespace/:flowId with one key at the same time starts one execution", async () => {
  await using server = await Harness.start();
  await server.save(source("f", INPUTS));
  const request = () => send(server, "/executions/demo/f", once(form({ [NAME]: "x", [DATA]: "content" })));
  const answers = await Promise.all(Array.from({ length: 20 }, request));
  assertEquals(new Set(answers.map(({ text }) => text)).size, 1);
  assertEquals(answers.filter(({ replayed }) => replayed === "true").length, 19);
  assertEquals(await total(server), 1);
});

Deno.test("POST /executions/:namespace/:flowId with a key remembers nothing of a refused start", async () => {
  await using server = await Harness.start();
  await server.save(source("f", INPUTS.replace("required: false", "required: true")));
  const refused = await send(server, "/executions/demo/f", once());
  assertEquals([refused.status, refused.replayed], [422, null]);
  const started = await send(server, "/executions/demo/f", once(form({ [NAME]: "x" })));
  assertEquals([started.status, started.replayed], [200, null], started.text);
});

Deno.test("POST /executions/:namespace/:flowId replays the first response whatever became of the flow", async () => {
  await using server = await Harness.start();
  await server.save(source("f", INPUTS));
  const request = () => send(server, "/executions/demo/f", once(form({ [NAME]: "x" })));
  const first = await request();
  const init = yaml(source("f", "disabled: true\n"));
  await server.json("PUT", "/flows/demo/f", init);
  assertEquals(await request(), { ...first, replayed: "true" });
  await server.json("DELETE", "/flows/demo/f");
  assertEquals(await request(), { ...first, replayed: "true" });
  await server.json("DELETE", `/executions/${JSON.parse(first.text).id}`);
  assertEquals(await request(), { ...first, replayed: "true" });
});

Deno.test("POST /executions/:namespace/:flowId keeps a key for 24 hours, and nothing of it after that", async () => {
  await using server = await Harness.start();
  await server.save(source("f"));
  const request = () => send(server, "/executions/demo/f", once());
  const first = await request();
  server.clock.jump(DAY_MS - 1);
  assertEquals((await request()).text, first.text);
  server.clock.jump(1);
  const second = await request();
  assertEquals([second.status, second.replayed], [200, null]);
  assertNotEquals(second.text, first.text);
  server.clock.jump(DAY_MS);
  await server.advance(60_000);
  assertEquals(await keptKeys(server), []);
});

async function keptKeys(server: Harness): Promise<readonly unknown[]> {
  const keys = await Array.fromAsync(server.store.list({ prefix: ["main"] }), ({ key }) => key);
  return keys.filter(([, space, owner]) =>
    space === "ik" || space === "ie" || (space === "b" && /^[\da-f]{64}$/.test(String(owner)))
  );
}

Deno.test("POST /executions/:namespace/:flowId stores a response that is larger than a stored value", async () => {
  await using server = await Harness.start();
  await server.save(source("f", INPUTS));
  const request = () => send(server, "/executions/demo/f", once(form({ [NAME]: "x".repeat(300_000) })));
  const first = await request();
  assert(first.text.length > 300_000);
  assertEquals(await request(), { ...first, replayed: "true" });
  server.clock.jump(DAY_MS);
  await server.advance(60_000);
  assertEquals(await keptKeys(server), []);
});

Deno.test("POST /executions/:namespace/:flowId with a key survives a crash right after the response", async () => {
  const server = await Harness.start();
  await server.save(source("f", INPUTS));
  const init = () => once(form({ [NAME]: "x", [DATA]: "content" }));
  const first = await send(server, "/executions/demo/f", init());
  await using later = await server.crash();
  assertEquals(await send(later, "/executions/demo/f", init()), { ...first, replayed: "true" });
  assertEquals(await total(later), 1);
});

Deno.test("POST /executions/:namespace/:flowId with a key starts once however often the server is killed while it starts", async () => {
  const path = "/executions/demo/f";
  for (let writes = 0; writes < 6; writes++) {
    let left = Infinity;
    const wrap = (store: Harness["store"]) =>
      new Proxy(store, {
        get(target, name) {
          const member = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          if (name !== "commit") return member.bind(target);
          return (atomic: Parameters<Harness["store"]["commit"]>[0]) =>
            left-- > 0 ? target.commit(atomic) : new Promise<never>(() => {});
        },
      });
    const server = await Harness.start({ wrap });
    await server.save(source("f", INPUTS));
    left = writes;
    void server.request("POST", path, once(form({ [NAME]: "x" })));
    await settle();
    await using later = await server.crash({});
    const init = once(form({ [NAME]: "x" }));
    const { status, text } = await send(later, path, init);
    assertEquals(status, 200);
    assertEquals(await total(later), 1, `killed after ${writes} writes`);
    assertEquals((await send(later, path, init)).text, text);
  }
});

Deno.test("POST /executions/:namespace/:flowId?wait=true with a key waits for the same execution each time", async () => {
  await using server = await Harness.start();
  await server.save(source("f", "", WAIT));
  const request = () => send(server, "/executions/demo/f?wait=true", once());
  const first = request();
  await settle();
  const second = request();
  await settle();
  await server.advance(60_000);
  const [a, b, c] = [await first, await second, await request()];
  assertEquals(JSON.parse(a.text).state.current, "SUCCESS");
  assertEquals([b.text, c.text], [a.text, a.text]);
  assertEquals([a.replayed, b.replayed, c.replayed], [null, "true", "true"]);
});

Deno.test("POST /executions/:namespace/:flowId keeps the keys of tenants apart", async () => {
  await using server = await Harness.start();
  await server.json("POST", "/api/v1/tenants", json('{"id":"other","name":"Other"}'));
  await server.save(source("f"));
  await server.json("POST", "/api/v1/other/flows", yaml(source("f")));
  await send(server, "/executions/demo/f", once());
  const { status, replayed } = await send(server, "/api/v1/other/executions/demo/f", once());
  assertEquals([status, replayed], [200, null]);
});

const HOOK_PATH = "/executions/webhook/demo/f/k1";

Deno.test("POST /executions/webhook with a key starts once, whatever the headers are", async () => {
  await using server = await Harness.start();
  await server.save(source("f", HOOK));
  const init = (trace: string) => once({ body: '{"a":1}', headers: { "x-trace": trace } });
  const first = await send(server, `${HOOK_PATH}?a=1&b=2`, init("1"));
  const second = await send(server, `${HOOK_PATH}?b=2&a=1`, init("2"));
  assertEquals([first.status, first.replayed], [200, null], first.text);
  assertEquals(second, { ...first, replayed: "true" });
  assertEquals(await total(server), 1);
});

const OTHER_CALLS: readonly (readonly [string, string, string, RequestInit])[] = [
  ["another body", "POST", `${HOOK_PATH}?a=1`, { body: '{"a":2}' }],
  ["another query", "POST", `${HOOK_PATH}?a=2`, { body: '{"a":1}' }],
  ["another method", "PUT", `${HOOK_PATH}?a=1`, { body: '{"a":1}' }],
];

for (const [name, method, path, init] of OTHER_CALLS) {
  Deno.test(`POST /executions/webhook refuses a key that was used for something else: ${name}`, async () => {
    await using server = await Harness.start();
    await server.save(source("f", HOOK));
    await send(server, `${HOOK_PATH}?a=1`, once({ body: '{"a":1}' }));
    const { status, text } = await send(server, path, once(init), method);
    assertEquals(status, 422);
    assertStringIncludes(JSON.parse(text).message, 'Idempotency-Key "one"');
  });
}

Deno.test("POST /executions/webhook compares the files of a form by their content", async () => {
  await using server = await Harness.start();
  await server.save(source("f", HOOK));
  const first = await send(server, HOOK_PATH, once(form({ [DATA]: "content" })));
  const second = await send(server, HOOK_PATH, once(form({ [DATA]: "content" }, "other")));
  assertEquals(second, { ...first, replayed: "true" });
  assertEquals((await send(server, HOOK_PATH, once(form({ [DATA]: "contend" })))).status, 422);
});

Deno.test("POST /executions/webhook keeps the keys of webhooks apart, and those of webhooks and starts", async () => {
  await using server = await Harness.start();
  await server.save(source("f", HOOK));
  await server.save(source("g", HOOK.replace("k1", "k2")));
  const paths = [HOOK_PATH, "/executions/webhook/demo/g/k2", "/executions/demo/f"];
  for (const path of paths) {
    const { status, replayed } = await send(server, path, once());
    assertEquals([status, replayed], [200, null], path);
  }
});

Deno.test("POST /executions/webhook requires the right key before it replays a response", async () => {
  await using server = await Harness.start();
  await server.save(source("f", HOOK));
  await send(server, HOOK_PATH, once());
  const init = yaml(source("f", HOOK.replace("k1", "k2")));
  await server.json("PUT", "/flows/demo/f", init);
  assertEquals((await send(server, HOOK_PATH, once())).status, 404);
});

Deno.test("POST /executions/webhook that waits replays the end", async () => {
  await using server = await Harness.start();
  const outputs = "outputs:\n  - id: r\n    type: STRING\n    value: done\n";
  await server.save(source("f", `${outputs}${HOOK}    wait: true\n    returnOutputs: true\n`, WAIT));
  const request = () => send(server, HOOK_PATH, once({ body: "x" }));
  const first = request();
  await settle();
  await server.advance(60_000);
  assertEquals(await first, { status: 200, replayed: null, text: '{"r":"done"}' });
  assertEquals(await request(), { status: 200, replayed: "true", text: '{"r":"done"}' });
});
