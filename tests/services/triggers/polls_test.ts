import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import type { Trigger } from "../../../src/model/flows/flow.ts";
import { pollIntervalMs } from "../../../src/services/triggers/polls.ts";
import { type Effect, EFFECT_TYPE, Harness } from "../../support/harness.ts";
import { AMQP_PASSWORD, AMQP_USER, AmqpBroker, storedMessage } from "../../support/servers/amqp_broker.ts";
import { ApiStub } from "../../support/servers/api_stub.ts";
import { triggerTypeOf } from "../../../src/tasks/definition/trigger_type.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { evaluationsOf, executionsOf, stateOf, triggeredFlow } from "../../support/flows/triggers.ts";

const MINUTE = 60_000;
const AT_MOST_ONE = { executions: { others: 0, tenants: new Map([["main", 1]]) } };

/** A server that responds with these codes in order, then always with the last one. */
class Upstream implements AsyncDisposable {
  readonly url: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  served = 0;
  /** The bytes of the last request. */
  body: readonly number[] = [];

  constructor(codes: readonly number[]) {
    this.#server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
      this.body = [...await request.bytes()];
      const status = codes[Math.min(this.served++, codes.length - 1)];
      return Response.json({ number: this.served }, { status });
    });
    this.url = `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function httpTrigger(uri: string, properties: JsonObject = {}): JsonObject {
  return { type: "io.kestra.plugin.core.http.Trigger", uri, interval: "PT1M", ...properties };
}

function sqsTrigger(url: string, when?: string): JsonObject {
  return {
    type: "io.kestra.plugin.aws.sqs.Trigger",
    accessKeyId: "key",
    secretKeyId: "secret",
    region: "eu-central-1",
    endpointOverride: url,
    queueUrl: `${url}/q`,
    maxRecords: 1,
    ...when && { when },
  };
}

/** Advances the clock and waits until the trigger was evaluated so many times in total. */
async function poll(app: Harness, ms: number, evaluations: number): Promise<void> {
  await app.advance(ms);
  await until(async () => evaluationsOf(await stateOf(app, "p")).length >= evaluations);
}

Deno.test("Polls.poll() starts an execution with the response, once an interval", async () => {
  await using upstream = new Upstream([200]);
  await using app = await Harness.start();
  await app.save(triggeredFlow("p", httpTrigger(upstream.url)));
  await poll(app, 1_000, 1);
  await poll(app, MINUTE, 2);
  const executions = await executionsOf(app, "p");
  assertEquals(executions.map(({ trigger: { uri, code, body } }) => [uri, code, body]), [
    [upstream.url, 200, '{"number":1}'],
    [upstream.url, 200, '{"number":2}'],
  ]);
});

for (
  const [interval, ms] of [
    [undefined, 60_000],
    ["PT0S", 60_000],
    ["PT0.001S", 1_000],
    ["PT0.999S", 1_000],
    ["PT1S", 1_000],
    ["PT1.5S", 1_500],
    ["P1D", 86_400_000],
  ] as const
) {
  Deno.test(`pollIntervalMs() of the interval ${interval} is ${ms} ms`, () => {
    const properties = interval === undefined ? {} : { interval };
    assertEquals(pollIntervalMs({ id: "p", type: "t", properties } as unknown as Trigger), ms);
  });
}

Deno.test("Polls.poll() asks no other system while the tenant is at its quota of executions, and says so", async () => {
  await using upstream = new Upstream([200]);
  await using app = await Harness.start({ quotaLimits: AT_MOST_ONE });
  await app.save(triggeredFlow("p", httpTrigger(upstream.url)));
  await poll(app, 1_000, 1);
  await poll(app, MINUTE, 2);
  assertEquals([(await executionsOf(app, "p")).length, upstream.served], [1, 1]);
  const [latest] = evaluationsOf(await stateOf(app, "p"));
  assertStringIncludes(String(latest), "may store 1 executions and has 1");
});

Deno.test("the variables of an HTTP trigger do not repeat the password of its address", async () => {
  await using upstream = new Upstream([200]);
  await using app = await Harness.start();
  await app.save(triggeredFlow("p", httpTrigger(upstream.url.replace("//", "//ann:secret@"))));
  await poll(app, 1_000, 1);
  const [execution] = await executionsOf(app, "p");
  assertEquals(execution?.trigger.uri, upstream.url);
});

Deno.test("Polls.poll() sends the body of a request in the character set of its content type", async () => {
  await using upstream = new Upstream([200]);
  await using app = await Harness.start();
  const headers = { "Content-Type": "text/plain; charset=windows-1252" };
  await app.save(triggeredFlow("p", httpTrigger(upstream.url, { method: "POST", body: "€", headers })));
  await poll(app, 1_000, 1);
  assertEquals(upstream.body, [0x80]);
});

Deno.test("GET /triggers/search shows since when a poll is under way, and nothing afterwards", async () => {
  const [asked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()];
  const upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    asked.resolve();
    return release.promise;
  });
  await using app = await Harness.start();
  await app.save(triggeredFlow("p", httpTrigger(`http://127.0.0.1:${upstream.addr.port}/`)));
  assertEquals((await stateOf(app, "p")).evaluateRunningDate, undefined);
  await app.advance(1_000);
  await asked.promise;
  const { evaluateRunningDate, evaluatedAt } = await stateOf(app, "p");
  assertEquals([typeof evaluateRunningDate, evaluatedAt], ["string", undefined]);
  release.resolve(new Response("done"));
  await until(async () => evaluationsOf(await stateOf(app, "p")).length === 1);
  const after = await stateOf(app, "p");
  assertEquals([after.evaluateRunningDate, typeof after.evaluatedAt], [undefined, "string"]);
  await upstream.shutdown();
});

