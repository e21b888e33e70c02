/** Groups of executions equal those that a loop over an array makes. */
import { assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../../src/model/errors.ts";
import type {
  ExecutionGroup,
  GroupKey,
  GroupMeasure,
} from "../../../../src/model/executions/execution_groups.ts";
import type { ExecutionConditions } from "../../../../src/model/executions/execution_query.ts";
import type { RowFacts } from "../../../../src/store/catalog/rows/row.ts";
import { CatalogFixture, FLOWS, seeded } from "../fixture.ts";
import { randomFacts } from "../reference.ts";

const ALL: ExecutionConditions = { conditions: [], groups: [] };
const MEASURES: readonly GroupMeasure[] = ["duration", "startDate", "endDate"];

function valueOf(facts: RowFacts, key: GroupKey): unknown {
  const { tenant: _, ...flow } = FLOWS[facts.flowNo] ?? { tenant: "", namespace: "", id: "" };
  switch (key.field) {
    case "state":
      return facts.state;
    case "namespace":
      return flow.namespace;
    case "flowId":
      return flow.id;
    case "flow":
      return flow;
    default:
      return key.starts.filter((start) => start <= (numberOf(facts, key.field) ?? NaN)).at(-1);
  }
}

function numberOf({ startMs, durationMs }: RowFacts, measure: GroupMeasure): number | undefined {
  if (measure === "startDate") return startMs;
  if (durationMs === undefined) return undefined;
  return measure === "duration" ? durationMs : startMs + durationMs;
}

function expectedGroups(all: readonly RowFacts[], keys: readonly GroupKey[]): ExecutionGroup[] {
  const normal = all.filter(({ kind }) => kind === "NORMAL");
  const groups = Map.groupBy(normal, (facts) => JSON.stringify(keys.map((key) => valueOf(facts, key))));
  return [...groups.values()].map((members) => ({
    values: keys.map((key) => valueOf(members[0] as RowFacts, key)) as ExecutionGroup["values"],
    count: members.length,
    measures: MEASURES.map((measure) => {
      const numbers = members.map((facts) => numberOf(facts, measure)).filter((number) =>
        number !== undefined
      );
      const sum = numbers.reduce((a, b) => a + b, 0);
      return { count: numbers.length, sum, min: Math.min(...numbers), max: Math.max(...numbers) };
    }),
  }));
}

const sorted = (groups: readonly ExecutionGroup[]) =>
  groups.toSorted((a, b) => JSON.stringify(a.values) < JSON.stringify(b.values) ? -1 : 1);

/** Some executions sealed, some in groups of commits, some live, some deleted. */
async function filled(seed: number): Promise<CatalogFixture> {
  const random = seeded(seed);
  const app = await CatalogFixture.open();
  for (let round = 0; round < 4; round++) {
    await app.write(Array.from({ length: 900 }, () => {
      app.clock.jump(Math.floor(random() * 40));
      return app.facts(randomFacts(random, "main"));
    }));
    if (round < 3) await app.sealAll();
  }
  const known = app.visible();
  await app.write(known.slice(0, 60).map((facts) => ({ ...facts, ...randomFacts(random, "main") })));
  for (const { id } of known.slice(100, 110)) await app.remove(id);
  for (const facts of known.slice(200, 220)) {
    app.live.set(`main/${facts.id}`, { ...facts, state: "RUNNING", durationMs: undefined });
  }
  return app;
}

Deno.test("Catalog.groups() equals groups of an array, for every key and measure", async () => {
  await using app = await filled(7);
  const [first = 0, last = 0] = [app.visible()[0]?.startMs, app.clock.now()];
  const starts = Array.from({ length: 5 }, (_, part) => first + Math.floor((last - first) * part / 6) + 1);
  const keys: readonly (readonly GroupKey[])[] = [
    [],
    [{ field: "state" }],
    [{ field: "namespace" }],
    [{ field: "flowId" }, { field: "state" }],
    [{ field: "flow" }],
    [{ field: "startDate", starts }, { field: "state" }],
    [{ field: "endDate", starts }],
    [{ field: "namespace" }, { field: "flowId" }, { field: "startDate", starts }, { field: "state" }],
  ];
  for (const chosen of keys) {
    const found = await app.catalog.groups("main", ALL, { keys: chosen, measures: MEASURES });
    assertEquals(sorted(found), sorted(expectedGroups(app.visible(), chosen)), JSON.stringify(chosen));
  }
});

Deno.test("Catalog.groups() counts only what the conditions and groups of conditions match", async () => {
  await using app = await filled(8);
  const name = { field: "namespace", operator: "PREFIX", values: ["company.team"] } as const;
  const failed = { field: "state", states: ["FAILED"], negated: false } as const;
  const killed = { field: "state", states: ["KILLED"], negated: false } as const;
  const grouping = { keys: [{ field: "flow" }, { field: "state" }], measures: MEASURES } as const;
  const found = await app.catalog.groups(
    "main",
    { conditions: [name], groups: [[failed], [killed]] },
    grouping,
  );
  const matching = app.visible().filter(({ flowNo, state }) =>
    (flowNo === 1 || flowNo === 2) && (state === "FAILED" || state === "KILLED")
  );
  assertEquals(sorted(found), sorted(expectedGroups(matching, grouping.keys)));
});

Deno.test("Catalog.groups() does not see executions of other tenants", async () => {
  await using app = await filled(9);
  assertEquals(await app.catalog.groups("other", ALL, { keys: [], measures: [] }), []);
});

Deno.test("Catalog.groups() refuses more groups than fit into a response", async () => {
  await using app = await CatalogFixture.open();
  const from = app.clock.now();
  for (let part = 0; part < 11; part++) {
    await app.write(Array.from({ length: 5_000 }, () => {
      app.clock.jump(1);
      return app.facts();
    }));
  }
  const starts = Array.from({ length: 55_000 }, (_, part) => from + part + 1);
  const grouping = { keys: [{ field: "startDate", starts }], measures: [] } as const;
  await assertRejects(() => app.catalog.groups("main", ALL, grouping), DomainError, "more than 50000 groups");
});

/** The number of that rank, from 1. */
function exactQuantile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.ceil(share * numbers.length) - 1] ?? NaN;
}

