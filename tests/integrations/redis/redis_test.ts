/** Types of Redis, against a real server, and a stub for the commands of a module. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { type JsonObject, stringifyJson } from "../../../src/base/json.ts";
import { listRealtimeTrigger, listTrigger } from "../../../src/integrations/redis/list_types.ts";
import { REDIS_TASKS } from "../../../src/integrations/redis/registry.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import { hasRedis, REDIS_PASSWORD, startRedis } from "../../support/servers/brokers.ts";
import {
  type DefinitionRun,
  pollDefinition,
  runDefinition,
  unconfirmedPoll,
} from "../../support/flows/definition_run.ts";
import { Listening } from "../../support/flows/listen_definition.ts";
import { until } from "../../support/processes/machine_processes.ts";

/** Skipped where the program is missing. */
const ignore = !hasRedis();

function task(name: string): TaskDefinition {
  return REDIS_TASKS.find(({ type }) => type === `redis.${name}`) as TaskDefinition;
}

function run(url: string, name: string, properties: JsonObject): Promise<DefinitionRun> {
  return runDefinition(task(name), { url, ...properties });
}

/** One after the other: a type, its properties and the JSON of its outputs. */
const STEPS: readonly (readonly [name: string, properties: JsonObject, outputs: string])[] = [
  ["string.Set", { key: "a", value: "one" }, "{}"],
  ["string.Set", { key: "a", value: "two", get: true }, '{"oldValue":"one"}'],
  ["string.Get", { key: "a" }, '{"key":"a","data":"two"}'],
  ["string.Get", { key: "none" }, '{"key":"none","data":null}'],
  ["string.Ttl", { key: "a" }, '{"key":"a","ttl":-1}'],
  ["string.Set", { key: "a", value: "x", options: { mustNotExist: true } }, "{}"],
  ["string.Get", { key: "a" }, '{"key":"a","data":"two"}'],
  [
    "string.Set",
    { key: "b", value: { n: [1] }, serdeType: "JSON", options: { expirationDuration: "PT1H" } },
    "{}",
  ],
  ["string.Get", { key: "b", serdeType: "JSON" }, '{"key":"b","data":{"n":[1]}}'],
  ["string.Increment", { key: "n" }, '{"key":"n","value":1}'],
  ["string.Increment", { key: "n", amount: "1.5" }, '{"key":"n","value":2.5}'],
  ["string.Delete", { keys: ["a", "b", "none"] }, '{"count":2}'],
  ["list.ListPush", { key: "l", from: ["one", "two", "three"], batchSize: 2 }, '{"count":3}'],
  ["pubsub.Publish", { channel: "c", from: '["one"]' }, '{"count":1}'],
];

Deno.test({ name: "the types of redis read, write and delete values", ignore }, async () => {
  await using redis = await startRedis();
  for (const [name, properties, outputs] of STEPS) {
    const { outputs: found } = await run(redis.url, name, properties);
    assertEquals(stringifyJson(found), outputs, `${name} ${stringifyJson(properties)}`);
  }
  const some = await run(redis.url, "list.ListPop", { key: "l", maxRecords: 2, count: 1 });
  assertEquals([some.outputs.count, [...some.files.values()]], [2, ['"three"\n"two"\n']]);
  const polled = await pollDefinition(listTrigger, { url: redis.url, key: "l" });
  assertEquals([polled.isFound, [...polled.files.values()]], [true, ['"one"\n']]);
  assertEquals((await pollDefinition(listTrigger, { url: redis.url, key: "l" })).isFound, false);
});

Deno.test({ name: "redis.string.Ttl gives the seconds that are left", ignore }, async () => {
  await using redis = await startRedis();
  await run(redis.url, "string.Set", { key: "b", value: "x", options: { expirationDuration: "PT1H" } });
  const { ttl } = (await run(redis.url, "string.Ttl", { key: "b" })).outputs;
  assert(Number(ttl) > 3_000 && Number(ttl) <= 3_600, String(ttl));
});