for (
  const { when, outcomes } of [
    { when: undefined, outcomes: ["STARTED"] },
    { when: "{{ trigger.count == 2 }}", outcomes: ["SKIPPED: `when` is false"] },
  ]
) {
  Deno.test(`messages of a poll are confirmed when its evaluation is durable: ${outcomes}`, async () => {
    await using app = await Harness.start();
    const seen: (readonly string[])[] = [];
    await using queue = new ApiStub(async ({ headers }) => {
      if (headers["x-amz-target"] === "AmazonSQS.ReceiveMessage") {
        return { Messages: seen.length === 0 ? [{ Body: "1", ReceiptHandle: "r" }] : [] };
      }
      seen.push(evaluationsOf(await stateOf(app, "p")));
      return Response.json({ message: "refused" }, { status: 400 });
    });
    await app.save(triggeredFlow("p", sqsTrigger(queue.url, when)));
    await app.advance(1_000);
    const last = async () => evaluationsOf(await stateOf(app, "p"))[0] ?? "";
    await until(async () => (await last()).includes("Cannot delete messages"));
    assertEquals(seen, [outcomes]);
  });
}

/** A queue with a message until it is deleted, which takes until `release` resolves. */
function slowQueue() {
  const [asked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const seen = { received: 0, isDeleted: false };
  const stub = new ApiStub(async ({ headers }) => {
    if (headers["x-amz-target"] === "AmazonSQS.ReceiveMessage") {
      seen.received++;
      return { Messages: seen.isDeleted ? [] : [{ Body: "1", ReceiptHandle: "r" }] };
    }
    asked.resolve();
    await release.promise;
    seen.isDeleted = true;
    return {};
  });
  return { stub, asked: asked.promise, release: release.resolve, seen };
}

Deno.test("Polls.poll() waits until the messages of the poll before are confirmed", async () => {
  await using app = await Harness.start();
  const { stub, asked, release } = slowQueue();
  await using queue = stub;
  await app.save(triggeredFlow("p", sqsTrigger(queue.url)));
  await app.advance(1_000);
  await asked;
  await app.advance(2 * MINUTE);
  assertEquals((await stateOf(app, "p")).evaluateRunningDate, undefined);
  release();
  await until(async () => evaluationsOf(await stateOf(app, "p")).length === 2);
  assertEquals((await executionsOf(app, "p")).length, 1);
});

Deno.test("Polls.poll() does not poll a trigger that was disabled while it waited", async () => {
  await using app = await Harness.start();
  const { stub, asked, release, seen } = slowQueue();
  await using queue = stub;
  await app.save(triggeredFlow("p", sqsTrigger(queue.url)));
  await app.advance(1_000);
  await asked;
  await app.advance(2 * MINUTE);
  const body = JSON.stringify({ namespace: "demo", flowId: "p", triggerId: "t", disabled: true });
  await app.json("PUT", "/triggers/set-disabled", { body });
  release();
  await until(() => seen.isDeleted);
  // A poll that began then would have sent its request before these.
  for (let n = 0; n < 20; n++) await (await fetch(queue.url, { method: "POST" })).body?.cancel();
  assertEquals(seen.received, 1);
});

Deno.test("Polls.poll() closes a connection after its confirmations, or when it fails", async () => {
  await using app = await Harness.start();
  await using broker = new AmqpBroker();
  await app.save(triggeredFlow("p", {
    type: "io.kestra.plugin.amqp.Trigger",
    host: "127.0.0.1",
    port: broker.port,
    username: AMQP_USER,
    password: AMQP_PASSWORD,
    queue: "q",
    serdeType: "JSON",
    maxRecords: 1,
  }));
  await poll(app, 1_000, 1);
  await until(() => Promise.resolve(broker.openCount === 0));
  const [first = ""] = evaluationsOf(await stateOf(app, "p"));
  assertEquals(first.includes("no queue 'q'"), true, first);
  broker.queues.set("q", [storedMessage("1")]);
  await poll(app, MINUTE, 2);
  await until(() => Promise.resolve(broker.openCount === 0));
  assertEquals(broker.queues.get("q")?.length, 0);
  const [last = ""] = evaluationsOf(await stateOf(app, "p"));
  assertEquals([last, (await executionsOf(app, "p")).length], ["STARTED", 1]);
});

Deno.test("Polls.poll() stores the state that a confirmation sets, and keeps that of the poll if it fails", async () => {
  await using app = await Harness.start();
  let deleteStatus = 403;
  await using bucket = new ApiStub(({ method, query }) => {
    if (method === "DELETE") return new Response(null, { status: deleteStatus });
    const entry = "<Contents><Key>a</Key><ETag>1</ETag></Contents>";
    return new Response(query["list-type"] ? `<ListBucketResult>${entry}</ListBucketResult>` : "content");
  });
  await app.save(triggeredFlow("p", {
    type: "io.kestra.plugin.aws.s3.Trigger",
    accessKeyId: "key",
    secretKeyId: "secret",
    region: "eu-central-1",
    endpointOverride: bucket.url,
    bucket: "b",
    action: "DELETE",
  }));
  const starts = async () => (await executionsOf(app, "p")).length;
  const startsAfter = async (ms: number, deletions: number) => {
    await app.advance(ms);
    await until(() => bucket.calls.filter((call) => call === "DELETE /b/a").length >= deletions);
    return await starts();
  };
  const refused = await startsAfter(1_000, 1);
  deleteStatus = 204;
  const deleted = await startsAfter(MINUTE, 2);
  assertEquals([refused, deleted], [1, 1]);
  // It is listed still, and is new again once the state without its mark is stored.
  await until(async () => {
    await app.advance(MINUTE);
    return await starts() > 1;
  });
});

/** Response codes, properties of the trigger, and the evaluations of two polls. */
const CASES:
  readonly (readonly [codes: readonly number[], properties: JsonObject, outcomes: readonly string[]])[] = [
    [[500, 200], {}, ["SKIPPED: Its condition is false", "STARTED"]],
    [[200, 500], { responseCondition: "{{ response.statusCode == 500 }}" }, [
      "SKIPPED: Its condition is false",
      "STARTED",
    ]],
    [[200], { responseCondition: "{{ json(response.body).number == 2 and response.body contains '2' }}" }, [
      "SKIPPED: Its condition is false",
      "STARTED",
    ]],
    [
      [200],
      { responseCondition: "{{ json(response.body).none.deep == 2 }}" },
      Array(2).fill(
        "SKIPPED: Unable to find `json(response.body).none` used in the expression " +
          "`{{ json(response.body).none.deep == 2 }}` at line 1",
      ),
    ],
    [[200], { responseCondition: "{{ response.body.number == 2 }}" }, [
      "SKIPPED: Its condition is false",
      "STARTED",
    ]],
    [[200], { when: "{{ trigger.code == 201 }}" }, ["SKIPPED: `when` is false", "SKIPPED: `when` is false"]],
  ];

for (const [codes, properties, outcomes] of CASES) {
  Deno.test(`Polls.poll() of responses ${codes.join(", ")} with ${JSON.stringify(properties)}`, async () => {
    await using upstream = new Upstream(codes);
    await using app = await Harness.start();
    await app.save(triggeredFlow("p", httpTrigger(upstream.url, properties)));
    await poll(app, 1_000, 1);
    await poll(app, MINUTE, 2);
    assertEquals(evaluationsOf(await stateOf(app, "p")).reverse(), outcomes);
  });
}

Deno.test("Polls.poll() stores a response encrypted if configured; expressions read it", async () => {
  await using upstream = new Upstream([200]);
  await using app = await Harness.start();
  const body = "{{ fromJson(trigger.encryptedBody).number }}";
  const trigger = httpTrigger(upstream.url, {
    encryptBody: true,
    when: `{{ ${body.slice(2, -2)} == 1 }}`,
    labels: { number: body },
  });
  const format = "{{ trigger.encryptedBody }}";
  const tasks = [{ id: "out", type: "io.kestra.plugin.core.debug.Return", format }];
  await app.save(triggeredFlow("p", trigger, { tasks }));
  await poll(app, 1_000, 1);
  const [execution] = await executionsOf(app, "p");
  assertEquals(execution?.trigger.body, undefined);
  assertEquals((execution?.trigger.encryptedBody as JsonObject).type, "io.kestra.datatype:aes_encrypted");
  assertEquals(execution?.labels.number, "1");
  const { taskRunList } = await app.execution(execution?.id);
  assertEquals(taskRunList[0]?.outputs.value, '{"number":1}');
});

/** Expressions whose errors repeat the body. */
const REPEATING: readonly (readonly [property: string, expression: string, outcome: string])[] = [
  ["responseCondition", "{{ response.body | number }}", "SKIPPED"],
  ["when", "{{ trigger.encryptedBody | number }}", "FAILED"],
];
for (const [property, expression, outcome] of REPEATING) {
  Deno.test(`Polls.poll() does not store an encrypted body in the error of \`${property}\``, async () => {
    const body = `sesame-${"0815".repeat(50)}`;
    await using upstream = new ApiStub(() => new Response(body));
    await using app = await Harness.start();
    const trigger = httpTrigger(upstream.url, { encryptBody: true, [property]: expression });
    await app.save(triggeredFlow("p", trigger));
    await poll(app, 1_000, 1);
    const stored = [
      await stateOf(app, "p"),
      await executionsOf(app, "p"),
      await app.json("GET", "/logs/search"),
    ];
    assertStringIncludes(JSON.stringify(stored), outcome);
    assertStringIncludes(JSON.stringify(stored), "**masked*");
    assertEquals(JSON.stringify(stored).includes("sesame"), false);
  });
}

Deno.test("Polls.poll() stores why there was no response, and polls again", async () => {
  await using app = await Harness.start();
  await app.save(triggeredFlow("p", httpTrigger("ftp://nowhere")));
  await poll(app, 1_000, 1);
  await poll(app, MINUTE, 2);
  assertEquals(evaluationsOf(await stateOf(app, "p")).map((text) => text.slice(0, 22)), [
    'SKIPPED: Invalid uri "',
    'SKIPPED: Invalid uri "',
  ]);
});

Deno.test("Polls.poll() starts a failed execution without a response if configured", async () => {
  await using app = await Harness.start();
  await app.save(triggeredFlow("p", httpTrigger("ftp://nowhere", { failOnTriggerError: true })));
  await poll(app, 1_000, 1);
  assertEquals((await executionsOf(app, "p")).map(({ state }) => state), ["FAILED"]);
  assertEquals(evaluationsOf(await stateOf(app, "p")).map((text) => text.slice(0, 21)), [
    'FAILED: Invalid uri "',
  ]);
});

Deno.test("Polls.poll() starts a failed execution when a condition cannot be evaluated", async () => {
  await using upstream = new Upstream([200]);
  await using app = await Harness.start();
  await app.save(triggeredFlow("p", httpTrigger(upstream.url, { when: "{{ trigger.nothing == 1 }}" })));
  await poll(app, 1_000, 1);
  const [execution] = await executionsOf(app, "p");
  assertEquals([execution?.state, execution?.trigger.code], ["FAILED", 200]);
});

Deno.test("Polls.poll() does not poll while the last execution runs", async () => {
  const never: Effect = () => new Promise(() => {});
  await using upstream = new Upstream([200]);
  await using app = await Harness.start({ effect: never });
  await app.save(triggeredFlow("p", httpTrigger(upstream.url), { tasks: [{ id: "e", type: EFFECT_TYPE }] }));
  await poll(app, 1_000, 1);
  await poll(app, MINUTE, 2);
  assertEquals([upstream.served, (await executionsOf(app, "p")).length], [1, 1]);
  assertEquals(evaluationsOf(await stateOf(app, "p"))[0], "SKIPPED: The previous execution is still running");
});

Deno.test("Polls.poll() notes what a type throws that is no error, and polls again after an interval", async () => {
  let polls = 0;
  const type = triggerTypeOf({
    type: "test.Poll",
    description: "Throws a text.",
    properties: {},
    poll: () => Promise.reject(`poll ${++polls}`),
  });
  await using app = await Harness.start({ extraTriggers: [type] });
  await app.save(triggeredFlow("p", { type: "io.svc.plugin.test.Poll" }));
  await poll(app, 1_000, 1);
  await app.advance(10_000);
  assertEquals([polls, evaluationsOf(await stateOf(app, "p"))], [1, ["SKIPPED: poll 1"]]);
});
