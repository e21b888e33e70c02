/** Tables of flows: how long they may take, and what they combine. */
import { assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../../src/model/errors.ts";
import { type FlowCondition, FlowIndex } from "../../../../src/store/catalog/filters/flow_index.ts";
import { FakeClock } from "../../../support/fakes/fake_clock.ts";

const FLOWS = 400;
const MS_PER_FLOW = 0.25;

/** An index of which each look at a flow takes a quarter of a millisecond, and a pace that counts its pauses. */
function slowIndex() {
  const clock = new FakeClock();
  let nowMs = 0, turnMs = 0, longestTurnMs = 0, looks = 0, flows = FLOWS;
  const index = new FlowIndex({
    flowLimit: () => flows,
    flowNames: (flowNo) => {
      looks++;
      nowMs += MS_PER_FLOW;
      turnMs += MS_PER_FLOW;
      longestTurnMs = Math.max(longestTurnMs, turnMs);
      return { tenant: flowNo % 2 === 0 ? "main" : "other", namespace: `n${flowNo % 4}`, id: `f${flowNo}` };
    },
  }, Object.assign(clock, { monotonicMs: () => nowMs }));
  const pace = {
    get isDue() {
      return turnMs >= 4;
    },
    pause() {
      turnMs = 0;
      nowMs += 10_000;
      return Promise.resolve();
    },
  };
  return {
    tables: (...conditions: FlowCondition[]) => index.tables("main", conditions, pace),
    beginTurns: () => {
      turnMs = longestTurnMs = 0;
    },
    longestTurnMs: () => longestTurnMs,
    looks: () => looks,
    addFlow: () => void flows++,
  };
}

const named = (part: string): FlowCondition => ({ field: "flowId", operator: "REGEX", values: [part] });
const inNamespace = (name: string): FlowCondition => ({
  field: "namespace",
  operator: "EQUALS",
  values: [name],
});
const numbers = ({ accepts }: { readonly accepts: Uint8Array }) =>
  [...accepts].flatMap((accepted, flowNo) => accepted === 1 ? [flowNo] : []);

Deno.test("FlowIndex.tables() lets others run each few milliseconds of regular expressions", async () => {
  const { tables, beginTurns, longestTurnMs } = slowIndex();
  await tables();
  beginTurns();
  await tables(named("1"), named("2"));
  assertEquals(longestTurnMs(), 4);
});

Deno.test("FlowIndex.tables() refuses conditions that take too long together; pauses do not count", async () => {
  const patterns = Array.from({ length: 5 }, (_, at) => named(`${at}`));
  await slowIndex().tables(...patterns.slice(0, 4));
  const error = await assertRejects(() => slowIndex().tables(...patterns), DomainError);
  assertEquals(error.code, "invalid_filter");
});

Deno.test("FlowIndex.tables() compares the flows once for a condition, until a flow is added", async () => {
  const { tables, looks, addFlow } = slowIndex();
  await tables(named("1"), named("1"));
  assertEquals(looks(), 2 * FLOWS);
  await tables(named("1"));
  assertEquals(looks(), 2 * FLOWS);
  addFlow();
  assertEquals((await tables(named("1"))).limit, FLOWS + 1);
  assertEquals(looks(), 4 * FLOWS + 2);
});

Deno.test("FlowTables combine conditions within the flows of the tenant", async () => {
  const tables = await slowIndex().tables(named("^f1.$"), inNamespace("n2"), named("x"));
  assertEquals(numbers(tables.meeting([named("^f1.$"), inNamespace("n2")])), [10, 14, 18]);
  assertEquals(numbers(tables.meeting([])).length, FLOWS / 2);
  assertEquals(numbers(tables.failing([])), []);
  assertEquals(
    numbers(tables.failing([inNamespace("n2")])),
    numbers(tables.meeting([])).filter((no) => no % 4 === 0),
  );
  assertEquals([tables.hasAny(named("^f1.$")), tables.hasAny(named("x"))], [true, false]);
});
