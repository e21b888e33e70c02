/** Which root variables each kind of template sees. */
import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { createExecution } from "../../src/engine/create.ts";
import type { Task } from "../../src/model/flows/flow.ts";
import { createExpressionRenderer } from "../../src/rendering/expression_renderer.ts";
import type { HostValues } from "../../src/rendering/host_functions/mod.ts";
import { createInputRenderer } from "../../src/rendering/input_renderer.ts";
import { Renderer, TemplateCache } from "../../src/rendering/renderer.ts";
import { nestLabels, NO_HOST } from "../../src/rendering/scope.ts";
import { createTriggerRenderer } from "../../src/rendering/trigger_renderer.ts";
import { FAKE_START, FakeClock } from "../support/fakes/fake_clock.ts";
import { plan } from "../support/flows/flows.ts";

const PLAN = plan({ variables: { v: "of the flow" }, labels: [{ key: "a.b", value: "of the flow" }] });
const VALUES: HostValues = {
  secret: () => Promise.resolve(undefined),
  kvPair: () => Promise.resolve(undefined),
};
const SERVER = { clock: new FakeClock(), timeZone: "UTC", random: () => 0, values: VALUES };
const ENVS: JsonObject = { stage: "test" };
const GLOBALS: JsonObject = { company: "acme" };
const KESTRA = { url: "http://here" };

/** Renders a template in each place where flows have them. */
const PLACES: Readonly<Record<string, (template: string) => unknown>> = {
  execution(template) {
    const request = {
      id: "e",
      labels: [{ key: "c", value: "d" }],
      kind: "NORMAL",
      inputs: { i: 1 },
    } as const;
    const execution = createExecution(PLAN.flow, request, FAKE_START);
    const deps = {
      ...SERVER,
      hostValues: VALUES,
      server: { envs: ENVS, globals: GLOBALS, kestra: KESTRA },
      convertOutputs: (_flow: unknown, outputs: JsonObject) => ({ outputs }),
      handOver: (_flow: unknown, outputs: JsonObject) => outputs,
    };
    const history = [{ state: "CREATED", at: FAKE_START } as const];
    const taskRun = { ordinal: 0, taskId: "a", history, attempts: [] };
    execution.taskRuns.push(taskRun);
    const renderer = new Renderer(PLAN, execution, new TemplateCache(), deps);
    return renderer.text(template, { task: PLAN.flow.tasks[0] as Task, taskRun });
  },
  trigger: (template) =>
    createTriggerRenderer({ ...SERVER, envs: ENVS, globals: GLOBALS, kestra: KESTRA })
      .text(PLAN.flow, template, { trigger: { t: 1 } }),
  input: (template) =>
    createInputRenderer({ ...SERVER, server: { envs: ENVS, globals: GLOBALS, kestra: KESTRA } })(PLAN.flow, {
      template,
      inputs: { i: 1 },
      host: NO_HOST,
    }),
  expression: async (template) => {
    const rendered = await createExpressionRenderer(SERVER)(template, {
      tenant: "main",
      context: { own: 1 },
    });
    return "text" in rendered ? rendered.text : rendered.error;
  },
};

const COMMON = ["flow", "vars", "labels", "envs", "globals", "tenantId"];
const NAMES = [
  ...COMMON,
  ...[
    "kestra",
    "execution",
    "inputs",
    "outputs",
    "tasks",
    "task",
    "taskrun",
    "parents",
    "trigger",
    "item",
    "own",
  ],
];
const VISIBLE: Readonly<Record<string, readonly string[]>> = {
  execution: [
    ...COMMON,
    ...["kestra", "execution", "inputs", "outputs", "tasks", "task", "taskrun", "parents"],
  ],
  trigger: [...COMMON, "kestra", "trigger"],
  input: [...COMMON, "kestra", "inputs"],
  expression: ["own"],
};
for (const [place, render] of Object.entries(PLACES)) {
  Deno.test(`root variables of templates: ${place}`, async () => {
    const visible = [];
    for (const name of NAMES) {
      if (String(await render(`{{ ${name} is defined }}`)) === "true") visible.push(name);
    }
    assertEquals(visible, VISIBLE[place]);
  });
}

const SHOWN =
  "{{ flow.id }} {{ flow.tenantId }} {{ vars.v }} {{ labels.a.b }} {{ envs.stage }} {{ globals.company }} {{ tenantId }} {{ kestra.url }}";
for (const place of ["execution", "trigger", "input"]) {
  Deno.test(`root variables of templates: ${place} has those of the flow and the server`, async () => {
    assertEquals(
      await PLACES[place]?.(SHOWN),
      "flow main of the flow of the flow test acme main http://here",
    );
  });
}

/** Labels of an execution, and what expressions see. */
const LABELS: readonly (readonly [labels: Readonly<Record<string, string>>, seen: JsonObject])[] = [
  [{ "a.b": "1" }, { "a.b": "1", a: { b: "1" } }],
  [{ a: "fa", "a.b": "1" }, { a: "fa", "a.b": "1" }],
  [{ "a.b": "1", a: "fa" }, { a: "fa", "a.b": "1" }],
  [{ "a.b.c": "2", "a.b": "1", "a.d": "3" }, {
    "a.b.c": "2",
    "a.b": "1",
    "a.d": "3",
    a: { b: "1", d: "3" },
  }],
  [{ system: "x", "system.correlationId": "c" }, { system: { correlationId: "c" } }],
  [{ "system.a.b": "1", "system.a": "2" }, { system: { a: "2" } }],
];

for (const [labels, seen] of LABELS) {
  Deno.test(`nestLabels() of ${JSON.stringify(labels)} is ${JSON.stringify(seen)}`, () => {
    assertEquals(nestLabels(Object.entries(labels).map(([key, value]) => ({ key, value }))), seen);
  });
}
