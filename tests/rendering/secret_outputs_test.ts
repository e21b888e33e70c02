/** Outputs of type SECRET that another flow reads: in clear in its templates only, encrypted for it wherever they are stored. */
import { assert, assertEquals } from "@std/assert";
import { type JsonObject, type JsonValue, stringifyJson } from "../../src/base/json.ts";
import { ENCRYPTED_TYPE } from "../../src/model/flows/input_value.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { executionsOf, flowTrigger } from "../support/flows/triggers.ts";
import { EFFECT_TYPE, Harness } from "../support/harness.ts";
import { masked } from "../support/masked.ts";

const SECRET = "correct-horse-battery";
const RETURN = "io.svc.plugin.core.debug.Return";
const LOG = "io.svc.plugin.core.log.Log";
const SUBFLOW = "io.svc.plugin.core.flow.Subflow";

/** Gives its input as a SECRET; `first` is a task before. */
function giver(first = ""): string {
  return `id: giver
namespace: demo
inputs:
- {id: password, type: SECRET, defaults: ${SECRET}}
- {id: any, type: JSON, required: false}
tasks:
${first}
- {id: keep, type: ${RETURN}, format: "{{ inputs.password }}"}
outputs:
- {id: token, type: SECRET, value: "{{ inputs.password }}"}
- {id: any, type: JSON, required: false, value: "{{ inputs.any }}"}
`;
}

const SLEEPS = "- {id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT1M}";

const CALLER = `id: caller
namespace: demo
inputs:
- {id: any, type: JSON, required: false}
tasks:
- {id: call, type: ${SUBFLOW}, namespace: demo, flowId: giver, wait: true, inputs: {any: "{{ inputs.any ?? '{}' }}"}}
- {id: act, type: ${EFFECT_TYPE}, name: "{{ outputs.call.outputs.token }}"}
- {id: tell, type: ${LOG}, message: "{{ outputs.call.outputs.token }} {{ outputs.call.outputs.any ?? '' }}"}
`;

/** A server that notes the names of its effects. */
async function started(): Promise<{ app: Harness; names: JsonValue[] }> {
  const names: JsonValue[] = [];
  const effect = ({ name = null }: JsonObject) => {
    names.push(name);
    return { state: "SUCCESS" as const };
  };
  return { app: await Harness.start({ effect }), names };
}

async function messages(app: Harness, id: JsonValue | undefined): Promise<string[]> {
  const lines = await app.json("GET", `/logs/${id}`) as unknown as { message: string }[];
  return lines.map(({ message }) => message);
}

/** The type of an encrypted value at the end of the path. */
function typeAt(value: unknown, ...path: string[]): unknown {
  return path.reduce((object, name) => (object as Record<string, unknown>)[name], value) as unknown;
}

for (const [how, first] of [["at once", ""], ["after a wait", SLEEPS]] as const) {
  Deno.test(`a SECRET output of a subflow that ends ${how} is in clear for the parent's tasks only`, async () => {
    const { app, names } = await started();
    await using _ = app;
    await app.save(giver(first));
    const { id } = await app.run(CALLER);
    await app.advance(60_000);
    const ended = await app.execution(id);
    assertEquals([ended.state.current, names], ["SUCCESS", [SECRET]]);
    assertEquals(typeAt(ended.taskRunList[0], "outputs", "outputs", "token", "type"), ENCRYPTED_TYPE);
    assert(!stringifyJson(ended as unknown as JsonValue).includes(SECRET));
    assert((await messages(app, id)).some((line) => line.startsWith(masked(SECRET.length))));
  });
}

Deno.test("a ciphertext that a subflow repeats in another output is not decrypted for the parent", async () => {
  const { app } = await started();
  await using _ = app;
  const { outputs } = await app.run(giver()) as unknown as { outputs: JsonObject };
  const { id } = await app.run(CALLER, { any: stringifyJson(outputs.token) });
  const lines = await messages(app, id);
  assert(
    lines.some((line) => line.includes(ENCRYPTED_TYPE)) && !lines.join("\n").includes(SECRET),
    lines.join("\n"),
  );
});

/** Starts when `giver` has ended, with its output as an input of this type. */
function listener(type: string): string {
  const trigger = {
    id: "t",
    ...flowTrigger({ preconditions: { id: "p", flows: [{ namespace: "demo", flowId: "giver" }] } }),
    inputs: { password: "{{ trigger.outputs.token }}" },
  };
  return `id: listener
namespace: demo
inputs:
- {id: password, type: ${type}}
triggers:
- ${JSON.stringify(trigger)}
tasks:
- {id: input, type: ${EFFECT_TYPE}, name: "{{ inputs.password }}"}
- {id: trigger, type: ${EFFECT_TYPE}, name: "{{ trigger.outputs.token }}"}
`;
}

