/** Dependencies that grow by the square of the number of flows: all flows of a namespace wait for all others. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { buildFlow, parseFlowSource } from "../../../src/flow/mod.ts";
import { DomainError } from "../../../src/model/errors.ts";
import { FlowDependencies } from "../../../src/services/flows/flow_dependencies.ts";
import type { FlowHead } from "../../../src/store/records/flow_records.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { PassingClock } from "../../support/fakes/passing_clock.ts";

const ACTOR = { tenant: "main", user: "u" };
const FIRST = { namespace: "n", id: "f0" };
const IDENTITY = { tenant: "main", revision: 1, flowNo: 1, deleted: false, source: "" };
/** Waits for the whole namespace. */
const SOURCE = "triggers: [{id: t, type: io.svc.plugin.core.trigger.Flow, conditions: " +
  "[{type: io.svc.plugin.core.condition.ExecutionNamespace, namespace: n, comparison: PREFIX}]}]";

/** `reads` counts how often the namespace of a flow was read. */
function create(count: number, maxEdges?: number, source = SOURCE) {
  const counted = { reads: 0 };
  const heads = Array.from({ length: count }, (_, index) => ({
    ...ACTOR,
    id: `f${index}`,
    get namespace() {
      counted.reads++;
      return "n";
    },
  } as unknown as FlowHead));
  const definition = parseFlowSource(`{${source}}`).document ?? {};
  const flow = buildFlow(definition, IDENTITY, { tasks: createTaskCatalog() });
  const flows = {
    select: (_actor: unknown, matches: (head: FlowHead) => boolean) => heads.filter(matches),
    head: () => heads[0] as FlowHead,
    read: () => Promise.resolve(flow),
  };
  const clock = new PassingClock();
  return { clock, counted, dependencies: new FlowDependencies({ flows, clock, maxEdges }) };
}

const countOf = ({ edges }: JsonObject) => (edges as unknown[]).length;

/** What is asked for, the edges of 5 flows, and the message if there are more than are listed. */
const ASKED: readonly [string, (of: FlowDependencies) => Promise<JsonObject>, number, string][] = [
  [
    "ofFlow()",
    (of) => of.ofFlow(ACTOR, FIRST, { destinationOnly: false, expandAll: false }),
    8,
    'the flow "n.f0" are more than 7; destinationOnly=true lists those downstream, expandAll=false those of the flow itself',
  ],
  [
    "ofFlow() with expandAll",
    (of) => of.ofFlow(ACTOR, FIRST, { destinationOnly: true, expandAll: true }),
    20,
    'the flow "n.f0" are more than 19; destinationOnly=true lists those downstream, expandAll=false those of the flow itself',
  ],
  [
    "ofNamespace()",
    (of) => of.ofNamespace(ACTOR, "n", true),
    20,
    'the namespace "n" are more than 19; read those of a namespace below it, or of a flow',
  ],
  [
    "ofTenant()",
    (of) => of.ofTenant(ACTOR),
    20,
    'the tenant "main" are more than 19; read those of a namespace or of a flow',
  ],
];
for (const [name, ask, edges, message] of ASKED) {
  Deno.test(`FlowDependencies.${name} lists up to its limit, and refuses more`, async () => {
    assertEquals(countOf(await ask(create(5, edges).dependencies)), edges);
    const refused = await assertRejects(() => ask(create(5, edges - 1).dependencies), DomainError);
    assertEquals([refused.code, refused.message], [
      "invalid_argument",
      `Illegal argument: the dependencies of ${message}`,
    ]);
  });

  if (edges < 20) continue;
  Deno.test(`FlowDependencies.${name} lets others run between comparisons`, async () => {
    const count = 100;
    const { clock, dependencies } = create(count);
    await ask(dependencies);
    assertEquals(
      clock.turns > 2 * count,
      true,
      `${clock.turns} turns, of which reading the links took ${count}`,
    );
  });
}

Deno.test("FlowDependencies.ofFlow() compares the flow with its neighbours, not all flows with all", async () => {
  const count = 300;
  const { counted, dependencies } = create(count);
  const found = await dependencies.ofFlow(ACTOR, FIRST, { destinationOnly: false, expandAll: false });
  assertEquals(countOf(found), 2 * (count - 1));
  assertEquals(counted.reads < 20 * count, true, `${counted.reads} reads of ${count} flows`);
});

for (const [name, ask] of ASKED) {
  Deno.test(`FlowDependencies.${name} does not compare each flow with triggers that wait for another namespace`, async () => {
    const count = 300;
    const { counted, dependencies } = create(count, 20_000, SOURCE.replace("namespace: n,", "namespace: m,"));
    assertEquals(countOf(await ask(dependencies)), 0);
    assertEquals(counted.reads < 20 * count, true, `${counted.reads} reads of ${count} flows`);
  });
}
