/** Inputs of type FORM where callers meet them: starts, the check of a form, a resume, a subflow. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";

const CORE = "io.kestra.plugin.core.";
const FORM: JsonObject = {
  id: "env",
  type: "FORM",
  displayName: "Environment",
  inputs: [
    { id: "region", type: "SELECT", values: ["EU", "US"] },
    { id: "token", type: "SECRET", required: false },
    { id: "copies", type: "INT", defaults: 2 },
  ],
};
const SHOWN = "{{ inputs.env.region }} {{ inputs.env.copies }} {{ inputs.env.token ?? 'none' }}";

function flow(id: string, members: JsonObject): string {
  const tasks = [{ id: "show", type: `${CORE}debug.Return`, format: SHOWN }];
  return JSON.stringify({ id, namespace: "demo", inputs: [FORM], tasks, ...members });
}

Deno.test("POST /executions/… takes the inputs of a FORM by their full ids", async () => {
  await using app = await Harness.start();
  const execution = await app.run(flow("f", {}), { "env.region": "EU", "env.token": "hunter2" });
  assertEquals(execution.taskRunList[0]?.outputs, { value: "EU 2 hunter2" });
  const { env } = execution.inputs as { env: JsonObject };
  assertEquals([env.region, env.copies, typeof env.token], ["EU", 2, "object"]);
});

Deno.test("POST /executions/… names the full id of an invalid input of a FORM", async () => {
  await using app = await Harness.start();
  await app.save(flow("f", {}));
  const body = new URLSearchParams({ "env.region": "Mars" });
  const response = await app.request("POST", "/executions/demo/f", { body });
  assertEquals(response.status, 422);
  assertStringIncludes(await response.text(), "Invalid input for `env.region`, it must match the values");
});

Deno.test("POST /executions/…/validate reports the inputs of a FORM one by one", async () => {
  await using app = await Harness.start();
  await app.save(flow("f", {}));
  const body = new URLSearchParams({ "env.region": "EU" });
  const { inputs } = await app.json("POST", "/executions/demo/f/validate", { body }) as {
    inputs: { input: JsonObject; value?: unknown; enabled: boolean }[];
  };
  assertEquals(inputs.map(({ input, value }) => [input.id, input.type, value]), [
    ["env.region", "SELECT", "EU"],
    ["env.token", "SECRET", undefined],
    ["env.copies", "INT", 2],
  ]);
});

Deno.test("GET /flows/… returns a FORM as it was declared", async () => {
  await using app = await Harness.start();
  await app.save(flow("f", {}));
  const { inputs } = await app.json("GET", "/flows/demo/f") as { inputs: unknown };
  assertEquals(inputs, [FORM]);
});

Deno.test("POST /executions/…/resume takes the inputs of a FORM", async () => {
  await using app = await Harness.start();
  const tasks: JsonObject[] = [
    { id: "p", type: `${CORE}flow.Pause`, onResume: [FORM] },
    { id: "show", type: `${CORE}debug.Return`, format: "{{ outputs.p.onResume.env.region }}" },
  ];
  const { id } = await app.run(flow("f", { inputs: [], tasks }));
  const body = new FormData();
  body.set("env.region", "US");
  await app.json("POST", `/executions/${id}/resume`, { body });
  await settle();
  assertEquals((await app.execution(id)).taskRunList.at(-1)?.outputs, { value: "US" });
});

Deno.test("a Subflow gives the inputs of a FORM as an object", async () => {
  await using app = await Harness.start();
  await app.save(
    flow("child", { outputs: [{ id: "o", type: "STRING", value: "{{ outputs.show.value }}" }] }),
  );
  const call = { namespace: "demo", flowId: "child", inputs: { env: { region: "{{ 'US' }}", copies: 5 } } };
  const tasks = [{ id: "sub", type: `${CORE}flow.Subflow`, ...call }];
  const { id } = await app.run(flow("parent", { inputs: [], tasks }));
  await settle();
  const { outputs } = (await app.execution(id)).taskRunList[0] ?? {};
  assertEquals(outputs?.outputs, { o: "US 5 none" });
});