const FAILURES: readonly (readonly [name: string, properties: JsonObject, message: string])[] = [
  ["string.Get", { key: "none", failedOnMissing: true }, 'The key "none" does not exist'],
  ["string.Delete", { keys: ["none"], failedOnMissing: true }, "Only 0 of 1 keys existed"],
  ["json.Get", { key: "a" }, "Cannot run JSON.GET at"],
  ["string.Set", { key: "a", value: "{", serdeType: "JSON" }, "it is not JSON"],
  ["list.ListPop", { key: "l" }, "give maxRecords or maxDuration"],
];

Deno.test(
  { name: "failures of redis name the server and its words, never the password", ignore },
  async () => {
    await using redis = await startRedis();
    for (const [name, properties, message] of FAILURES) {
      await assertRejects(() => run(redis.url, name, properties), Error, message);
    }
    const wrong = redis.url.replace(REDIS_PASSWORD, "other-word");
    const refused = await run(wrong, "string.Get", { key: "a" }).catch((error: Error) => error.message);
    assertEquals(
      String(refused).includes(`Cannot connect at "localhost:${redis.port}"`),
      true,
      String(refused),
    );
    assertEquals(String(refused).includes("other-word"), false);
  },
);

/** What the list has, from its head. */
async function valuesOf(url: string, key: string): Promise<string> {
  const { files } = await run(url, "list.ListPop", { key, maxRecords: 100 });
  return [...files.values()].join("");
}

Deno.test(
  { name: "lists of redis give a value that is no JSON as text, and lose none", ignore },
  async () => {
    await using redis = await startRedis();
    const properties = { url: redis.url, key: "jobs", serdeType: "JSON", maxRecords: 10 };
    const push = () => run(redis.url, "list.ListPush", { key: "jobs", from: ["3", "{", '{"a":1}'] });
    await push();
    const { outputs, files } = await runDefinition(task("list.ListPop"), properties);
    assertEquals([outputs.count, ...files.values()], [3, '{"a":1}\n"{"\n3\n']);
    await push();
    const polled = await pollDefinition(listTrigger, properties);
    assertEquals([...polled.files.values()], ['{"a":1}\n"{"\n3\n']);
    await push();
    await using listening = new Listening(listRealtimeTrigger, {
      url: redis.url,
      key: "jobs",
      serdeType: "JSON",
    });
    await until(() => Promise.resolve(listening.messages.length === 3));
    assertEquals(listening.messages.map(({ variables }) => variables.value), [{ a: 1 }, "{", 3]);
  },
);

/** Ways in which the file of values is not stored. */
for (const way of ["failure", "stop"]) {
  Deno.test({ name: `redis.list.ListPop gives the values back after a ${way}`, ignore }, async () => {
    await using redis = await startRedis();
    await run(redis.url, "list.ListPush", { key: "jobs", from: ["three", "two", "one"] });
    const stop = new AbortController();
    const listPop = task("list.ListPop");
    const failing: TaskDefinition = {
      ...listPop,
      run: (context) => {
        const storeFile = () => {
          if (way === "stop") stop.abort();
          return Promise.reject(new Error("the disk is full"));
        };
        return listPop.run({ ...context, storeFile });
      },
    };
    const properties = { url: redis.url, key: "jobs", maxRecords: 2 };
    const running = runDefinition(failing, properties, { signal: stop.signal });
    await assertRejects(() => running, Error, "the disk is full");
    assertEquals(await valuesOf(redis.url, "jobs"), '"one"\n"two"\n"three"\n');
  });
}

Deno.test(
  { name: "redis.list.ListPop takes first what a crash of the task run has left", ignore },
  async () => {
    await using redis = await startRedis();
    const taken = "jobs:taken:main~1.e1.r1";
    await run(redis.url, "list.ListPush", { key: taken, from: ["left"] });
    await run(redis.url, "list.ListPush", { key: "jobs", from: ["two", "one"] });
    assertEquals(await valuesOf(redis.url, "jobs"), '"left"\n"one"\n"two"\n');
    assertEquals(await valuesOf(redis.url, taken), "");
  },
);

