/** The renderer of one execution, over ports of the test. */
import {
  assert,
  assertEquals,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { createExecution } from "../../src/engine/create.ts";
import type { FlowPlan } from "../../src/engine/plan.ts";
import { ExpressionError } from "../../src/expr/mod.ts";
import { convertOutputs } from "../../src/flow/mod.ts";
import type { Execution, TaskRun } from "../../src/model/executions/execution.ts";
import { encryptedValue } from "../../src/model/flows/input_value.ts";
import type { Flow, Output, Task } from "../../src/model/flows/flow.ts";
import type { PropertySchemas } from "../../src/model/flows/schema.ts";
import type { FlowableTaskType } from "../../src/model/tasks/task_catalog.ts";
import type { HostValues } from "../../src/rendering/host_functions/mod.ts";
import { type RenderDeps, Renderer, TemplateCache } from "../../src/rendering/renderer.ts";
import { FAKE_START, FakeClock } from "../support/fakes/fake_clock.ts";
import { plan, task } from "../support/flows/flows.ts";
import { masked } from "../support/masked.ts";

const KIND = "io.svc.plugin.core.test.Rendered";
const SECRET = "hunter2-hunter2";
const INPUT_SECRET = "correct-horse-battery";

/** Properties of the tasks under test. */
const PROPERTIES: PropertySchemas = {
  plain: { type: "string", description: "never rendered" },
  text: { type: "string", description: "rendered", dynamic: true, aliases: ["oldText"] },
  map: { type: "object", description: "rendered at any depth", dynamic: true },
  missing: { type: "string", description: "has a default", dynamic: true, default: "fallback" },
};
const TYPE = {
  kind: KIND,
  description: "",
  properties: PROPERTIES,
  form: "flowable",
} as unknown as FlowableTaskType;

class Setup {
  readonly cache = new TemplateCache();
  readonly clock = new FakeClock();
  /** Calls of the host, in order. */
  readonly reads: string[] = [];
  readonly plan: FlowPlan;
  readonly execution: Execution;

  constructor(flow: Partial<Flow> = {}, start: { readonly inputs?: JsonObject } = {}) {
    this.plan = plan(flow);
    const request = { id: "e", labels: [], kind: "NORMAL", ...start } as const;
    this.execution = createExecution(this.plan.flow, request, FAKE_START);
  }

  renderer(deps: Partial<RenderDeps> = {}): Renderer {
    return new Renderer(this.plan, this.execution, this.cache, {
      clock: this.clock,
      timeZone: "UTC",
      random: () => 0,
      server: { envs: { stage: "test" }, openInput: () => INPUT_SECRET },
      hostValues: this.#hostValues(),
      convertOutputs: (_flow, rendered) => ({ outputs: rendered }),
      handOver: (_flow: unknown, outputs: JsonObject) => outputs,
      ...deps,
    });
  }

  addTaskRun({ id }: Task, outputs?: JsonObject, members: Partial<TaskRun> = {}): TaskRun {
    const ordinal = this.execution.nextOrdinal++;
    const history: TaskRun["history"] = [{ state: "CREATED", at: FAKE_START }];
    const taskRun: TaskRun = { ordinal, taskId: id, history, attempts: [], outputs, ...members };
    this.execution.taskRuns.push(taskRun);
    this.execution.touched.add(ordinal);
    return taskRun;
  }

  #hostValues(): HostValues {
    const note = (name: string): void => void this.reads.push(name);
    return {
      secret: (_tenant, _namespace, name) => {
        note(`secret ${name}`);
        return Promise.resolve(name === "KNOWN" ? SECRET : undefined);
      },
      kvPair: (_tenant, { key }) => {
        note(`kv ${key}`);
        return Promise.resolve(key);
      },
      http: {
        call: ({ uri }) => {
          note(`http ${uri}`);
          return Promise.resolve({ code: 200, contentType: "text/plain", body: `body of ${uri}` });
        },
      },
    };
  }
}

/** Renders the properties of one task. */
async function propertiesOf(given: JsonObject, flow: Partial<Flow> = {}): Promise<JsonObject> {
  const only = task("t", KIND, given);
  const setup = new Setup({ ...flow, tasks: [only] });
  return await setup.renderer().properties(only, TYPE, setup.addTaskRun(only));
}

