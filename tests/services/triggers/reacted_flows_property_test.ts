/** What the index leaves out changes nothing: random triggers start the same as when each of them evaluates every execution. */
import { assertEquals } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { createExecution } from "../../../src/engine/create.ts";
import type { Execution } from "../../../src/model/executions/execution.ts";
import type { State } from "../../../src/model/executions/state.ts";
import type { Trigger } from "../../../src/model/flows/flow.ts";
import { Evaluations } from "../../../src/model/triggers/evaluations.ts";
import { reactedStates } from "../../../src/model/triggers/reacted_states.ts";
import { Conditions } from "../../../src/rendering/conditions.ts";
import { createTriggerRenderer } from "../../../src/rendering/trigger_renderer.ts";
import { FlowReactions } from "../../../src/services/triggers/flow_reactions.ts";
import { TriggerIndex } from "../../../src/services/triggers/trigger_index.ts";
import type { TriggerStart } from "../../../src/services/triggers/trigger_starts.ts";
import { TriggerRecords } from "../../../src/store/records/trigger_records.ts";
import type { Mutation } from "../../../src/store/store.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import { FAKE_START, FakeClock } from "../../support/fakes/fake_clock.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import fc from "../../support/fast_check.ts";
import { plan } from "../../support/flows/flows.ts";
import { condition } from "../../support/flows/triggers.ts";

const CATALOG = createTriggerCatalog();
const STATES: readonly State[] = ["SUCCESS", "FAILED", "PAUSED"];
const MINUTE = 60_000;

const NAMESPACES = ["a", "a.b", "ab", "b"];
/** Mostly what executions have; else what no execution has, or an expression. */
const namespaces = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...NAMESPACES) },
  fc.constantFrom("", "a.", "{{ 'a' }}", "{{ trigger.namespace }}", "{{ 1 / 0 }}", "{", 5, null),
);
const ids = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("f", "g") },
  fc.constantFrom("", "{{ 'f' }}", "{{ trigger.flowId }}", null),
);
const states = fc.option(fc.subarray([...STATES], { minLength: 2 }), { nil: undefined, freq: 2 });
const expressions = fc.constantFrom(
  ..."{{ true }}|{{ true }}|{{ trigger.flowId == 'f' }}|{{ trigger.namespace == 'a' }}|{{ 1 / 0 }}".split(
    "|",
  ),
);

/** Without members that are undefined. */
const object = (members: Record<string, fc.Arbitrary<JsonValue | undefined>>): fc.Arbitrary<JsonObject> =>
  fc.record(members).map((made) => JSON.parse(JSON.stringify(made)));
const typed = (
  names: readonly string[],
  members: Record<string, fc.Arbitrary<JsonValue | undefined>>,
): fc.Arbitrary<JsonObject> =>
  fc.tuple(fc.constantFrom(...names), object(members)).map(([name, made]) => condition(name, made));

const { single } = fc.letrec<{ single: JsonObject; list: JsonObject[] }>((tie) => ({
  single: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    typed(["ExecutionFlow", "ExecutionFlowCondition"], { namespace: namespaces, flowId: ids }),
    typed(["ExecutionNamespace", "ExecutionNamespaceCondition"], {
      namespace: namespaces,
      comparison: fc.constantFrom(undefined, undefined, "EQUALS", "PREFIX", "SUFFIX", "", "OTHER"),
      prefix: fc.constantFrom(undefined, undefined, true, "true", false),
    }),
    typed(["Expression"], { expression: expressions }),
    typed(["ExecutionStatus"], { in: states }),
    typed(["Or", "Or", "OrCondition", "Not", "Not", "Unknown"], { conditions: tie("list") }),
  ),
  list: fc.array(tie("single"), { maxLength: 3 }),
}));

const window = typed(["MultipleCondition"], {
  id: fc.constantFrom("m", "n"),
  conditions: fc.dictionary(fc.constantFrom("x", "y", "z"), single, { maxKeys: 3 }),
  resetOnSuccess: fc.constantFrom(undefined, false),
});

const flows = fc.array(object({ namespace: namespaces, flowId: ids, states }), { maxLength: 3 });
const comparison = object({
  field: fc.constantFrom("NAMESPACE", "NAMESPACE", "FLOW_ID", "STATE", "EXPRESSION"),
  type: fc.constantFrom(
    ..."EQUAL_TO NOT_EQUAL_TO IN NOT_IN STARTS_WITH ENDS_WITH CONTAINS REGEX IS_TRUE".split(" "),
  ),
  value: fc.constantFrom(...NAMESPACES, "f", "g", "{{ true }}", "(", "", undefined),
  values: fc.constantFrom(["a", "f"], ["b"], [], undefined, "a"),
});
const filter = object({
  id: fc.constant("w"),
  operand: fc.constantFrom(undefined, "AND", "OR"),
  filters: fc.array(comparison, { maxLength: 3 }),
});