Deno.test(
  { name: "redis.list.Trigger keeps the values until its execution is durable", ignore },
  async () => {
    await using redis = await startRedis();
    const properties = { url: redis.url, key: "jobs" };
    await run(redis.url, "list.ListPush", { key: "jobs", from: ["two", "one"] });
    const lost = await unconfirmedPoll(listTrigger, { ...properties, maxRecords: 1 });
    assertEquals([...lost.files.values()], ['"one"\n']);
    const found = await pollDefinition(listTrigger, properties);
    assertEquals([...found.files.values()], ['"one"\n"two"\n']);
    assertEquals((await pollDefinition(listTrigger, properties)).isFound, false);
  },
);

Deno.test(
  { name: "redis.list.RealtimeTrigger keeps a value until its execution is durable", ignore },
  async () => {
    await using redis = await startRedis();
    const properties = { url: redis.url, key: "jobs" };
    await run(redis.url, "list.ListPush", { key: "jobs", from: ["one"] });
    {
      await using refused = new Listening(listRealtimeTrigger, properties, () => {
        throw new Error("not durable");
      });
      await assertRejects(() => refused.ended, Error, "not durable");
    }
    await using listening = new Listening(listRealtimeTrigger, properties);
    await listening.connected;
    await run(redis.url, "list.ListPush", { key: "jobs", from: ["two"] });
    await until(() => Promise.resolve(listening.messages.length === 2));
    assertEquals(listening.messages.map(({ variables }) => variables.value), ["one", "two"]);
  },
);

Deno.test(
  { name: "redis.list.RealtimeTrigger removes the value of the execution, not another one", ignore },
  async () => {
    await using redis = await startRedis();
    await run(redis.url, "list.ListPush", { key: "jobs", from: ["one"] });
    const moved = ["zero"];
    const properties = { url: redis.url, key: "jobs" };
    // As a connection that has been ended at the same time may do.
    await using listening = new Listening(listRealtimeTrigger, properties, async () => {
      const from = moved.splice(0);
      if (from.length > 0) {
        await run(redis.url, "list.ListPush", { key: "jobs:taken:main.demo.h.watch", from });
      }
    });
    await until(() => Promise.resolve(listening.messages.length === 2));
    assertEquals(listening.messages.map(({ variables }) => variables.value), ["one", "zero"]);
  },
);

/** Replies to commands of RedisJSON and of sets of vectors as https://redis.io/docs/latest/commands/vsim/, https://redis.io/docs/latest/commands/json.get/ and its neighbours give them. */
const MODULE_REPLIES: ReadonlyMap<string, string> = new Map([
  ["JSON.GET k $.a", "$3\r\n[1]\r\n"],
  ["JSON.GET k $", '$9\r\n[{"a":1}]\r\n'],
  ['JSON.SET k $ {"a":2} XX', "+OK\r\n"],
  ["JSON.NUMINCRBY k $.a 2", "$3\r\n[3]\r\n"],
  ["JSON.DEL k $.a", ":1\r\n"],
  ["PEXPIRE k 1000", ":1\r\n"],
  ['VADD k REDUCE 1 VALUES 2 0.1 0.9 a CAS NOQUANT EF 5 SETATTR {"y":1} M 7', ":1\r\n"],
  ["VADD k VALUES 2 1 2 a", ":0\r\n"],
  [
    "VSIM k VALUES 2 0.1 0.9 WITHSCORES COUNT 2 EPSILON 0.2 EF 5 FILTER .y FILTER-EF 6",
    "*4\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$3\r\n0.5\r\n",
  ],
  ["VSIM k ELE a WITHSCORES", "*0\r\n"],
  ["VREM k a", ":1\r\n"],
  ["VREM k b", ":0\r\n"],
]);