const PROPERTY_ROWS: readonly (readonly [rule: string, given: JsonObject, rendered: JsonObject])[] = [
  ["a property that is not dynamic stays as written", { plain: "{{ 1 + 1 }}" }, { plain: "{{ 1 + 1 }}" }],
  ["a template gives a text", { text: "{{ 1 + 1 }}" }, { text: "2" }],
  ["a brace without a template stays", { text: "a { b" }, { text: "a { b" }],
  ["an alias gives the property its name", { oldText: "{{ 'x' }}" }, { text: "x" }],
  ["the name wins over an alias", { oldText: "old", text: "new" }, { text: "new" }],
  ["templates are found at any depth, also in names", { map: { "{{ 'k' }}": ["{{ 1 }}", 2] } }, {
    map: { k: ["1", 2] },
  }],
  ["a null stands for the default", { missing: null }, { missing: "fallback" }],
  ["what the type does not declare is left out", { other: "{{ 1 }}" }, {}],
  ["the task and its run are visible", { text: "{{ task.id }} {{ taskrun.attemptsCount }}" }, {
    text: "t 0",
  }],
];
for (const [rule, given, rendered] of PROPERTY_ROWS) {
  Deno.test(`properties() ${rule}`, async () => {
    assertEquals(await propertiesOf(given), { missing: "fallback", ...rendered });
  });
}

Deno.test("properties() of a task without templates are prepared once and shared by all attempts", () => {
  const only = task("t", KIND, { plain: "a", map: { b: [1] } });
  const setup = new Setup({ tasks: [only] });
  const taskRun = setup.addTaskRun(only);
  const first = setup.renderer().properties(only, TYPE, taskRun);
  assertEquals(first, { plain: "a", map: { b: [1] }, missing: "fallback" });
  assertStrictEquals(setup.renderer().properties(only, TYPE, taskRun), first);
});

Deno.test("properties() with templates are a new object each time, at once when nothing is fetched", () => {
  const only = task("t", KIND, { text: "{{ 1 }}" });
  const setup = new Setup({ tasks: [only] });
  const taskRun = setup.addTaskRun(only);
  const renderer = setup.renderer();
  const [first, second] = [
    renderer.properties(only, TYPE, taskRun),
    renderer.properties(only, TYPE, taskRun),
  ];
  assertEquals([first, second], [{ text: "1", missing: "fallback" }, { text: "1", missing: "fallback" }]);
  assert(first !== second);
});

Deno.test("TemplateCache compiles a source once for each plan", () => {
  const cache = new TemplateCache();
  const [one, other] = [plan(), plan()];
  const template = cache.template(one, "{{ 1 }}");
  assertStrictEquals(cache.template(one, "{{ 1 }}"), template);
  assert(cache.template(other, "{{ 1 }}") !== template);
  assert(cache.template(one, "{{ 2 }}") !== template);
});

Deno.test("TemplateCache drops templates that were not used for long: tasks may render any number of them", () => {
  const cache = new TemplateCache();
  const one = plan();
  const [first, used] = [cache.template(one, "{{ 1 }}"), cache.template(one, "{{ 2 }}")];
  for (let n = 0; n < 40; n++) {
    cache.template(one, `{{ ${n} }}${" ".repeat(10_000)}`);
    cache.template(one, "{{ 2 }}");
  }
  assert(cache.template(one, "{{ 1 }}") !== first);
  assertStrictEquals(cache.template(one, "{{ 2 }}"), used);
});

Deno.test("TemplateCache keeps all templates of a large flow", () => {
  const cache = new TemplateCache();
  const sources = Array.from({ length: 40 }, (_, n) => `{{ ${n} }}${" ".repeat(10_000)}`);
  const base = plan();
  const large = { ...base, flow: { ...base.flow, source: sources.join("\n") } };
  const templates = sources.map((source) => cache.template(large, source));
  assertEquals(sources.map((source) => cache.template(large, source)), templates);
  assertStrictEquals(cache.template(large, sources[0] ?? ""), templates[0]);
});

