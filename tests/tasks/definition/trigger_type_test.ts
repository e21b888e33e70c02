/** Polling triggers of `defineTrigger`, in a server. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { dynamicText } from "../../../src/model/flows/schema.ts";
import { defineTrigger, type TriggerContext } from "../../../src/model/triggers/trigger_definition.ts";
import { triggerTypeOf } from "../../../src/tasks/definition/trigger_type.ts";
import { Harness } from "../../support/harness.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { evaluationsOf, executionsOf, stateOf, triggeredFlow } from "../../support/flows/triggers.ts";

const MINUTE = 60_000;

type Poll = (context: TriggerContext) => Promise<JsonObject | undefined>;

/** A server with a trigger type of that poll, and a flow `p` that uses it. */
async function appOf(poll: Poll, properties: JsonObject = {}): Promise<Harness> {
  const type = triggerTypeOf(defineTrigger({
    type: "test.Trigger",
    description: "Polls as a test says.",
    properties: {
      place: dynamicText("Where to look."),
      maxRecords: { type: "integer", default: 7, description: "Most records." },
    },
    poll,
  }));
  const app = await Harness.start({
    extraTriggers: [type],
    secrets: new Map([["KEY", btoa("sesame-0815")]]),
  });
  await app.save(triggeredFlow("p", { type: "io.kestra.plugin.test.Trigger", ...properties }));
  return app;
}

/** Advances the clock and waits until the trigger was evaluated so many times in total. */
async function polled(app: Harness, ms: number, evaluations: number): Promise<void> {
  await app.advance(ms);
  await until(async () => evaluationsOf(await stateOf(app, "p")).length >= evaluations);
}

Deno.test("a poll with outputs starts one execution, with the files and log lines of the poll", async () => {
  const poll: Poll = async (context) => {
    const { properties, trigger } = context;
    context.log("INFO", `looked into ${properties.place}`);
    const path = `${await context.directory()}/rows.txt`;
    await Deno.writeTextFile(path, "one\ntwo\n");
    const uri = await context.storeFile(path);
    const copy = await Deno.readTextFile(await context.fetchFile(uri));
    return { ...properties, ...trigger, copy, uri };
  };
  await using app = await appOf(poll, { place: "{{ flow.id }}" });
  await polled(app, 1_000, 1);
  const [execution, ...others] = await executionsOf(app, "p");
  const { uri, ...rest } = execution?.trigger ?? {};
  assertEquals(others, []);
  assertEquals(rest, {
    place: "p",
    maxRecords: 7,
    tenant: "main",
    namespace: "demo",
    flowId: "p",
    triggerId: "t",
    copy: "one\ntwo\n",
  });
  assertMatch(String(uri), new RegExp(`/demo/p/executions/${execution?.id}/trigger/t/.*rows\\.txt$`));
  const path = `/executions/${execution?.id}/file?path=${encodeURIComponent(String(uri))}`;
  assertEquals(await (await app.request("GET", path)).text(), "one\ntwo\n");
  const logs = await app.json("GET", `/logs/${execution?.id}`) as readonly JsonObject[];
  assertEquals(logs.filter(({ level }) => level === "INFO").map(({ message }) => message), ["looked into p"]);
});

/** Counts polls in the state of the trigger; fires at each second one. */
const everySecond: Poll = (context) => {
  const count = Number(context.state.get()?.count ?? 0) + 1;
  context.state.set({ count });
  return Promise.resolve(count % 2 === 0 ? { count: context.state.get()?.count ?? null } : undefined);
};

Deno.test("the state of a trigger is kept with each evaluation, also by a new server", async () => {
  await using app = await appOf(everySecond);
  await polled(app, 1_000, 1);
  await polled(app, MINUTE, 2);
  await polled(app, MINUTE, 3);
  assertEquals((await executionsOf(app, "p")).map(({ trigger }) => trigger.count), [2]);
  await using crashed = await app.crash();
  await polled(crashed, MINUTE, 4);
  assertEquals((await executionsOf(crashed, "p")).map(({ trigger }) => trigger.count), [2, 4]);
  assertEquals(evaluationsOf(await stateOf(crashed, "p")).reverse(), [
    "SKIPPED: Its condition is false",
    "STARTED",
    "SKIPPED: Its condition is false",
    "STARTED",
  ]);
});

Deno.test("a failed poll gives the reason, and keeps neither its state nor its files", async () => {
  const uris: string[] = [];
  const states: (JsonObject | undefined)[] = [];
  const poll: Poll = async (context) => {
    states.push(context.state.get());
    context.state.set({ number: states.length });
    const path = `${await context.directory()}/rows.txt`;
    await Deno.writeTextFile(path, "one");
    uris.push(await context.storeFile(path));
    throw new Error('Cannot read "https://a.example": the server is away');
  };
  await using app = await appOf(poll);
  await polled(app, 1_000, 1);
  await polled(app, MINUTE, 2);
  const reason = 'SKIPPED: Cannot read "https://a.example": the server is away';
  assertEquals(evaluationsOf(await stateOf(app, "p")), [reason, reason]);
  assertEquals([states, uris.length, (await executionsOf(app, "p")).length], [[undefined, undefined], 2, 0]);
});

Deno.test("a state that is too large fails the poll", async () => {
  const poll: Poll = (context) => {
    context.state.set({ text: "a".repeat(20_000) });
    return Promise.resolve({});
  };
  await using app = await appOf(poll);
  await polled(app, 1_000, 1);
  assertEquals(evaluationsOf(await stateOf(app, "p")), [
    "SKIPPED: Cannot keep the state of the trigger: it has more than 16384 characters",
  ]);
});

Deno.test("a defined trigger polls once an interval, one minute by default", async () => {
  let count = 0;
  const poll: Poll = () => Promise.resolve(void count++ as undefined);
  await using app = await appOf(poll);
  await polled(app, 1_000, 1);
  await app.advance(MINUTE - 1_000);
  assertEquals(count, 1);
  await polled(app, 1_000, 2);
  assertEquals(count, 2);
});

Deno.test("secrets that a poll used are masked in its reason and in its log lines", async () => {
  let polls = 0;
  const poll: Poll = (context) => {
    context.log("INFO", `logged in with ${context.properties.place}`);
    if (++polls === 1) throw new Error(`refused: ${context.properties.place}`);
    return Promise.resolve({ polls });
  };
  await using app = await appOf(poll, { place: "{{ secret('KEY') }}" });
  await polled(app, 1_000, 1);
  assertEquals(evaluationsOf(await stateOf(app, "p")), ["SKIPPED: refused: **masked***"]);
  await polled(app, MINUTE, 2);
  const [execution] = await executionsOf(app, "p");
  const logs = await app.json("GET", `/logs/${execution?.id}`) as readonly JsonObject[];
  assertEquals(logs.filter(({ level }) => level === "INFO").map(({ message }) => message), [
    "logged in with **masked***",
  ]);
});
