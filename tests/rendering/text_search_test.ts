import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { EffectCalls, secretCalls } from "../../src/rendering/text_search.ts";

/** Properties of a task, the variables of its flow, whether rendering it may have an effect. */
const CASES: readonly [JsonObject, JsonObject, boolean][] = [
  [{ format: "plain" }, {}, false],
  [{ format: "http(x) without braces" }, {}, false],
  [{ format: "{{ vars.x }}" }, { x: "{{ http('u') }}" }, false],
  [{ format: "{{ render(vars.x) }}" }, { x: "{{ http('u') }}" }, true],
  [{ format: "{{ renderOnce(vars.x.y) }}" }, { x: { y: ["{{ http('u') }}"] } }, true],
  [{ format: "{{ render(vars.x) }}" }, { x: "y" }, false],
  [{ format: "{{ render(vars.x, recursive=false) }}" }, { x: "y" }, false],
  [{ format: "{{ render(inputs.x, recursive=true) }}" }, {}, true],
  [{ format: "{{ render({'a': inputs.x}, true) }}" }, {}, true],
  [{ format: "{{ render(recursive=true, toRender=inputs.x) }}" }, {}, true],
  [{ format: "{{ render(vars.x) }}" }, { x: "{{ render(inputs.y, true) }}" }, true],
  [{ format: "{{ http('u') }}" }, {}, true],
  [{ format: { a: [1, "{{ a ~ http ('u') }}"] } }, {}, true],
  [{ format: { "{{ http('u') }}": 1 } }, {}, true],
  [{ format: "{{ myhttp('u') }} {{ vars.http }}" }, {}, false],
];

for (const [properties, variables, expected] of CASES) {
  Deno.test(`mayHappen() of ${JSON.stringify(properties)} with variables ${JSON.stringify(variables)}`, () => {
    const calls = new EffectCalls();
    const [flow, task] = [{ variables }, { properties }];
    assertEquals([calls.mayHappen(flow, task), calls.mayHappen(flow, task)], [expected, expected]);
  });
}

Deno.test("mayHappen() looks into the variables of the namespace too", () => {
  const task = { properties: { format: "{{ render(namespace.x) }}" } };
  const of = (x: string) => ({
    variables: {},
    inherited: { version: 1, variables: { x }, pluginDefaults: [] },
  });
  assertEquals(new EffectCalls().mayHappen(of("{{ http('u') }}"), task), true);
  assertEquals(new EffectCalls().mayHappen(of("y"), { ...task }), false);
});

Deno.test("secretCalls() finds those of the document and of what the flow inherits, each once", () => {
  const inherited = {
    version: 1,
    variables: { a: ["{{ secret('A') }}"] },
    pluginDefaults: [{ type: "t", forced: false, values: { p: "{{ secret('B') }}{{ secret('A') }}" } }],
  };
  const definition = { id: "{{ secret('C') }}" };
  const calls = (...names: string[]) => names.map((name) => `{{ secret('${name}') }}`);
  assertEquals(secretCalls({ definition, inherited }), calls("C", "A", "B"));
  assertEquals(secretCalls({ definition }), calls("C"));
});