Deno.test("TemplateCache.prepare() prepares the tasks of a flow and passes over unknown types", () => {
  const [known, unknown] = [task("a", KIND, { text: "{{ 1 }}" }), task("b", "x.Unknown", { text: "{{" })];
  const setup = new Setup({ tasks: [known, unknown] });
  const find = (kind: string) => kind === known.kind ? TYPE : undefined;
  const none = { find: () => undefined, list: () => [] };
  const load = () => undefined;
  const catalog = { find, list: () => [TYPE], runners: none, parts: none, load, loadAll: load };
  setup.cache.prepare(setup.plan, catalog);
  const prepared = setup.cache.task(setup.plan, known, TYPE);
  assertEquals(prepared.dynamic.map(({ name }) => name), ["text"]);
  assertStrictEquals(setup.cache.task(setup.plan, known, TYPE), prepared);
});

Deno.test("text() of a template that does not compile, or cannot be rendered, throws an expression error", () => {
  const renderer = new Setup().renderer();
  assertThrows(() => renderer.text("{{ 1 +"), ExpressionError);
  assertThrows(() => renderer.text("{{ unknown.name }}"), ExpressionError);
});

Deno.test("text() masks an input of type SECRET that an error repeats", async () => {
  const password = { id: "p", type: "SECRET", required: true, properties: {} };
  const inputs = { p: encryptedValue(new Uint8Array([1])) };
  const setup = new Setup({ inputs: [password] }, { inputs });
  const renderer = setup.renderer();
  assertEquals(await renderer.text("{{ inputs.p }}"), INPUT_SECRET);
  const error = await assertRejects(
    async () => await renderer.text("{{ secret(inputs.p) }}"),
    ExpressionError,
  );
  assertStringIncludes(error.message, `key '${masked(INPUT_SECRET.length)}'`);
  assertEquals(renderer.hostCalls.mask(`a ${INPUT_SECRET}`), `a ${masked(INPUT_SECRET.length)}`);
});

Deno.test("text() that reads a secret is masked from then on, and reads it once a moment", async () => {
  const setup = new Setup();
  const renderer = setup.renderer();
  assertEquals(renderer.hostCalls.mask(SECRET), SECRET);
  assertEquals(await renderer.text("{{ secret('KNOWN') }} {{ secret('KNOWN') }}"), `${SECRET} ${SECRET}`);
  await renderer.text("{{ secret('KNOWN') }}");
  assertEquals(setup.reads, ["secret KNOWN"]);
  assertEquals(renderer.hostCalls.mask(`a ${SECRET}`), `a ${masked(SECRET.length)}`);
});

Deno.test("a renderer of an execution that was read back knows the secrets of its flow before the first render", async () => {
  const source = "message: \"{{ secret('KNOWN') }} {{ secret('MISSING') }}\"";
  const setup = new Setup({
    source,
    definition: { message: "{{ secret('KNOWN') }} {{ secret('MISSING') }}" },
  });
  setup.addTaskRun(setup.plan.flow.tasks[0] as Task);
  const renderer = setup.renderer();
  assertEquals(await renderer.text("plain"), "plain");
  assertEquals(setup.reads, ["secret KNOWN", "secret MISSING"]);
  assertEquals(renderer.hostCalls.mask(SECRET), masked(SECRET.length));
});

Deno.test("properties() calls a function with an effect once, although a render begins again for each value", async () => {
  const only = task("t", KIND, { text: "{{ http('u') }} {{ kv('k') }} {{ http('u') }}" });
  const setup = new Setup({ tasks: [only] });
  const renderer = setup.renderer();
  assert(renderer.hasEffect(only));
  assertEquals(await renderer.properties(only, TYPE, setup.addTaskRun(only)), {
    text: "body of u k body of u",
    missing: "fallback",
  });
  assertEquals(setup.reads, ["http u", "kv k", "http u"]);
});

Deno.test("hasEffect() is false for a task that calls no function with an effect", () => {
  const only = task("t", KIND, { text: "{{ kv('k') }}" });
  assertEquals(new Setup({ tasks: [only] }).renderer().hasEffect(only), false);
});

