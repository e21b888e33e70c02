import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import type { Trigger } from "../../../src/model/flows/flow.ts";
import { TriggerIndex } from "../../../src/services/triggers/trigger_index.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { condition, executionsOf, flowTrigger, triggeredFlow } from "../../support/flows/triggers.ts";

const FLOWS = ["a/f", "a/g", "a.b/f", "ab/g", "b/f"];
const inNamespace = (namespace: string, more: JsonObject = {}) =>
  condition("ExecutionNamespace", { namespace, ...more });
const isFlow = (namespace: string, flowId: string) => condition("ExecutionFlow", { namespace, flowId });
const where = (operand: string, ...filters: JsonObject[]): JsonObject => ({
  preconditions: { id: "p", where: [{ id: "w", operand, filters }] },
});
const multiple = (conditions: JsonObject) => condition("MultipleCondition", { id: "m", conditions });

/** Properties of a Flow trigger, and those of {@link FLOWS} whose executions it reacts to. */
const REACHES: readonly (readonly [string, JsonObject, string])[] = [
  ["nothing", {}, "a/f a/g a.b/f ab/g b/f"],
  ["an exact namespace", { conditions: [inNamespace("a")] }, "a/f a/g"],
  [
    "a prefix, not only whole parts",
    { conditions: [inNamespace("a", { comparison: "PREFIX" })] },
    "a/f a/g a.b/f ab/g",
  ],
  ["an old prefix", { conditions: [inNamespace("a.", { prefix: true })] }, "a.b/f"],
  ["a suffix", { conditions: [inNamespace("b", { comparison: "SUFFIX" })] }, "a.b/f ab/g b/f"],
  ["an expression", { conditions: [inNamespace("{{ 'a' }}")] }, "a/f a/g a.b/f ab/g b/f"],
  ["an expression and a literal", { conditions: [inNamespace("{{ 'a' }}"), inNamespace("b")] }, "b/f"],
  ["a flow", { conditions: [isFlow("a", "g")] }, "a/g"],
  [
    "a flow in a namespace that is an expression",
    { conditions: [isFlow("{{ 'a' }}", "f")] },
    "a/f a.b/f b/f",
  ],
  ["a schedule condition", { scheduleConditions: [inNamespace("b")] }, "b/f"],
  ["a namespace and `when`", { when: "{{ 1 }}", conditions: [inNamespace("b")] }, "b/f"],
  [
    "alternatives",
    { conditions: [condition("Or", { conditions: [inNamespace("b"), isFlow("a", "f")] })] },
    "a/f b/f",
  ],
  [
    "an alternative of any flow",
    {
      conditions: [
        condition("Or", { conditions: [inNamespace("b"), condition("Expression", { expression: "x" })] }),
      ],
    },
    "a/f a/g a.b/f ab/g b/f",
  ],
  [
    "a negation",
    { conditions: [condition("Not", { conditions: [inNamespace("b")] })] },
    "a/f a/g a.b/f ab/g b/f",
  ],
  [
    "parts of a window",
    { conditions: [multiple({ x: isFlow("a", "f"), y: inNamespace("ab") })] },
    "a/f ab/g",
  ],
  [
    "a part of any flow",
    { conditions: [multiple({ x: isFlow("a", "f"), y: condition("Expression", { expression: "x" }) })] },
    "a/f a/g a.b/f ab/g b/f",
  ],
  ["preconditions", {
    preconditions: { id: "p", flows: [{ namespace: "a" }, { namespace: "b", flowId: "f" }] },
  }, "a/f a/g b/f"],
  ["a dependency", { dependsOn: [{ namespace: "a", flowId: "f" }] }, "a/f"],
  [
    "dependencies of a namespace and of an id",
    { dependsOn: [{ namespace: "a" }, { flowId: "f" }] },
    "a/f a/g a.b/f b/f",
  ],
  [
    "a dependency and preconditions",
    { dependsOn: [{ namespace: "a", flowId: "f" }], preconditions: { id: "p", flows: [{ namespace: "b" }] } },
    "a/f b/f",
  ],
  ["a dependency and a window", {
    dependsOn: [{ namespace: "a", flowId: "f" }],
    conditions: [multiple({ x: inNamespace("b") })],
  }, "a/f b/f"],
  ["a dependency of any flow", { dependsOn: [{ labels: { a: "b" } }] }, "a/f a/g a.b/f ab/g b/f"],
  [
    "a filter",
    where("AND", { field: "NAMESPACE", type: "EQUAL_TO", value: "b" }, {
      field: "EXPRESSION",
      type: "IS_TRUE",
      value: "x",
    }),
    "b/f",
  ],
  [
    "a filter with alternatives",
    where("OR", { field: "NAMESPACE", type: "IN", values: ["b"] }, {
      field: "FLOW_ID",
      type: "EQUAL_TO",
      value: "g",
    }),
    "a/g ab/g b/f",
  ],
  ["a filter of the begin", where("AND", { field: "NAMESPACE", type: "STARTS_WITH", value: "a." }), "a.b/f"],
  [
    "a filter of the end",
    where("AND", { field: "NAMESPACE", type: "ENDS_WITH", value: "b" }),
    "a.b/f ab/g b/f",
  ],
  [
    "a filter that excludes",
    where("AND", { field: "NAMESPACE", type: "NOT_IN", values: ["b"] }),
    "a/f a/g a.b/f ab/g b/f",
  ],
];