/** Durations beyond 49 days are stored in seconds. */
const secondsOf = (ms: number) => Math.floor(ms / 1000) * 1000;

/** Executions of two flows in five states, one of them not ended: some thousand rows of few combinations, so that chunks have sums, and the first span sketches. */
async function ofTwoFlows(): Promise<CatalogFixture> {
  const random = seeded(3);
  const app = await CatalogFixture.open();
  for (let round = 0; round < 40; round++) {
    await app.write(Array.from({ length: 1_000 }, (_, index) => {
      app.clock.jump(Math.floor(random() * 40));
      const state = (["SUCCESS", "FAILED", "WARNING", "KILLED", "PAUSED"] as const)[index % 5];
      const durationMs = Math.floor(random() ** 4 * 6e9);
      return app.facts({
        state,
        durationMs: state === "PAUSED"
          ? undefined
          : durationMs > 2 ** 31
          ? secondsOf(durationMs)
          : durationMs,
        flowNo: index % 41 === 0 ? 1 : 0,
      });
    }));
  }
  await app.sealAll();
  return app;
}

const WINDOWS: readonly (readonly [name: string, share: number])[] = [["whole", 1], ["partly covered", 0.37]];
const BY_DATE = { isByDate: true, key: { field: "state" } } as const;
const BY_FLOW = { isByDate: false, key: { field: "flowId" } } as const;
const BY_NAMESPACE = { isByDate: false, key: { field: "namespace" } } as const;

