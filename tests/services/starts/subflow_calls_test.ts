/** `subflow()` in inputs of flows, over the whole server. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { executionsOf } from "../../support/flows/triggers.ts";

const CORE = "io.kestra.plugin.core.";

function flow(id: string, members: JsonObject): string {
  const tasks = [{ id: "t", type: `${CORE}debug.Return`, format: "{{ inputs.choice ?? 'none' }}" }];
  return JSON.stringify({ id, namespace: "demo", tasks, ...members });
}

/** A flow that gives the regions of an input. */
const REGIONS = flow("regions", {
  inputs: [{ id: "cloud", type: "STRING" }],
  outputs: [{
    id: "list",
    type: "ARRAY",

    value: "{{ [inputs.cloud ~ '-1', inputs.cloud ~ '-2'] }}",
  }],
});

/** A flow whose only input offers what this expression gives. */
function chooser(expression: string, members: JsonObject = {}): string {
  const inputs = [{ id: "choice", type: "SELECT", expression: `{{ ${expression} }}`, autoSelectFirst: true }];
  return flow("chooser", { inputs, ...members });
}

async function startProblem(app: Harness): Promise<string> {
  const response = await app.request("POST", "/executions/demo/chooser");
  assertEquals(response.status, 422);
  return (await response.json()).message;
}

const CALL = "subflow(namespace='demo', id='regions', inputs={'cloud': 'aws'}, labels={'team': 'blue'})";

Deno.test("subflow() gives the choices of an input from the outputs of a flow", async () => {
  await using app = await Harness.start();
  await app.save(REGIONS);
  const execution = await app.run(chooser(`${CALL}.outputs.list`), { choice: "aws-2" });
  assertEquals(execution.taskRunList[0]?.outputs, { value: "aws-2" });
  const [called] = await executionsOf(app, "regions");
  assertEquals([called?.state, called?.labels.team, called?.labels["system.from"]], [
    "SUCCESS",
    "blue",
    "subflow",
  ]);
});

Deno.test("subflow() runs once for each check of a form, and gives id, state and labels", async () => {
  await using app = await Harness.start();
  await app.save(REGIONS);
  const checks = [{ condition: "{{ inputs.choice == 'SUCCESS blue' }}", message: "no" }];
  await app.save(chooser(`[${CALL}] | jq('.[] | .state + " " + .labels.team')`, { checks }));
  const report = await app.json("POST", "/executions/demo/chooser/validate") as {
    inputs: JsonObject[];
    checks: [];
  };
  assertEquals([report.inputs[0]?.value, report.checks], ["SUCCESS blue", []]);
  assertEquals((await executionsOf(app, "regions")).length, 1);
});

/** Calls that fail, and what the start says. */
const REFUSED: readonly (readonly [expression: string, problem: string])[] = [
  ["subflow('demo', 'none')", 'Cannot run "demo.none": '],
  ["subflow('demo', 'regions')", "Invalid input for `cloud`, missing required input"],
  ["subflow('demo', 'broken')", "ended FAILED"],
  ["subflow('demo', 'off')", "Cannot execute a flow which is disabled"],
  ["subflow('demo', 'regions', {'cloud': 'a'}, revision=7)", 'Cannot run "demo.regions": '],
  ["subflow('demo', 'regions', 'a')", 'argument "inputs" must be a map'],
  ["subflow('demo', 'regions', revision=0)", 'argument "revision" must be a whole number from 1'],
  ["subflow('demo', 'regions', timeout='PT6M')", 'argument "timeout" must be a duration up to PT5M'],
  [
    "subflow('demo', 'regions', labels={'system.from': 'x'})",
    'the label "system.from" is set by the server only',
  ],
  ["subflow('demo')", 'Missing argument "id"'],
  ["subflow('demo', 'chooser')", "calls of subflow() are nested more than 3 deep"],
];

for (const [expression, problem] of REFUSED) {
  Deno.test(`${expression} is refused: ${problem}`, async () => {
    await using app = await Harness.start();
    await app.save(REGIONS);
    await app.save(flow("broken", { tasks: [{ id: "f", type: `${CORE}execution.Fail` }] }));
    await app.save(flow("off", { disabled: true }));
    await app.save(chooser(expression));
    assertStringIncludes(await startProblem(app), problem);
  });
}

Deno.test("subflow() waits no longer than its timeout", async () => {
  await using app = await Harness.start();
  await app.save(flow("slow", { tasks: [{ id: "p", type: `${CORE}flow.Pause` }] }));
  await app.save(chooser("subflow('demo', 'slow', timeout=30).outputs.list"));
  const problem = startProblem(app);
  await settle();
  await app.advance(31_000);
  assertStringIncludes(await problem, "has not ended within PT30S and continues");
});

Deno.test("subflow() is refused in tasks, which have a type for it", async () => {
  await using app = await Harness.start();
  await app.save(REGIONS);
  const format = `{{ ${CALL}.outputs.list }}`;
  const { id, state } = await app.run(
    flow("f", { tasks: [{ id: "t", type: `${CORE}debug.Return`, format }] }),
  );
  const lines = await app.json("GET", `/logs/${id}`) as { message: string }[];
  assertEquals(state.current, "FAILED");
  assertStringIncludes(lines.map(({ message }) => message).join(), "only inputs of a flow may");
  assertEquals(await executionsOf(app, "regions"), []);
});