/** A server that replies by a table, with errors to all other commands but those of a connection. */
async function withModuleStub(work: (url: string, commands: string[]) => Promise<void>): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const commands: string[] = [];
  const serve = async (connection: Deno.Conn) => {
    for await (const chunk of connection.readable.pipeThrough(new TextDecoderStream())) {
      for (const command of chunk.split(/(?=\*\d+\r\n)/)) {
        const text = command.split("\r\n").filter((_, index) => index > 0 && index % 2 === 0).join(" ")
          .trim();
        const isOwn = /^(CLIENT|INFO|HELLO|SELECT)/i.test(text);
        if (!isOwn) commands.push(text);
        const reply = MODULE_REPLIES.get(text) ?? (isOwn ? "+OK\r\n" : `-ERR unknown command ${text}\r\n`);
        await connection.write(new TextEncoder().encode(reply));
      }
    }
  };
  const serving = (async () => {
    const served: Promise<void>[] = [];
    for await (const connection of listener) served.push(serve(connection).catch(() => {}));
    await Promise.all(served);
  })();
  try {
    await work(`redis://localhost:${(listener.addr as Deno.NetAddr).port}`, commands);
  } finally {
    listener.close();
    await serving;
  }
}

Deno.test("the types of redis.json send the commands of the module", async () => {
  await withModuleStub(async (url, commands) => {
    const outputs = async (name: string, properties: JsonObject) =>
      stringifyJson((await run(url, `json.${name}`, { key: "k", ...properties })).outputs);
    assertEquals(await outputs("Get", { path: "$.a" }), '{"key":"k","data":1}');
    const written = { value: '{"a": 2}', get: true, options: { mustExist: true } };
    assertEquals(await outputs("Set", written), '{"oldValue":{"a":1}}');
    const counted = { path: "$.a", amount: 2, options: { expirationDuration: "PT1S" } };
    assertEquals(await outputs("Increment", counted), '{"key":"k","value":3}');
    assertEquals(await outputs("Delete", { keys: { k: ["$.a"] } }), '{"count":1}');
    assertEquals(commands.includes("PEXPIRE k 1000"), true);
  });
});

Deno.test("the types of redis.vector send the commands of sets of vectors", async () => {
  await withModuleStub(async (url) => {
    const outputs = async (name: string, properties: JsonObject) =>
      stringifyJson((await run(url, `vector.${name}`, { key: "k", ...properties })).outputs);
    const options = { reduceDim: 1, quantization: "NO_QUANTIZATION", explorationFactor: 5, maxNodes: 7 };
    const element = { element: "a", vector: [0.1, 0.9], checkAndSet: true, attributes: { y: 1 } };
    assertEquals(await outputs("Add", { ...element, ...options }), '{"added":true}');
    assertEquals(await outputs("Add", { element: "a", vector: "[1, 2]" }), '{"added":false}');
    const search = { count: 2, filter: ".y", filterEfficiency: 6, explorationFactor: 5, epsilon: 0.2 };
    assertEquals(
      await outputs("Similarity", { vector: [0.1, 0.9], ...search }),
      '{"matches":["a","b"],"scores":{"a":1.0,"b":0.5}}',
    );
    assertEquals(await outputs("Similarity", { element: "a" }), '{"matches":[],"scores":{}}');
    assertEquals(await outputs("Delete", { elements: ["a", "b", "a"] }), '{"count":1}');
    const failures: readonly (readonly [string, JsonObject, string])[] = [
      ["Delete", { elements: ["a", "b"], failedOnMissing: true }, "Only 1 of 2 elements existed"],
      ["Similarity", {}, "Give either vector or element"],
      ["Add", { element: "a", vector: ["x"] }, "Invalid vector"],
    ];
    for (const [name, properties, message] of failures) {
      await assertRejects(() => outputs(name, properties), Error, message);
    }
  });
});