/** Quantiles of each group, compared with those of an array. */
async function checkQuantiles(
  app: CatalogFixture,
  { isByDate, key }: typeof BY_DATE | typeof BY_FLOW | typeof BY_NAMESPACE,
  { share, flow }: { readonly share: number; readonly flow: string | undefined },
): Promise<void> {
  const all = app.visible();
  const [first = 0, last = 0] = [all[0]?.startMs, all.at(-1)?.startMs];
  const to = first + (last - first) * share;
  const starts = [first, first + (last - first) * 0.3, first + (last - first) * 0.6];
  const keys: readonly GroupKey[] = isByDate ? [{ field: "startDate", starts }, key] : [key];
  const matching = all.filter((facts) =>
    facts.kind === "NORMAL" && facts.startMs <= to && (flow === undefined || FLOWS[facts.flowNo]?.id === flow)
  );
  const expected = Map.groupBy(
    matching,
    (facts) => JSON.stringify(keys.map((each) => valueOf(facts, each))),
  );
  const groups = await app.catalog.groups("main", {
    conditions: [
      { field: "startDate", operator: "LESS_THAN_OR_EQUAL_TO", at: to },
      ...flow === undefined ? [] : [{ field: "flowId", operator: "EQUALS", values: [flow] } as const],
    ],
    groups: [],
  }, { keys, measures: ["duration"], hasQuantiles: true });
  assertEquals(new Set(groups.map(({ values }) => JSON.stringify(values))), new Set(expected.keys()));
  for (const { values, measures: [durations], count } of groups) {
    const members = expected.get(JSON.stringify(values)) ?? [];
    const numbers = members.flatMap(({ durationMs }) => durationMs ?? []);
    assertEquals([count, durations?.count], [members.length, numbers.length]);
    const { sum, min, max } = durations ?? {};
    const total = numbers.reduce((a, b) => a + b, 0);
    assertEquals([sum, min, max], [total, Math.min(...numbers), Math.max(...numbers)]);
    if (numbers.length === 0) continue;
    for (const part of [0.5, 0.95]) {
      const [found = NaN, wanted] = [durations?.quantile?.(part), exactQuantile(numbers, part)];
      const text = `${JSON.stringify(values)} ${part}: ${found} ${wanted}`;
      assertEquals(Math.abs(found - wanted) <= wanted / 128, true, text);
    }
  }
}

for (const [name, share] of WINDOWS) {
  Deno.test(`Catalog.groups() gives quantiles of durations by date, flow and namespace, chunks ${name} by the window`, async () => {
    await using app = await ofTwoFlows();
    for (const by of [BY_DATE, BY_FLOW, BY_NAMESPACE]) {
      for (const flow of [undefined, "hello-world"]) await checkQuantiles(app, by, { share, flow });
    }
  });
}

Deno.test("Catalog.groups() gives quantiles by flow while rows of a span are replaced, removed and added", async () => {
  await using app = await ofTwoFlows();
  const check = () => checkQuantiles(app, BY_FLOW, { share: 1, flow: undefined });
  await check();
  const random = seeded(5);
  for (let round = 0; round < 4; round++) {
    const known = app.visible();
    const some = () => known[Math.floor(random() * known.length)] as RowFacts;
    await app.write(
      Array.from({ length: 40 }, () => ({ ...some(), durationMs: Math.floor(random() * 1e6) })),
    );
    for (let n = 0; n < 5; n++) await app.remove(some().id);
    await check();
    await app.write(Array.from({ length: 2_100 }, () => {
      app.clock.jump(3);
      return app.facts({ flowNo: 1, durationMs: 5 });
    }));
    await app.sealAll();
    await check();
  }
});

Deno.test("Catalog.groups() has no quantiles that were not asked for", async () => {
  await using app = await CatalogFixture.open();
  await app.fill(3);
  const [group] = await app.catalog.groups("main", ALL, { keys: [], measures: ["duration"] });
  assertEquals(group?.measures, [{ count: 3, sum: 300, min: 100, max: 100 }]);
});