for (const [name, properties, reached] of REACHES) {
  Deno.test(`TriggerIndex.listeningTo() of a trigger that names ${name}`, () => {
    const index = new TriggerIndex(createTriggerCatalog());
    const trigger = { id: "t", properties } as unknown as Trigger;
    index.listen("main", { namespace: "own", id: "listener" }, trigger);
    const listened = FLOWS.filter((flow) => {
      const [namespace = "", flowId = ""] = flow.split("/");
      return index.listeningTo("main", { namespace, flowId }, "SUCCESS").length === 1;
    });
    assertEquals(listened.join(" "), reached);
  });
}

Deno.test("TriggerIndex.listen() replaces what the trigger named before, and remove() all of it", () => {
  const index = new TriggerIndex(createTriggerCatalog());
  const listen = (...namespaces: string[]) => {
    const flows = namespaces.map((namespace) => ({ namespace }));
    const trigger = { id: "t", properties: { preconditions: { id: "p", flows } } } as unknown as Trigger;
    index.listen("main", { namespace: "own", id: "listener" }, trigger);
  };
  const reached = () =>
    ["a", "b", "c"].filter((namespace) =>
      index.listeningTo("main", { namespace, flowId: "f" }, "SUCCESS").length === 1
    );
  listen("a", "b");
  assertEquals(reached(), ["a", "b"]);
  listen("b", "c");
  assertEquals(reached(), ["b", "c"]);
  const key = { namespace: "own", flowId: "listener", triggerId: "t" };
  index.remove("main", key as Parameters<TriggerIndex["remove"]>[1]);
  assertEquals(reached(), []);
});

const ORDERS: readonly (readonly [name: string, order: (left: string, right: string) => number])[] = [
  ["ascending", (left, right) => left < right ? -1 : 1],
  ["descending", (left, right) => left < right ? 1 : -1],
  ["mixed", (left, right) => Number(left.slice(1)) % 7 - Number(right.slice(1)) % 7],
];
for (const [name, order] of ORDERS) {
  Deno.test(`TriggerIndex.nextListening() gives triggers in the order of names that were added in ${name} order`, () => {
    const index = new TriggerIndex(createTriggerCatalog());
    const ids = Array.from({ length: 25 }, (_, n) => `t${n}`);
    for (const id of [...ids].sort(order)) {
      const trigger = { id, properties: {} } as unknown as Trigger;
      index.listen("main", { namespace: "own", id: "listener" }, trigger);
    }
    const pages: string[][] = [];
    for (let after = ""; pages.at(-1)?.length !== 0;) {
      const page = index.nextListening("main", { namespace: "a", flowId: "f" }, "SUCCESS", {
        after,
        count: 10,
      });
      pages.push(page.map(({ trigger }) => trigger.triggerId));
      after = page.at(-1)?.name ?? "";
    }
    const sorted = [...ids].sort();
    assertEquals(pages, [sorted.slice(0, 10), sorted.slice(10, 20), sorted.slice(20), []]);
  });
}

Deno.test("TriggerIndex.announcementsOf() ignores executions of other kinds than NORMAL", async () => {
  await using app = await Harness.start();
  await app.save(triggeredFlow("listener", flowTrigger()));
  const tasks = [{ id: "l", type: "io.kestra.plugin.core.log.Log", message: "m" }];
  await app.save(JSON.stringify({ id: "a", namespace: "demo", tasks }));
  for (const kind of ["TEST", "PLAYGROUND"]) await app.start("a", {}, `?kind=${kind}`);
  await settle();
  assertEquals((await executionsOf(app, "listener")).length, 0);
  await app.start("a", {}, "?kind=NORMAL");
  await settle();
  assertEquals((await executionsOf(app, "listener")).length, 1);
});
