import { assert, assertEquals } from "@std/assert";
import { COUNTED_EXECUTIONS, type LogPage, LogSearch } from "../../../src/services/logs/log_search.ts";
import { TopLines } from "../../../src/services/logs/top_lines.ts";
import type { LogQuery } from "../../../src/model/executions/log_query.ts";
import type { Execution, LogLine } from "../../../src/model/executions/execution.ts";
import { FAKE_START } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { CatalogFixture } from "../../store/catalog/fixture.ts";
import { LogCandidates, MAX_CANDIDATES } from "../../../src/services/logs/log_candidates.ts";

const SAY = `id: say
namespace: demo
inputs:
  - id: word
    type: STRING
    defaults: common
tasks:
  - id: one
    type: io.svc.plugin.core.log.Log
    message: "{{ inputs.word }}"
`;
type LogSearchDeps = ConstructorParameters<typeof LogSearch>[0];

const ACTOR = { tenant: "main", user: "test" };
const ALL: LogQuery = { conditions: [], groups: [], descending: true, page: 1, size: 10 };
const RUNS = COUNTED_EXECUTIONS + 200;

/** A server on which the first of {@link RUNS} executions logged `needle`. */
async function startMany(): Promise<Harness> {
  const server = await Harness.start();
  await server.save(SAY);
  for (let i = 0; i < RUNS; i++) {
    await server.start("say", i === 0 ? { word: "needle" } : {});
    server.clock.jump(1_000);
  }
  return server;
}

function search(server: Harness, query: Partial<LogQuery>): Promise<LogPage> {
  return server.assembly.services.logSearch.search(ACTOR, { ...ALL, ...query });
}

Deno.test("search() counts a bounded number of executions and marks the total as inexact", async (t) => {
  await using server = await startMany();
  const text = (word: string) =>
    ({ conditions: [{ field: "text", words: [word], negated: false }] }) as Partial<LogQuery>;

  await t.step("newest first", async () => {
    const page = await search(server, {});
    assertEquals([page.results.length, page.isTotalExact], [10, false]);
    // More than the next page needs, and far fewer than all: more executions than are counted may have lines.
    assert(page.total >= 2 * 10 && page.total < 100);
    assertEquals(page.searchedTo, undefined);
    const times = page.results.map(({ timestamp }) => timestamp as string);
    assertEquals(times, [...times].sort().reverse());
  });
  await t.step("pages have neither gaps nor repetitions", async () => {
    const seen = new Set<string>();
    for (let page = 1; page <= 13; page++) {
      const { results } = await search(server, { page, size: 100 });
      for (const { executionId } of results) seen.add(String(executionId));
    }
    assertEquals(seen.size, RUNS);
  });
  await t.step("a page behind the counted executions is read too", async () => {
    const page = await search(server, { page: RUNS / 10 });
    assertEquals([page.results.length, page.total, page.isTotalExact], [10, RUNS, true]);
    assertEquals(page.results.at(-1)?.message, "needle");
  });
  await t.step("a page behind the end is empty", async () => {
    const page = await search(server, { page: 10_000 });
    assertEquals([page.results.length, page.total, page.isTotalExact], [0, RUNS, true]);
  });
  await t.step("rare lines are found far back, and then all are counted", async () => {
    const { results, total, isTotalExact } = await search(server, text("needle"));
    assertEquals([results.length, total, isTotalExact], [1, 1, true]);
  });
  await t.step("the total of a time range is exact", async () => {
    const between = [
      { field: "timestamp", operator: "GREATER_THAN_OR_EQUAL_TO", at: FAKE_START + 100_000 },
      { field: "timestamp", operator: "LESS_THAN", at: FAKE_START + 110_000 },
    ] as const;
    const { results, total, isTotalExact } = await search(server, { conditions: between, size: 3 });
    assertEquals([total, isTotalExact], [10, true]);
    assertEquals(results[0]?.timestamp, new Date(FAKE_START + 109_000).toISOString());
  });
  await t.step("nothing more is read after the signal is aborted", async () => {
    const gone = new AbortController();
    const pace = { begin: () => Promise.resolve(gone.abort()), end: () => {} };
    const deps = { ...server.assembly.services, logs: {}, pace };
    const page = await new LogSearch(deps as unknown as LogSearchDeps).search(ACTOR, ALL, gone.signal);
    assertEquals([page.results.length, page.isTotalExact], [0, false]);
  });
});

Deno.test("take() returns open candidates, newest first, then ended ones by their ends, up to a bound", async () => {
  await using fixture = await CatalogFixture.open();
  const names: string[] = [];
  const add = async (count: number, durationMs: number | undefined) => {
    const state = durationMs === undefined ? "PAUSED" : "SUCCESS";
    const rows = Array.from({ length: count }, () => {
      fixture.clock.jump(1);
      return fixture.facts({ durationMs, state, maxLogLevel: "INFO" });
    });
    for (let i = 0; i < rows.length; i += 500) await fixture.write(rows.slice(i, i + 500));
    return rows.map(({ id }) => id);
  };
  const long = await add(1, 60_000_000);
  const old = await add(1, 10);
  const open = await add(1_100, undefined);
  const ended = await add(MAX_CANDIDATES, 10);
  await fixture.write([fixture.facts({ durationMs: 5 })]); // Wrote nothing: no candidate.
  const candidates = new LogCandidates(fixture.catalog, "main", ALL);
  const taken = await candidates.take(100_000);
  names.push(...taken.map(({ id }) => id));
  assertEquals(names.slice(0, 1_000), open.slice(100).reverse());
  assertEquals(names[1_000], long[0]);
  assertEquals(names[1_001], ended.at(-1));
  assertEquals(new Set(names).size, names.length);
  assertEquals(names.includes(old[0] ?? ""), false);
  assertEquals(await candidates.bound(), taken.at(-1)?.bound);
  assertEquals(taken.every(({ bound }, i) => i === 0 || bound <= (taken[i - 1]?.bound ?? 0)), true);
});

const line = (at: number) => ({ at, level: "INFO", message: "" }) as LogLine;
const place = (executionId: string, at: number, number = 1, key = at) => ({
  key,
  executionId,
  execution: {} as Execution,
  line: line(at),
  number,
});

const ORDERS: readonly (readonly [descending: boolean, wanted: number, order: string])[] = [
  [true, 10, "c3.1 b2.2 b2.1 a1.1"],
  [false, 10, "a1.1 b2.1 b2.2 c3.1"],
  [true, 2, "c3.1 b2.2"],
  [false, 1, "a1.1"],
];
for (const [descending, wanted, order] of ORDERS) {
  Deno.test(`take() of ${wanted} lines ${descending ? "from the newest" : "from the oldest"} on`, () => {
    const lines = new TopLines(descending, wanted);
    for (const each of [place("b", 2, 2), place("c", 3), place("a", 1), place("b", 2, 1)]) lines.offer(each);
    const text = lines.take(0, 10).map(({ executionId, key, number }) => `${executionId}${key}.${number}`);
    assertEquals(text.join(" "), order);
    assertEquals(lines.countBefore(2), 1);
  });
}
