/** Tests of flows with fixtures, on a complete server. */
import { assertEquals, assertMatch, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { EFFECT_TYPE, type ExecutionResponse, Harness } from "../../../support/harness.ts";
import { json, yaml } from "../../../support/flows/request_bodies.ts";

const PATH = "/flows/demo/etl/test";

const ETL = `id: etl
namespace: demo
inputs:
  - id: name
    type: STRING
    defaults: World
tasks:
  - {id: extract, type: ${EFFECT_TYPE}, name: extract}
  - id: shout
    type: io.svc.plugin.core.debug.Return
    format: "{{ outputs.extract.text | upper }} {{ inputs.name }}"
  - {id: load, type: ${EFFECT_TYPE}, name: load}
errors:
  - {id: alert, type: ${EFFECT_TYPE}, name: alert}
`;

const NO_EFFECTS = `    - id: load
      description: nothing is loaded
    - id: alert
`;

/** A server that counts the effects of each task. */
async function startServer(flow = ETL): Promise<{ server: Harness; ran: string[] }> {
  const ran: string[] = [];
  const server = await Harness.start({
    effect: ({ name }) => {
      ran.push(String(name));
      return { state: "SUCCESS", outputs: { text: "real" } };
    },
  });
  await server.save(flow);
  return { server, ran };
}

interface Result {
  readonly executionId: string;
  readonly executionState: string;
  readonly state: string;
  readonly url: string;
  readonly assertionResults: readonly JsonObject[];
  readonly errors: readonly JsonObject[];
}

async function test(server: Harness, body: string, path = PATH): Promise<Result> {
  return await server.json("POST", path, yaml(body)) as unknown as Result;
}

async function refusal(server: Harness, body: string): Promise<{ status: number; message: string }> {
  const response = await server.request("POST", PATH, yaml(body));
  const { message } = await response.json();
  return { status: response.status, message };
}

async function taskRuns(server: Harness, id: JsonValue): Promise<string[]> {
  const { taskRunList }: ExecutionResponse = await server.execution(id);
  return (taskRunList ?? []).map(({ taskId, state }) => `${taskId} ${state.current}`);
}

Deno.test("POST /flows/:namespace/:id/test runs no task with a fixture, and compares what comes of its outputs", async () => {
  const { server, ran } = await startServer();
  await using _ = server;
  const result = await test(
    server,
    `id: shouts
type: io.kestra.core.tests.flow.UnitTest
fixtures:
  inputs: {name: Ada}
  tasks:
    - id: extract
      outputs: {text: "hello {{ inputs.name }},"}
${NO_EFFECTS}assertions:
  - value: "{{ outputs.shout.value }}"
    equalTo: HELLO ADA, Ada
    description: it shouts
  - value: "{{ outputs.shout.value }}"
    taskId: shout
    endsWith: Bob
    errorMessage: not to Bob
  - value: "{{ execution.state }}"
    in: [SUCCESS, WARNING]
`,
  );
  assertEquals(ran, []);
  const actual = "HELLO ADA, Ada";
  assertObjectMatch(result, {
    testId: "shouts",
    executionState: "SUCCESS",
    state: "FAILED",
    errors: [],
    assertionResults: [
      { operator: "equalTo", expected: actual, actual, isSuccess: true, description: "it shouts" },
      {
        operator: "endsWith",
        actual,
        isSuccess: false,
        expected: "Bob",
        taskId: "shout",
        errorMessage: "not to Bob",
      },
      { operator: "in", expected: ["SUCCESS", "WARNING"], actual: "SUCCESS", isSuccess: true },
    ],
  });
  assertMatch(result.url, new RegExp(`/ui/executions/demo/etl/${result.executionId}$`));
  assertEquals(await taskRuns(server, result.executionId), [
    "extract SUCCESS",
    "shout SUCCESS",
    "load SUCCESS",
  ]);
  const logs = await server.json("GET", `/logs/${result.executionId}`) as JsonObject[];
  assertEquals(
    logs.filter(({ message }) => String(message).includes("fixture")).map(({ taskId }) => taskId),
    [
      "extract",
      "load",
    ],
  );
});

Deno.test("POST /flows/:namespace/:id/test marks the execution as a test, which lists show only on request", async () => {
  const { server } = await startServer();
  await using _ = server;
  const { executionId } = await test(server, `fixtures:\n  tasks:\n    - id: extract\n${NO_EFFECTS}`);
  const execution = await server.execution(executionId);
  assertObjectMatch(execution, { kind: "TEST" });
  const labels = (execution as unknown as { labels: JsonObject[] }).labels;
  assertEquals(labels.find(({ key }) => key === "system.test")?.value, "true");
  assertEquals((await server.page("/executions/search?flowId=etl")).total, 0);
  assertEquals((await server.page("/executions/search?flowId=etl&kind=TEST")).total, 1);
});

Deno.test("POST /flows/:namespace/:id/test follows a failure given by a fixture, without a retry", async () => {
  const retried = ETL.replace(
    "name: extract}",
    "name: extract, retry: {type: constant, interval: PT1H, maxAttempts: 3}}",
  );
  const { server, ran } = await startServer(retried);
  await using _ = server;
  const result = await test(server, `fixtures:\n  tasks:\n    - {id: extract, state: FAILED}\n${NO_EFFECTS}`);
  assertEquals([ran, result.executionState, result.state], [[], "FAILED", "FAILED"]);
  assertEquals(await taskRuns(server, result.executionId), ["extract FAILED", "alert SUCCESS"]);
});

Deno.test("POST /flows/:namespace/:id/test runs the tasks without a fixture", async () => {
  const { server, ran } = await startServer();
  await using _ = server;
  const result = await test(
    server,
    `assertions:\n  - {value: "{{ outputs.extract.text }}", equalTo: real}\n`,
  );
  assertEquals([ran, result.state], [["extract", "load"], "SUCCESS"]);
});

Deno.test("POST /flows/:namespace/:id/test passes without assertions if the execution succeeds, and skips a disabled case", async () => {
  const { server, ran } = await startServer();
  await using _ = server;
  assertEquals(
    (await test(
      server,
      `fixtures:\n  tasks:\n    - {id: extract, state: WARNING, outputs: {text: a}}\n${NO_EFFECTS}`,
    )).state,
    "SUCCESS",
  );
  const skipped = await server.json("POST", PATH, json({ disabled: true }));
  assertEquals(skipped, { state: "SKIPPED", assertionResults: [], errors: [] });
  assertEquals(ran, []);
});

const LOOPS = `id: etl
namespace: demo
tasks:
  - id: each
    type: io.svc.plugin.core.flow.ForEach
    values: [a, b]
    tasks:
      - {id: call, type: ${EFFECT_TYPE}, name: call}
      - id: seen
        type: io.svc.plugin.core.debug.Return
        format: "{{ outputs.call[taskrun.value].text }}"
  - id: loop
    type: io.svc.plugin.core.flow.Loop
    values: [c, d]
    tasks:
      - {id: pass, type: ${EFFECT_TYPE}, name: pass}
    outputs:
      - {id: text, type: STRING, value: "{{ outputs.pass.text }}"}
  - id: hold
    type: io.svc.plugin.core.flow.Pause
  - id: child
    type: io.svc.plugin.core.flow.Subflow
    namespace: demo
    flowId: nowhere
`;

Deno.test("POST /flows/:namespace/:id/test uses a fixture for each item of a loop, or for one item, and for flowable tasks", async () => {
  const { server, ran } = await startServer(LOOPS);
  await using _ = server;
  const result = await test(
    server,
    `fixtures:
  tasks:
    - {id: call, outputs: {text: "all {{ taskrun.value }}"}}
    - {id: call, value: b, outputs: {text: only b}}
    - {id: pass, outputs: {text: "pass {{ item.value }}"}}
    - {id: hold}
    - {id: child, outputs: {outputs: {total: 3}}}
assertions:
  - {value: "{{ outputs.seen.a.value }}", equalTo: all a}
  - {value: "{{ outputs.seen.b.value }}", equalTo: only b}
  - {value: "{{ outputs.loop.outputs[1].outputs.text }}", equalTo: pass d}
  - {value: "{{ outputs.child.outputs.total }}", greaterThan: 2, lessThanOrEqualTo: 3}
`,
  );
  assertEquals(result.assertionResults.map(({ isSuccess, errorMessage = "" }) => [isSuccess, errorMessage]), [
    [true, ""],
    [true, ""],
    [true, ""],
    [true, ""],
    [true, ""],
  ]);
  assertEquals([ran, result.executionState], [[], "SUCCESS"]);
});

Deno.test("POST /flows/:namespace/:id/test shows no secret, and says which template cannot be rendered", async () => {
  const server = await Harness.start({ secrets: new Map([["TOKEN", btoa("open sesame")]]) });
  await using _ = server;
  await server.save(ETL);
  const result = await test(
    server,
    `fixtures:
  tasks:
    - {id: extract, outputs: {text: a}}
${NO_EFFECTS}assertions:
  - {value: "{{ secret('TOKEN') }}", equalTo: wrong}
  - {value: "{{ outputs.nothing.value }}", isNull: true}
  - {value: "{{ outputs.nothing ?? null }}", isNull: true}
  - {value: "{{ outputs.shout.value }}", greaterThan: 1}
`,
  );
  const [secret, unknown, missing, text] = result.assertionResults;
  assertEquals([secret?.actual, secret?.errorMessage], ["**masked***", undefined]);
  assertEquals([unknown?.isSuccess, unknown?.actual], [false, null]);
  assertStringIncludes(String(unknown?.errorMessage), "nothing");
  assertEquals(missing?.isSuccess, true);
  assertEquals(text?.errorMessage, 'Cannot compare "A World": it is not a number');
});

Deno.test("POST /flows/:namespace/:id/test fails a task whose fixture cannot be rendered, or is too large", async () => {
  const { server, ran } = await startServer();
  await using _ = server;
  for (const text of ["{{ outputs.missing.text }}", "{{ 'x' | repeat(2000000) }}"]) {
    const result = await test(
      server,
      `fixtures:\n  tasks:\n    - {id: extract, outputs: {text: "${text}"}}\n${NO_EFFECTS}`,
    );
    assertEquals(await taskRuns(server, result.executionId), ["extract FAILED", "alert SUCCESS"]);
  }
  assertEquals(ran, []);
});

Deno.test("POST /flows/:namespace/:id/test: a replay and a restart use the same fixtures", async () => {
  const { server, ran } = await startServer();
  await using _ = server;
  const { executionId } = await test(
    server,
    `fixtures:\n  tasks:\n    - {id: extract, outputs: {text: a}}\n    - {id: load, state: FAILED}\n    - id: alert\n`,
  );
  const replay = await server.json("POST", `/executions/${executionId}/replay`) as JsonObject;
  await server.json("POST", `/executions/${executionId}/restart`);
  await settle();
  const ends = ["extract SUCCESS", "shout SUCCESS", "load FAILED", "alert SUCCESS"];
  assertEquals(await taskRuns(server, replay.id ?? ""), ends);
  assertEquals(await taskRuns(server, executionId), ends);
  assertEquals(ran, []);
});

const GROUPED = `id: etl
namespace: demo
inputs:
  - {id: g, type: FORM, inputs: [{id: a, type: STRING}]}
  - {id: b.c, type: STRING}
tasks:
  - {id: say, type: io.svc.plugin.core.debug.Return, format: "{{ inputs.g.a }} {{ inputs.b.c }}"}
`;

for (const inputs of ["{g: {a: x}, b: {c: y}}", "{g.a: x, b.c: y}"]) {
  Deno.test(`POST /flows/:namespace/:id/test takes the inputs ${inputs} of a form and a dotted id`, async () => {
    const { server } = await startServer(GROUPED);
    await using _ = server;
    const assertion = '{value: "{{ outputs.say.value }}", equalTo: x y}';
    const { state } = await test(server, `fixtures: {inputs: ${inputs}}\nassertions: [${assertion}]`);
    assertEquals(state, "SUCCESS");
  });
}

Deno.test("POST /flows/:namespace/:id/test refuses a value of a form that is no object", async () => {
  const { server } = await startServer(GROUPED);
  await using _ = server;
  const { status, message } = await refusal(server, "fixtures: {inputs: {g: x, b.c: y}}");
  assertEquals(status, 422);
  assertStringIncludes(message, "fixtures.inputs.g: the flow has no such input");
});

/** Lists of lists of aliases: a billion items if they were written out. */
function bomb(): string {
  const levels = Array.from(
    { length: 9 },
    (_, level) =>
      `v${level + 1}: &v${level + 1} [${Array(10).fill(level === 0 ? "lol" : `*v${level}`).join(", ")}]`,
  );
  return `fixtures:\n  inputs:\n${levels.map((line) => `    ${line}\n`).join("")}`;
}

/** The body of a test, and what the refusal says. */
const REFUSED: readonly (readonly [body: string, message: string])[] = [
  ["", "a test case is an object"],
  ["- a", "a test case is an object"],
  ["{", "Cannot read the YAML text"],
  [bomb(), "Cannot read the YAML text"],
  ["fixture: {}", 'fixture: is unknown; did you mean "fixtures"?'],
  ["fixtures: []", "fixtures: must be an object"],
  ["fixtures: {files: {a: b}}", "fixtures.files: is not supported; store a file in the namespace"],
  ["fixtures: {inputs: {missing: 1}}", "fixtures.inputs.missing: the flow has no such input"],
  ["fixtures: {tasks: {id: a}}", "fixtures.tasks: must be a list"],
  ["fixtures: {tasks: [{id: missing}]}", 'fixtures.tasks[0].id: the flow has no task "missing"'],
  ["fixtures: {tasks: [{state: FAILED}]}", "fixtures.tasks[0].id: must be given"],
  [
    "fixtures: {tasks: [{id: load}, {id: load}]}",
    'fixtures.tasks[1].id: there are two fixtures for task "load"',
  ],
  ["fixtures: {tasks: [{id: load, state: KILLED}]}", "fixtures.tasks[0].state: must be one of SUCCESS"],
  [
    "fixtures: {tasks: [{id: load, output: {}}]}",
    'fixtures.tasks[0].output: is unknown; did you mean "outputs"?',
  ],
  ["fixtures: {tasks: [{id: load, outputs: a}]}", "fixtures.tasks[0].outputs: must be an object"],
  ["fixtures: {tasks: [{id: load, value: []}]}", "fixtures.tasks[0].value: must be a text"],
  ["fixtures: {trigger: {id: daily}}", "fixtures.trigger.type: must be given"],
  ["disabled: maybe", "disabled: must be true or false"],
  ["assertions: [{value: a}]", "assertions[0]: must have an operator: one of isNull"],
  ["assertions: [{equalTo: a}]", "assertions[0].value: must be given"],
  ["assertions: [{value: a, equalsTo: a}]", 'assertions[0].equalsTo: is unknown; did you mean "equalTo"?'],
  ["assertions: [{value: a, isNull: 1}]", "assertions[0].isNull: must be true or false"],
  ["assertions: [{value: a, lessThan: true}]", "assertions[0].lessThan: must be a number"],
  ["assertions: [{value: a, in: 1}]", "assertions[0].in: must be a list"],
  ["assertions: [{value: a, equalTo: a, taskId: no}]", 'assertions[0].taskId: the flow has no task "no"'],
  [`assertions: [${"{value: a, equalTo: a},".repeat(101)}]`, "assertions: at most 100 are allowed"],
];

Deno.test("POST /flows/:namespace/:id/test refuses what it does not understand, and names it", async () => {
  const { server } = await startServer();
  await using _ = server;
  for (const [body, expected] of REFUSED) {
    const { status, message } = await refusal(server, body);
    assertEquals(status, 422, body);
    assertStringIncludes(message, expected);
  }
  assertEquals((await server.page("/executions/search?kind=TEST")).total, 0);
});

Deno.test("POST /flows/:namespace/:id/test gives the variables of a trigger", async () => {
  const { server } = await startServer(ETL.replace("inputs.name", "trigger.uri"));
  await using _ = server;
  const result = await test(
    server,
    `fixtures:
  trigger: {id: hook, type: io.svc.plugin.core.trigger.Webhook, variables: {uri: from afar}}
  tasks:
    - {id: extract, outputs: {text: a}}
${NO_EFFECTS}assertions:
  - {value: "{{ outputs.shout.value }}", contains: from afar}
`,
  );
  assertEquals(result.state, "SUCCESS");
});
