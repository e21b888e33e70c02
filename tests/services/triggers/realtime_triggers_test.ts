/** Realtime triggers: connections follow the states of triggers, and messages start executions at least once. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import type { RealtimeContext } from "../../../src/model/triggers/trigger_definition.ts";
import { realtimeTypeOf } from "../../../src/tasks/definition/trigger_type.ts";
import { Harness } from "../../support/harness.ts";
import { yaml } from "../../support/flows/request_bodies.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { evaluationsOf, executionsOf, stateOf, triggeredFlow } from "../../support/flows/triggers.ts";

/** Another system: gives each connection to the test, which ends it. */
class Broker {
  readonly connections: { readonly context: RealtimeContext; readonly fail: (error: Error) => void }[] = [];
  readonly type = realtimeTypeOf({
    type: "test.Realtime",
    description: "Receives what the test sends.",
    properties: { topic: { type: "string", description: "A topic.", required: true } },
    realtime: (context) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      context.signal.addEventListener("abort", () => resolve(), { once: true });
      this.connections.push({ context, fail: reject });
      return promise;
    },
  });

  get last() {
    const last = this.connections.at(-1);
    if (last) return last;
    throw new Error("There is no connection");
  }

  /** Connections that are not ended. */
  get open(): number {
    return this.connections.filter(({ context }) => !context.signal.aborted).length;
  }

  async connected(count: number): Promise<void> {
    await until(() => Promise.resolve(this.connections.length >= count));
  }
}

const TRIGGER: JsonObject = { type: "io.svc.plugin.test.Realtime", topic: "{{ flow.id }}-topic" };

async function started(
  broker: Broker,
  trigger: JsonObject = TRIGGER,
  options: Parameters<typeof Harness.start>[0] = {},
): Promise<Harness> {
  const app = await Harness.start({ extraTriggers: [broker.type], ...options });
  await app.save(triggeredFlow("p", trigger));
  await app.advance(1);
  await broker.connected(1);
  return app;
}

Deno.test("a realtime trigger connects when its flow is saved, and starts an execution for each message", async () => {
  const broker = new Broker();
  await using app = await started(broker);
  const { context } = broker.last;
  assertEquals([context.properties.topic, context.trigger.triggerId], ["p-topic", "t"]);
  await context.emit({ value: "one" });
  await context.emit({ value: "two" });
  const executions = await executionsOf(app, "p");
  assertEquals(executions.map(({ trigger }) => trigger.value), ["one", "two"]);
  assertEquals(evaluationsOf(await stateOf(app, "p")), ["STARTED", "STARTED"]);
});

Deno.test("a realtime trigger takes no message while the tenant is at its quota of executions", async () => {
  const broker = new Broker();
  const quotaLimits = { executions: { others: 0, tenants: new Map([["main", 1]]) } };
  await using app = await started(broker, TRIGGER, { quotaLimits });
  await broker.last.context.emit({ value: "one" });
  await assertRejects(
    () => broker.last.context.emit({ value: "two" }),
    Error,
    "may store 1 executions and has 1",
  );
  assertEquals((await executionsOf(app, "p")).length, 1);
});

Deno.test("a message with an identity starts one execution, also when it is delivered again after a crash", async () => {
  const broker = new Broker();
  let app = await started(broker);
  const message = [{ value: "one" }, { identity: "topic/0/17" }] as const;
  await broker.last.context.emit(...message);
  await broker.last.context.emit(...message);
  app = await app.crash({ extraTriggers: [broker.type] });
  await app.advance(1); // Ids of the harness repeat at the same time.
  await broker.connected(2);
  await broker.last.context.emit(...message);
  await broker.last.context.emit(message[0], { identity: "topic/0/18" });
  assertEquals((await executionsOf(app, "p")).length, 2);
  await app[Symbol.asyncDispose]();
});

Deno.test("a connection that fails without an error object is opened again", async () => {
  const broker = new Broker();
  await using app = await started(broker);
  broker.last.fail(undefined as unknown as Error);
  await app.advance(1_000);
  await broker.connected(2);
  assertEquals(evaluationsOf(await stateOf(app, "p")), ["SKIPPED: undefined"]);
});

/** How long a connection works, if it does, or that it takes a message; and the pause after it. */
const PAUSES: readonly (readonly [worked: number | "message" | undefined, pauseMs: number])[] = [
  [undefined, 1_000],
  [0, 2_000],
  [5_000, 4_000],
  [undefined, 8_000],
  [60_000, 1_000],
  [10_000, 2_000],
  [40_000, 1_000],
  [0, 2_000],
  ["message", 1_000],
];