Deno.test("a SECRET output is in clear for the inputs and tasks of a flow that a trigger starts, and encrypted at rest", async () => {
  const { app, names } = await started();
  await using _ = app;
  await app.save(listener("SECRET"));
  await app.run(giver());
  await settle();
  const found = await executionsOf(app, "listener");
  assertEquals(names, [SECRET, SECRET]);
  assertEquals(typeAt(found[0], "trigger", "outputs", "token", "type"), ENCRYPTED_TYPE);
  assert(!JSON.stringify(found).includes(SECRET));
});

Deno.test("a start that a SECRET output prevents does not show it", async () => {
  const { app } = await started();
  await using _ = app;
  await app.save(listener("INT"));
  await app.run(giver());
  await settle();
  const [found] = await executionsOf(app, "listener");
  assertEquals(found?.state, "FAILED");
  const [line = ""] = await messages(app, found?.id);
  assert(line.includes(masked(SECRET.length)) && !line.includes(SECRET), line);
  assert(!JSON.stringify(await app.json("GET", "/triggers/demo/listener")).includes(SECRET));
});

const ECHO = `id: echo
namespace: demo
inputs: [{id: any, type: JSON, required: false}]
tasks: [{id: a, type: ${RETURN}, format: x}]
outputs: [{id: any, type: JSON, required: false, value: "{{ inputs.any }}"}]
`;

/** Shows what a subflow has returned that repeats what it was given. */
const SHOWER = `id: shower
namespace: demo
inputs:
- {id: password, type: SECRET}
- {id: any, type: JSON, required: false}
tasks:
- {id: call, type: ${SUBFLOW}, namespace: demo, flowId: echo, wait: true, inputs: {any: "{{ inputs.any ?? '{}' }}"}}
- {id: show, type: ${RETURN}, format: "{{ outputs.call.outputs.any }}"}
`;

Deno.test("the ciphertext of an input is not decrypted where a subflow repeats it", async () => {
  await using app = await Harness.start();
  await app.save(ECHO);
  const first = await app.run(SHOWER, { password: SECRET });
  const sealed = stringifyJson((first.inputs as unknown as JsonObject).password);
  const { id } = await app.start("shower", { any: sealed, password: "mine" });
  await settle();
  const { state, taskRunList } = await app.execution(id);
  assertEquals(state.current, "SUCCESS");
  assert(String(taskRunList[1]?.outputs.value).includes(ENCRYPTED_TYPE), JSON.stringify(taskRunList[1]));
});

Deno.test("the ciphertext of an input is not decrypted among the outputs that a replay is given", async () => {
  await using app = await Harness.start();
  await app.save(ECHO);
  const first = await app.run(SHOWER, { password: SECRET });
  const [call, show] = first.taskRunList as unknown as { id: string }[];
  const { password } = first.inputs as unknown as JsonObject;
  const body = stringifyJson({ outputs: { [String(call?.id)]: { outputs: { any: password } } } });
  const headers = { "content-type": "application/json" };
  const path = `/executions/${first.id}/replay?taskRunId=${show?.id}`;
  const { id } = await app.json("POST", path, { body, headers }) as JsonObject;
  await settle();
  const shown = JSON.stringify((await app.execution(id)).taskRunList[1]);
  assert(shown.includes(ENCRYPTED_TYPE) && !shown.includes(SECRET), shown);
});

Deno.test("the ciphertext of an input is not decrypted where a Flow trigger gives what a flow repeats", async () => {
  await using app = await Harness.start();
  const trigger = flowTrigger({ preconditions: { id: "p", flows: [{ namespace: "demo", flowId: "echo" }] } });
  await app.save(ECHO);
  await app.save(`id: listener
namespace: demo
inputs: [{id: password, type: SECRET, defaults: ${SECRET}}]
triggers:
- ${JSON.stringify({ id: "t", ...trigger })}
tasks: [{id: show, type: ${RETURN}, format: "{{ trigger.outputs.any.y.x ?? '' }}"}]
`);
  const { inputs } = await app.start("listener");
  const { password } = inputs as unknown as JsonObject;
  await app.start("echo", { any: stringifyJson({ y: { x: password as JsonValue } }) });
  await settle();
  const last = (await executionsOf(app, "listener")).at(-1);
  const shown = JSON.stringify((await app.execution(last?.id)).taskRunList[0]?.outputs);
  assert(shown.includes(ENCRYPTED_TYPE) && !shown.includes(SECRET), shown);
});

Deno.test("an output that a SECRET does not fit does not show it", async () => {
  await using app = await Harness.start();
  const { id } = await app.run(`id: misfit
namespace: demo
inputs: [{id: password, type: SECRET, defaults: ${SECRET}}]
tasks: [{id: a, type: ${RETURN}, format: x}]
outputs: [{id: number, type: INT, value: "{{ inputs.password }}"}]
`);
  const lines = (await messages(app, id)).join("\n");
  assert(lines.includes(masked(SECRET.length)) && !lines.includes(SECRET), lines);
});
