/** Long evaluations in a thread of their own: the same results, bounded, and without holding the thread of the server. */
import { assertEquals, assertRejects } from "@std/assert";
import { systemClock } from "../../../src/base/time/clock.ts";
import { Double, type JsonObject, type JsonValue } from "../../../src/base/json.ts";
import { compileTemplate, ExpressionError } from "../../../src/expr/mod.ts";
import { iterationsVariable } from "../../../src/expr/functions/outputs.ts";
import type { SlowRender, SlowRenderHost } from "../../../src/rendering/host_functions/mod.ts";
import { RenderWorker } from "../../../src/server/render_worker/render_worker.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";

const RETURN = "io.svc.plugin.core.debug.Return";
/** Charged with more work than the thread of the server does at once. */
const LONG = "{{ range(1, 90000) | sort | rsort | last }}";
const ENDLESS =
  "{% for i in 1..1000 %}{% for j in 1..1000 %}{% if false %}{% endif %}{% endfor %}{% endfor %}";

function renderOf(source: string, changes: Partial<SlowRender> = {}): SlowRender {
  const { variableNames } = compileTemplate(source);
  return {
    tenant: "main",
    template: { source, isText: false, variableNames },
    now: 0,
    timeZone: "UTC",
    limitMs: 60_000,
    usedMs: 0,
    authoredNames: [],
    functions: [],
    ...changes,
  };
}

function hostOf(
  variables: JsonObject,
  call: SlowRenderHost["call"] = () => Promise.resolve(null),
): SlowRenderHost {
  return { owner: variables, variable: (name) => variables[name], call };
}

Deno.test("a long evaluation gives the value that it has in the thread of the server, with its number kinds", async () => {
  using worker = new RenderWorker(systemClock);
  const rows: readonly (readonly [string, JsonValue])[] = [
    ["{{ a }}", { list: [1, new Double(2), 9007199254740993n, "x", null] }],
    ["{{ a.list[1] }}", new Double(2)],
    ["{{ a.list | length }} of {{ b }}", "5 of text"],
    ["{{ missing ?? 'none' }}", "none"],
    ["{{ render('{{ b }}') }}", "text"],
    ["{{ printContext() | keys }}", ["outputs"]],
    ["{{ iterationOutput('t', 1) }}", "of 10"],
  ];
  const host = hostOf({
    a: { list: [1, new Double(2), 9007199254740993n, "x", null] },
    b: "text",
    outputs: { t: { 10: "of 10", 20: "of 20" } },
    [iterationsVariable(["t"])]: ["20", "10"],
  });
  for (const [source, expected] of rows) {
    assertEquals((await worker.render(renderOf(source), host))?.value, expected, source);
  }
});

Deno.test("a long evaluation asks the thread of the server for what functions give, and for the variables of the flow", async () => {
  using worker = new RenderWorker(systemClock);
  const functions = ["kv", "secret"].map((name) => ({
    ...{ name, parameters: ["key"], isForAuthors: name === "secret" },
  }));
  const asked: string[] = [];
  const host: SlowRenderHost = {
    owner: {},
    variable: (name) => name === "vars" ? { t: "{{ secret('S') }}" } : "{{ secret('S') }}",
    call: (name, args) => {
      asked.push(`${name} ${args.get("key")}`);
      return args.get("key") === "none"
        ? Promise.reject(new ExpressionError("host", "there is none"))
        : Promise.resolve(`value of ${args.get("key")}`);
    },
  };
  const valueOf = async (source: string) =>
    (await worker.render(renderOf(source, { functions, authoredNames: ["vars"] }), host))?.value;
  assertEquals(await valueOf("{{ kv('a') }}{{ kv('a') }}{{ kv('b') }}"), "value of avalue of avalue of b");
  assertEquals(await valueOf("{{ render(vars.t) }}"), "value of S");
  assertEquals(asked, ["kv a", "kv b", "secret S"]);
  for (const source of ["{{ kv('none') }}", "{{ render(inputs) }}", "{{ render(inputs, recursive=true) }}"]) {
    await assertRejects(() => valueOf(source), ExpressionError);
  }
});