Deno.test("a realtime trigger connects again after a failure, with growing pauses until a connection works for some time", async () => {
  const broker = new Broker();
  await using app = await started(broker);
  for (const [index, [worked, pauseMs]] of PAUSES.entries()) {
    if (worked !== undefined) broker.last.context.connected();
    if (worked === "message") await broker.last.context.emit({});
    else await app.advance(worked ?? 60_000);
    broker.last.fail(new Error(`refused ${index}`));
    await until(async () => evaluationsOf(await stateOf(app, "p"))[0] === `SKIPPED: refused ${index}`);
    await app.advance(pauseMs - 1);
    assertEquals(broker.connections.length, index + 1);
    await app.advance(1);
    await broker.connected(index + 2);
  }
});

Deno.test("log lines of a realtime trigger belong to the execution that is started next, without secrets", async () => {
  const broker = new Broker();
  const secrets = new Map([["KEY", btoa("sesame-0815")]]);
  await using app = await started(broker, { ...TRIGGER, topic: "{{ secret('KEY') }}" }, { secrets });
  const { context } = broker.last;
  for (const value of ["one", "two"]) {
    context.log("INFO", `took ${value} of ${context.properties.topic}`);
    await context.emit({ value });
  }
  const lines = (await executionsOf(app, "p")).map(async ({ id }) => {
    const logs = await app.json("GET", `/logs/${id}`) as readonly JsonObject[];
    return logs.filter(({ level }) => level === "INFO").map(({ message }) => message);
  });
  assertEquals(await Promise.all(lines), [["took one of **masked***"], ["took two of **masked***"]]);
});

const update = (app: Harness, source: string) => app.json("PUT", "/flows/demo/p", yaml(source));

const ENDS: readonly (readonly [rule: string, end: (app: Harness) => Promise<unknown>, open: number])[] = [
  ["is saved with another property", (app) => update(app, triggeredFlow("p", { ...TRIGGER, topic: "x" })), 1],
  ["is deleted", (app) => app.json("DELETE", "/flows/demo/p"), 0],
  ["is disabled", (app) => update(app, triggeredFlow("p", TRIGGER, { disabled: true })), 0],
  [
    "declares the trigger as disabled",
    (app) => update(app, triggeredFlow("p", { ...TRIGGER, disabled: true })),
    0,
  ],
];

for (const [rule, end, open] of ENDS) {
  Deno.test(`the connection of a realtime trigger ends when its flow ${rule}`, async () => {
    const broker = new Broker();
    await using app = await started(broker);
    const { context } = broker.last;
    await end(app);
    assertEquals(context.signal.aborted, true);
    await app.advance(60_000);
    assertEquals(broker.open, open);
    const refused = await context.emit({}).then(() => "taken", (error) => error.message);
    assertEquals(refused, "The trigger is stopped");
  });
}

Deno.test("a realtime trigger follows its own switch", async () => {
  const broker = new Broker();
  await using app = await started(broker);
  const set = (disabled: boolean) =>
    app.json("PUT", "/triggers", {
      body: JSON.stringify({ namespace: "demo", flowId: "p", triggerId: "t", disabled }),
      headers: { "content-type": "application/json" },
    });
  await set(true);
  await app.advance(60_000);
  assertEquals(broker.open, 0);
  await set(false);
  await app.advance(1);
  await broker.connected(2);
  assertEquals(broker.open, 1);
});

Deno.test("conditions of a realtime trigger decide about each message", async () => {
  const broker = new Broker();
  await using app = await started(broker, { ...TRIGGER, when: "{{ trigger.value > 1 }}" });
  for (const value of [1, 2, 1]) await broker.last.context.emit({ value });
  assertEquals((await executionsOf(app, "p")).map(({ trigger }) => trigger.value), [2]);
  assertEquals(evaluationsOf(await stateOf(app, "p"))[0], "SKIPPED: `when` is false");
});

Deno.test("stopping the server ends the connections, and a restart opens them again", async () => {
  const broker = new Broker();
  let app = await started(broker);
  const { signal } = broker.last.context;
  app = await app.restart();
  assertEquals(signal.aborted, true);
  await broker.connected(2);
  await app[Symbol.asyncDispose]();
  assertEquals(broker.open, 0);
});