const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, arbitrary);
const common = { states: rarely(states), when: rarely(expressions) };
const preconditions = object({
  id: fc.constant("p"),
  flows,
  where: rarely(fc.array(filter, { maxLength: 2 })),
  resetOnSuccess: fc.constantFrom(undefined, false),
  timeWindow: fc.constantFrom<JsonValue | undefined>(
    undefined,
    { window: "PT3M" },
    { type: "SLIDING_WINDOW", window: "PT2M" },
    { type: "DAILY_TIME_DEADLINE", deadline: "10:35:00" },
  ),
});
const conditions = fc.array(fc.oneof({ weight: 2, arbitrary: single }, window), {
  minLength: 1,
  maxLength: 3,
});
const dependencies = {
  dependsOn: flows,
  mode: fc.constantFrom(undefined, "ANY"),
  window: fc.constantFrom<JsonValue | undefined>(
    undefined,
    { every: "PT3M" },
    { lookback: "PT2M", fireOnce: true },
    { from: "10:33:00", to: "10:35:00", fireOnce: true },
  ),
};
const properties = fc.oneof(
  object({ ...common, conditions, scheduleConditions: rarely(fc.array(single, { maxLength: 1 })) }),
  object({ ...common, preconditions }),
  object({ preconditions: object({ id: fc.constant("p"), where: fc.array(filter, { maxLength: 2 }) }) }),
  object({ ...common, ...dependencies }),
  object({ ...common, conditions, preconditions, ...dependencies }),
);
const ends = fc.array(
  fc.record({
    namespace: fc.constantFrom(...NAMESPACES),
    id: fc.constantFrom("f", "g"),
    state: fc.constantFrom(...STATES),
  }),
  { minLength: 1, maxLength: 12 },
);

interface End {
  readonly namespace: string;
  readonly id: string;
  readonly state: State;
}

/** A trigger, and the variables of the starts that it causes; one end comes a minute after the other. */
class Reactor {
  readonly starts: string[] = [];
  readonly #trigger: Trigger;
  readonly #store = new MemoryStore(new FakeClock());
  readonly #reactions: FlowReactions;
  #execution: Execution | undefined;

  constructor(properties: JsonObject) {
    const [id, type] = ["t", "io.kestra.plugin.core.trigger.Flow"];
    this.#trigger = { id, type, kind: "core.trigger.Flow", properties, disabled: false } as Trigger;
    const listener = plan({ namespace: "own", id: "listener", triggers: [this.#trigger] });
    const clock = new FakeClock();
    const values = { secret: () => Promise.resolve(undefined), kvPair: () => Promise.resolve(undefined) };
    const roots = { envs: {}, globals: {}, kestra: {} };
    const renderer = createTriggerRenderer({ clock, timeZone: "UTC", random: () => 0, values, ...roots });
    const state = { ...this.key, evaluations: Evaluations.none };
    const commit = (mutations: readonly Mutation[]) =>
      this.#store.commit({ checks: [], mutations, messages: [] });
    this.#reactions = new FlowReactions(
      {
        clock,
        catalog: CATALOG,
        timeZone: "UTC",
        conditions: new Conditions(CATALOG, renderer),
        triggerRecords: new TriggerRecords(this.#store),
        flows: { renamedTo: () => undefined, plan: () => Promise.resolve(listener) },
        committer: { frozen: { checkOpen: () => {} } },
        viewOf: () => ({ execution: {}, labels: {}, outputs: {} }),
        records: { load: () => Promise.resolve({ execution: this.#execution }) },
        executor: {
          begin: (_execution: unknown, _plan: unknown, mutations: Mutation[]) => commit(mutations),
        },
        starts: {
          createOrFail: ({ variables }: TriggerStart) => {
            this.starts.push(JSON.stringify(variables));
            return { execution: { id: "started" } };
          },
        },
        states: {
          exclusively: (_tenant: unknown, _flow: unknown, work: () => Promise<void>) => work(),
          get: () => Promise.resolve(state),
          save: (_change: unknown, others: Mutation[]) => commit(others),
          mutationsOf: () => [],
          applied: () => {},
        },
      } as unknown as ConstructorParameters<typeof FlowReactions>[0],
    );
  }

  get key() {
    return { namespace: "own", flowId: "listener", triggerId: "t" };
  }

  /** Lets the trigger react to the states of its `states`, and to no other ends than the index names if there is one. */
  async see({ namespace, id, state }: End, ordinal: number, index?: TriggerIndex): Promise<boolean> {
    const isSeen = index
      ? index.listeningTo("main", { namespace, flowId: id }, state).length > 0
      : reactedStates(this.#trigger.properties).has(state);
    if (!isSeen) return false;
    const at = FAKE_START + ordinal * MINUTE;
    const executionId = `e${ordinal}`;
    const { flow } = plan({ namespace, id });
    this.#execution = createExecution(flow, { id: executionId, labels: [], kind: "NORMAL" }, at);
    this.#execution.outputs = { [executionId]: id };
    const announced = { tenant: "main", executionId, index: 1, state, at, trigger: this.key, isOwn: false };
    await this.#reactions.react(announced);
    return true;
  }

  /** An index with this trigger only. */
  index(): TriggerIndex {
    const index = new TriggerIndex(CATALOG);
    index.listen("main", { namespace: "own", id: "listener" }, this.#trigger);
    return index;
  }
}

Deno.test("a Flow trigger starts the same whether it evaluates the executions that the index names or all", async () => {
  const counts = { starts: 0, left: 0 };
  await fc.assert(
    fc.asyncProperty(properties, ends, async (given, ended) => {
      const [chosen, all] = [new Reactor(given), new Reactor(given)];
      const index = chosen.index();
      for (const [ordinal, end] of ended.entries()) {
        const isSeen = await all.see(end, ordinal);
        if (isSeen !== await chosen.see(end, ordinal, index)) counts.left++;
      }
      assertEquals(chosen.starts, all.starts);
      counts.starts += all.starts.length;
    }),
    { numRuns: 3_000 },
  );
  assertEquals([counts.starts > 1_000, counts.left > 1_000], [true, true], JSON.stringify(counts));
});