Deno.test("members() renders the named properties that are given, whatever their type declares", async () => {
  const only = task("t", KIND, { plain: "{{ 1 }}", map: { a: "{{ 2 }}" }, text: "{{ 3 }}" });
  const setup = new Setup({ tasks: [only] });
  const scope = { task: only, taskRun: setup.addTaskRun(only) };
  const renderer = setup.renderer();
  assertEquals(await renderer.members(["plain", "map", "absent"], scope), { plain: "1", map: { a: "2" } });
  assertEquals(await renderer.members([], scope), {});
});

Deno.test("value() sees further variables in front of the others; a null hides", async () => {
  const only = task("t", KIND);
  const setup = new Setup({ tasks: [only], variables: { a: "flow" } });
  const scope = { task: only, taskRun: setup.addTaskRun(only) };
  const renderer = setup.renderer();
  assertEquals(await renderer.value("{{ vars.a }}", scope), "flow");
  assertEquals(await renderer.value("{{ vars.a }}", scope, { vars: { a: "given" } }), "given");
  assertEquals(await renderer.value("{{ vars ?? 'hidden' }}", scope, { vars: null }), "hidden");
});

Deno.test("outputs of earlier task runs are visible as they end, also those the execution has forgotten", async () => {
  const [a, b] = [task("a", KIND), task("b", KIND)];
  const setup = new Setup({ tasks: [a, b] });
  const renderer = setup.renderer();
  setup.addTaskRun(a, { value: 1 });
  assertEquals(await renderer.text("{{ outputs.a.value }}"), "1");
  setup.addTaskRun(b, { value: 2 });
  renderer.noteChanges(setup.execution.touched);
  setup.execution.touched.clear();
  assertEquals(await renderer.text("{{ outputs.a.value }} {{ outputs.b.value }}"), "1 2");
});

Deno.test("iterationOutput() finds iterations by number as they end in any order, and the same after a reload", async () => {
  const [loop, t] = [task("loop", KIND), task("t", KIND)];
  const setup = new Setup({ tasks: [loop, t] });
  const renderer = setup.renderer();
  const values = ["30", "20", "10"];
  const { ordinal: parent } = setup.addTaskRun(loop, undefined, { decision: { values } });
  const runs = values.map((value, iteration) => setup.addTaskRun(t, undefined, { parent, value, iteration }));
  const template = "{{ iterationOutput('t', 0) ?? 'none' }} {{ iterationOutput('t', 2) ?? 'none' }}";
  assertEquals(await renderer.text(template), "none none");
  for (const [ended, expected] of [[2, "none 10"], [1, "none 10"], [0, "30 10"]] as const) {
    const taskRun = runs[ended] as TaskRun;
    taskRun.outputs = { value: taskRun.value as string };
    assertEquals(await renderer.text(template), expected);
    assertEquals(await setup.renderer().text(template), expected);
  }
});

function output(id: string, value: JsonValue, required = true): Output {
  return { id, value, required };
}

Deno.test("outputs() renders the outputs of the flow; one that is optional and fails is left out, with its reason", async () => {
  const outputs = [
    output("a", "{{ vars.a }}"),
    output("b", { c: ["{{ vars.a }}"] }),
    output("d", "{{ no.x }}", false),
  ];
  const renderer = new Setup({ outputs, variables: { a: "x" } }).renderer({ convertOutputs });
  const { converted, ignored } = await renderer.outputs();
  assertEquals(converted, { outputs: { a: "x", b: { c: ["x"] } } });
  assertEquals(ignored.length, 1);
  assert(ignored[0]?.startsWith("Failed to render optional flow output 'd'. Output is ignored. "));
});

Deno.test("outputs() throws when a required output cannot be rendered, and passes on why one is refused", async () => {
  const outputs = [output("a", "{{ no.x }}")];
  assertThrows(() => new Setup({ outputs }).renderer().outputs(), ExpressionError);
  const refused = new Setup({ outputs: [output("a", "x")] });
  const renderer = refused.renderer({ convertOutputs: () => ({ problem: "not a number" }) });
  assertEquals((await renderer.outputs()).converted, { problem: "not a number" });
});

Deno.test("object() renders every text within an object", async () => {
  const setup = new Setup({ variables: { a: 1 } });
  assertEquals(await setup.renderer().object({ x: ["{{ vars.a }}", { y: "{{ envs.stage }}" }], z: 2 }), {
    x: ["1", { y: "test" }],
    z: 2,
  });
});
