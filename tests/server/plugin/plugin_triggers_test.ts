/** Triggers of plugin files in a server: polls, realtime triggers, their processes, and what becomes of them without their file. */
import { assertEquals, assertMatch } from "@std/assert";
import { silentLogger } from "../../../src/base/log.ts";
import { systemClock, toIso } from "../../../src/base/time/clock.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import type { TriggerType } from "../../../src/model/triggers/trigger_catalog.ts";
import { readPlugins } from "../../../src/server/plugin/server_plugins.ts";
import { evaluationsOf, executionsOf, stateOf, triggeredFlow } from "../../support/flows/triggers.ts";
import { Harness, type HarnessOptions } from "../../support/harness.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const MINUTE = 60_000;
const TYPE = "com.example.Queue";

/** A trigger with that function. */
function pluginOf(member: string): string {
  return `export default defineTrigger({ type: "${TYPE}", aliases: ["example.Queue"], description: "A queue.",
    properties: {
      url: { type: "string", description: "Address." },
      size: { type: "integer", default: 7, description: "Size." },
    },
    outputs: { text: { type: "string", description: "A text." } },
    ${member} });`;
}

async function triggersOf(source: string): Promise<readonly TriggerType[]> {
  return await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/queue.js`, source);
    const { triggers, failed } = await readPlugins(folder, { isDeploy: false }, silentLogger(systemClock));
    assertEquals(failed, []);
    return triggers;
  });
}

/** A server with the plugin and a flow `p` that uses it. */
async function appOf(
  source: string,
  properties: JsonObject = {},
  options: HarnessOptions = {},
): Promise<Harness> {
  const app = await Harness.start({ extraTriggers: await triggersOf(source), ...options });
  await app.save(triggeredFlow("p", { type: TYPE, ...properties }));
  return app;
}

/** Advances the clock and waits until the trigger was evaluated so many times in total. */
async function evaluated(app: Harness, ms: number, evaluations: number): Promise<void> {
  await app.advance(ms);
  await until(async () => evaluationsOf(await stateOf(app, "p")).length >= evaluations);
}

const lastEvaluation = async (app: Harness) => evaluationsOf(await stateOf(app, "p"))[0];

async function setDisabled(app: Harness, disabled: boolean): Promise<void> {
  await app.json("PUT", "/triggers", {
    body: JSON.stringify({ namespace: "demo", flowId: "p", triggerId: "t", disabled }),
    headers: { "content-type": "application/json" },
  });
}

Deno.test("a poll of a plugin starts one execution with its outputs, files and log lines", async () => {
  await using app = await appOf(
    pluginOf(`async poll(context) {
      const { properties, trigger } = context;
      console.log("looked at", properties.url);
      console.log("a".repeat(100_000));
      const path = await context.directory() + "/text.txt";
      await Deno.writeTextFile(path, "text");
      return { properties, trigger, uri: await context.storeFile(path) };
    }`),
    { url: "{{ flow.id }}" },
  );
  await evaluated(app, 1_000, 1);
  const [execution, ...others] = await executionsOf(app, "p");
  const { uri, ...rest } = execution?.trigger ?? {};
  assertEquals(others, []);
  assertEquals(rest, {
    properties: { url: "p", size: 7 },
    trigger: { tenant: "main", namespace: "demo", flowId: "p", triggerId: "t" },
  });
  const path = `/executions/${execution?.id}/file?path=${encodeURIComponent(String(uri))}`;
  assertEquals(await (await app.request("GET", path)).text(), "text");
  const logs = await app.json("GET", `/logs/${execution?.id}`) as readonly JsonObject[];
  const lines = logs.filter(({ level }) => level === "INFO").map(({ message }) => String(message));
  assertEquals(lines, ["looked at p", "a".repeat(10_240), `${"a".repeat(6_142)} …`]);
});

Deno.test("a poll of a plugin that returns nothing starts nothing; its state is kept, also by a new server", async () => {
  let app = await appOf(pluginOf(`poll({ state }) {
    const count = (state.get()?.count ?? 0) + 1;
    state.set({ count });
    return count % 2 === 0 ? { count: state.get().count } : undefined;
  }`));
  await evaluated(app, 1_000, 1);
  await evaluated(app, MINUTE, 2);
  app = await app.crash();
  await evaluated(app, MINUTE, 3);
  await evaluated(app, MINUTE, 4);
  assertEquals((await executionsOf(app, "p")).map(({ trigger }) => trigger.count), [2, 4]);
  assertEquals(evaluationsOf(await stateOf(app, "p")).reverse(), [
    "SKIPPED: Its condition is false",
    "STARTED",
    "SKIPPED: Its condition is false",
    "STARTED",
  ]);
  await app[Symbol.asyncDispose]();
});

/** What a poll does, and the evaluation of it; `secret` is in `url`. */
const FAILING: readonly (readonly [body: string, evaluation: RegExp])[] = [
  [
    'throw new Error("refused: " + context.properties.url)',
    /^SKIPPED: queue\.js:\d+:\d+: refused: \*\*masked\*+$/,
  ],
  ["return 5", /^SKIPPED: Invalid outputs: poll must return an object, or nothing$/],
  ["for (;;);", /^SKIPPED: queue\.js: the poll took longer than 1 s$/],
  [
    "const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))",
    /^SKIPPED: The plugin used more than 512 MB of memory$/,
  ],
  ['context.state.set({ text: "a".repeat(20_000) })', /^SKIPPED: Cannot keep the state of the trigger: /],
  ['await Deno.readTextFile("/etc/hostname")', /^SKIPPED: queue\.js:\d+:\d+: NotCapable: Requires read /],
  ['await context.metric("a", 1)', /^SKIPPED: queue\.js:\d+:\d+: TypeError: context\.metric is not a func/],
];

for (const [body, evaluation] of FAILING) {
  Deno.test(`a poll of a plugin that fails gives the reason, and is repeated: ${body}`, async () => {
    await using app = await appOf(
      pluginOf(`async poll(context) { if (!context.state.get()) { ${body} } return {}; }`),
      { url: "{{ secret('KEY') }}", timeout: body.includes("for (;;);") ? "PT1S" : "PT1M" },
      { secrets: new Map([["KEY", btoa("sesame-0815")]]) },
    );
    await evaluated(app, 1_000, 1);
    assertMatch(String(await lastEvaluation(app)), evaluation);
    await evaluated(app, MINUTE, 2);
    assertMatch(String(await lastEvaluation(app)), evaluation);
    assertEquals(await executionsOf(app, "p"), []);
  });
}

for (
  const { when, outcome } of [
    { when: undefined, outcome: "STARTED" },
    { when: "{{ trigger.text == 'two' }}", outcome: "SKIPPED: `when` is false" },
  ]
) {
  Deno.test(`a poll of a plugin confirms messages once its evaluation is durable: ${outcome}`, async () => {
    const seen: unknown[] = [];
    const started = Promise.withResolvers<Harness>();
    await using queue = new ApiStub(async ({ method }) => {
      if (method === "DELETE") seen.push(evaluationsOf(await stateOf(await started.promise, "p")));
      return {};
    });
    await using app = await appOf(
      pluginOf(`poll(context) {
        const { state } = context;
        if (state.get()) return { text: state.get().text };
        context.whenDurable(async () => {
          await context.http({ url: context.properties.url, method: "DELETE" });
          state.set({ text: "confirmed" });
        });
        return { text: "one" };
      }`),
      { url: queue.url, ...when && { when } },
    );
    started.resolve(app);
    await app.advance(1_000);
    await until(() => seen.length > 0);
    assertEquals(seen, [[outcome]]);
    // The state that the confirmation has set is stored after it.
    await until(async () => {
      await app.advance(MINUTE);
      return (await executionsOf(app, "p")).at(-1)?.trigger.text === "confirmed" || when !== undefined;
    });
  });
}

Deno.test("a poll of a plugin that fails after it registered a confirmation confirms nothing", async () => {
  await using queue = new ApiStub(() => ({}));
  await using app = await appOf(
    pluginOf(`poll(context) {
      context.whenDurable(async () => void await context.http({ url: context.properties.url }));
      throw new Error("late");
    }`),
    { url: queue.url },
  );
  await evaluated(app, 1_000, 1);
  await evaluated(app, MINUTE, 2);
  assertMatch(String(await lastEvaluation(app)), /late$/);
  assertEquals(queue.requests, []);
});

Deno.test("a confirmation of a plugin that fails is an evaluation", async () => {
  await using app = await appOf(
    pluginOf(
      `poll(context) { context.whenDurable(async () => { throw new Error("refused"); }); return {}; }`,
    ),
  );
  await evaluated(app, 1_000, 2);
  const [failed, started] = evaluationsOf(await stateOf(app, "p"));
  assertMatch(String(failed), /^SKIPPED: queue\.js:\d+:\d+: refused$/);
  assertEquals([started, (await executionsOf(app, "p")).length], ["STARTED", 1]);
});

Deno.test("an endless poll of a plugin does not hold up another trigger of it, nor the stop of the server", async () => {
  await using app = await appOf(
    pluginOf(`poll({ properties }) { while (properties.size === 1); return {}; }`),
  );
  await app.save(triggeredFlow("q", { type: TYPE, size: 1 }));
  await evaluated(app, 1_000, 1);
  await until(async () => (await stateOf(app, "q")).evaluateRunningDate !== undefined);
  assertEquals(evaluationsOf(await stateOf(app, "p")), ["STARTED"]);
});

/** A realtime trigger of messages that the stub gives as `GET /<number of the message>`, and gets back as `DELETE`. */
const REALTIME = pluginOf(`async *realtime(context) {
  const { url } = context.properties;
  console.log("connects");
  for (let number = 1; ; number++) {
    const { status, text } = await context.http({ url: url + "/" + number });
    if (status !== 200) await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    if (context.signal.aborted) return;
    yield JSON.parse(text);
    await context.http({ url: url + "/" + number, method: "DELETE" });
  }
}`);

/** Gives the messages. */
function queueOf(
  messages: readonly object[],
  taken: (request: ApiRequest) => ApiReply | Promise<ApiReply> = () => ({}),
): ApiStub {
  return new ApiStub((request) =>
    request.method === "GET" ? messages[Number(request.path.slice(1)) - 1] : taken(request)
  );
}

Deno.test("each event of a realtime plugin starts an execution, and is acknowledged when that is durable", async () => {
  const durable: number[] = [];
  const started = Promise.withResolvers<Harness>();
  await using queue = queueOf([{ text: "one" }, { text: "two" }], async () => {
    durable.push((await executionsOf(await started.promise, "p")).length);
    return {};
  });
  await using app = await appOf(REALTIME, { url: queue.url });
  started.resolve(app);
  await app.advance(1);
  await until(() => durable.length === 2);
  assertEquals(durable, [1, 2]);
  const executions = await executionsOf(app, "p");
  assertEquals(executions.map(({ trigger }) => trigger.text), ["one", "two"]);
  const logs = await app.json("GET", `/logs/${executions[0]?.id}`) as readonly JsonObject[];
  assertEquals(logs.filter(({ level }) => level === "INFO").map(({ message }) => message), ["connects"]);
});

Deno.test("a realtime plugin emits events with identities, one after the other; what is no object is refused", async () => {
  await using app = await appOf(pluginOf(`async realtime(context) {
    context.connected();
    const refused = await context.emit("text").catch(({ message }) => message);
    await Promise.all(["a", "b", "a"].map((identity) => context.emit({ text: identity }, { identity })));
    await context.emit({ text: refused });
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
  }`));
  await app.advance(1);
  await until(async () => (await executionsOf(app, "p")).length === 3);
  assertEquals((await executionsOf(app, "p")).map(({ trigger }) => trigger.text), [
    "a",
    "b",
    "Invalid event: it must be an object",
  ]);
});

/** How a realtime trigger ends that was not stopped, and its evaluation. */
const CRASHES: readonly (readonly [body: string, evaluation: RegExp])[] = [
  [
    'throw new Error("refused: " + context.properties.url)',
    /^SKIPPED: queue\.js:\d+:\d+: refused: \*\*masked\*+$/,
  ],
  ["", /^SKIPPED: The connection ended$/],
  ["return (async function* () { yield 5; })()", /^SKIPPED: queue\.js: Invalid event: it must be an object$/],
  [
    "const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))",
    /^SKIPPED: The plugin used more than 512 MB of memory$/,
  ],
];

for (const [body, evaluation] of CRASHES) {
  Deno.test(`a realtime plugin that ends is started again, with growing pauses: ${body}`, async () => {
    await using begun = new ApiStub(() => ({}));
    await using app = await appOf(
      pluginOf(`async realtime(context) { await context.http({ url: context.properties.url }); ${body} }`),
      { url: "{{ secret('KEY') }}" },
      { secrets: new Map([["KEY", btoa(begun.url)]]) },
    );
    await app.advance(1);
    for (const [index, ms] of [1_000, 2_000, 4_000].entries()) {
      await until(() => begun.requests.length === index + 1);
      const now = toIso(app.clock.now());
      await until(async () => (await stateOf(app, "p")).evaluatedAt === now);
      assertMatch(String(await lastEvaluation(app)), evaluation);
      await app.advance(ms);
    }
  });
}

/** Starts a realtime plugin that never ends by itself; `url` hears when it begins. */
async function endlessApp(begun: ApiStub): Promise<Harness> {
  const app = await appOf(
    pluginOf(`async realtime(context) { await context.http({ url: context.properties.url }); for (;;); }`),
    { url: begun.url },
  );
  await app.advance(1);
  await until(() => begun.requests.length === 1);
  return app;
}

Deno.test("a realtime plugin in an endless loop ends when it is disabled, and when the server stops", async () => {
  await using begun = new ApiStub(() => ({}));
  await using app = await endlessApp(begun);
  await setDisabled(app, true);
  await app.advance(MINUTE);
  assertEquals([begun.requests.length, evaluationsOf(await stateOf(app, "p"))], [1, []]);
  await setDisabled(app, false);
  await app.advance(1);
  await until(() => begun.requests.length === 2);
});

for (const end of ["deleted", "disabled"]) {
  Deno.test(`a realtime plugin ends when its flow is ${end}`, async () => {
    await using ended = new ApiStub(() => ({}));
    await using app = await appOf(
      pluginOf(`async *realtime({ signal, properties: { url } }) {
        const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
        yield { text: "begun" };
        await stopped;
        yield { text: "late" };
      }`),
      { url: ended.url },
    );
    await app.advance(1);
    await until(async () => (await executionsOf(app, "p")).length === 1);
    if (end === "deleted") await app.json("DELETE", "/flows/demo/p");
    else {
      const body = triggeredFlow("p", { type: TYPE, url: ended.url }, { disabled: true });
      await app.json("PUT", "/flows/demo/p", { body, headers: { "content-type": "application/x-yaml" } });
    }
    await app.advance(MINUTE);
    assertEquals((await executionsOf(app, "p")).map(({ trigger }) => trigger.text), ["begun"]);
  });
}

for (const [kind, source] of [["poll", pluginOf("poll: () => ({})")], ["realtime", REALTIME]] as const) {
  Deno.test(`without its plugin a ${kind} trigger says so, and continues once the plugin is there again`, async () => {
    await using queue = queueOf([{ text: "one" }]);
    const declared: JsonObject = { type: TYPE, url: queue.url, ...kind === "poll" && { interval: "PT1H" } };
    const started = await appOf(source, declared);
    await started.advance(1_000);
    await until(async () => (await executionsOf(started, "p")).length === 1);
    const extraTriggers = await triggersOf(source);
    await started[Symbol.asyncDispose]();
    const without = await started.crash({ extraTriggers: [] });
    await evaluated(without, 2 * 60 * MINUTE, 2);
    const reason = `SKIPPED: This server has no type "${TYPE}": start it with the plugin that declares it`;
    assertEquals(evaluationsOf(await stateOf(without, "p")), [reason, "STARTED"]);
    await setDisabled(without, true);
    await setDisabled(without, false);
    await without.advance(2 * 60 * MINUTE);
    assertEquals(evaluationsOf(await stateOf(without, "p")), [reason, "STARTED"]);
    const body = triggeredFlow("p", { ...declared, url: "other" });
    const headers = { "content-type": "application/x-yaml" };
    const refused = await without.request("PUT", "/flows/demo/p", { body, headers });
    assertMatch(await refused.text(), /Invalid type: com\.example\.Queue/);
    await using again = await without.crash({ extraTriggers });
    await again.advance(1);
    await until(async () => (await executionsOf(again, "p")).length === 2);
  });
}