Deno.test("a template whose functions have an effect, or whose data is too large, is left to the thread of the server", async () => {
  using worker = new RenderWorker(systemClock);
  const functions = [{ name: "http", parameters: ["uri"], isOnlyHere: true }];
  assertEquals(await worker.render(renderOf("{{ http('u') }}", { functions }), hostOf({})), undefined);
  const large = hostOf({ a: "x".repeat(5_000_000) });
  assertEquals(await worker.render(renderOf("{{ a | length }}"), large), undefined);
});

Deno.test("a long evaluation that exceeds its time fails, and those that wait are evaluated", async () => {
  const clock = new FakeClock();
  using worker = new RenderWorker(clock);
  const other = { tenant: "other" };
  const endless = worker.render(renderOf(ENDLESS), hostOf({}));
  const waiting = worker.render(renderOf("{{ 1 + 1 }}"), hostOf({}));
  const others = worker.render(renderOf("{{ 2 + 2 }}", other), hostOf({}));
  const failure = assertRejects(() => endless, ExpressionError, "Cannot evaluate");
  await clock.advance(62_001);
  await failure;
  assertEquals([(await waiting)?.value, (await others)?.value], [2, 4]);
  await assertRejects(
    () => worker.render(renderOf(ENDLESS, { limitMs: 1, usedMs: 1 }), hostOf({})),
    ExpressionError,
    "Cannot evaluate for more than 1 ms",
  );
});

Deno.test("evaluations that wait are refused by the size of their variables, which count once an execution", async () => {
  const worker = new RenderWorker(new FakeClock());
  const wait = (host: SlowRenderHost, tenant = "main") =>
    worker.render(renderOf("{{ a }}", { tenant }), host).then(() => "done", (error: Error) => error.message);
  const large = () => hostOf({ a: "x".repeat(3_000_000) });
  const shared = large();
  const first = wait(shared);
  const waiting = [...Array.from({ length: 9 }, large), ...Array(200).fill(shared)].map((host) => wait(host));
  const refusal =
    "Cannot evaluate: long expressions of the tenant with 30000020 characters of variables are waiting already";
  assertEquals(await wait(large()), refusal);
  const others = [wait(hostOf({ a: "short" })), wait(large(), "other")];
  worker[Symbol.dispose]();
  const results = new Set(await Promise.all([first, ...waiting, ...others]));
  assertEquals(results, new Set(["Cannot evaluate: the server stops"]));
});

Deno.test("evaluations that wait fail when the server stops", async () => {
  const worker = new RenderWorker(new FakeClock());
  const renders = [ENDLESS, "{{ 1 }}"].map((source) => worker.render(renderOf(source), hostOf({})));
  const failures = renders.map((render) => assertRejects(() => render, ExpressionError, "the server stops"));
  worker[Symbol.dispose]();
  await Promise.all(failures);
  await assertRejects(
    () => worker.render(renderOf("{{ 1 }}"), hostOf({})),
    ExpressionError,
    "the server stops",
  );
});

Deno.test("tasks, conditions, defaults and tried expressions have their long evaluations done in the other thread", async () => {
  using worker = new RenderWorker(systemClock);
  const seen: string[] = [];
  const slowRenders = {
    render(render: SlowRender, host: SlowRenderHost) {
      seen.push(render.template.source);
      return worker.render(render, host);
    },
  };
  await using app = await Harness.start({ slowRenders, maxRenderMs: 60_000 });
  await app.save(`id: long
namespace: demo
inputs: [{id: d, type: STRING, defaults: "default ${LONG}"}]
variables: {v: "{{ inputs.d }} ${LONG}"}
tasks:
  - {id: a, type: ${RETURN}, runIf: "${LONG}", format: "{{ 1 }} ${LONG} {{ inputs.d }}"}
  - {id: b, type: ${RETURN}, format: "{{ outputs.a.value }} {{ render(vars.v) }} ${LONG}"}
outputs: [{id: o, type: STRING, value: "{{ outputs.b.value }}"}]
`);
  const { id } = await app.start("long", {}, "?wait=true");
  const execution = await app.execution(id);
  assertEquals(execution.outputs, { o: "1 1 default 1 default 1 1 1" });
  const body = JSON.stringify({ expressions: [LONG], context: {} });
  const headers = { "content-type": "application/json" };
  const tried = await app.json("POST", "/expressions/render", { body, headers });
  assertEquals(tried, { rendered: { [LONG]: "1" }, errors: {} });
  assertEquals(seen.length, 5);
});
