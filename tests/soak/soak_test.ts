/** The parts of a soak run that decide whether it fails. */
import { assert, assertEquals } from "@std/assert";
import { Chance } from "../crash/chance.ts";
import { contentOf } from "../crash/verification/ledger.ts";
import { Acknowledged, isExpected } from "./acknowledged.ts";
import { type GaugeName, GAUGES, type Gauges, metricOf } from "./gauges.ts";
import { csvOf, type SoakSample, trendLines, trendsOf } from "./report.ts";
import { afterWarmUp, trendOf } from "./trend.ts";

const HOUR_MS = 3_600_000;

/** Values of an hour, one each minute. */
function series(value: (minute: number) => number) {
  return Array.from({ length: 61 }, (_, minute) => ({ atMs: minute * 60_000, value: value(minute) }));
}

Deno.test("trendOf() finds the slope of a series that grows through its scatter", () => {
  const chance = new Chance(1);
  const { perHour, isGrowing } = trendOf(series((minute) => 100 + minute + chance.between(-5, 5)), 30);
  assert(Math.abs(perHour - 60) < 5, String(perHour));
  assert(isGrowing);
});

Deno.test("trendOf() takes scatter, a saw-tooth and outliers for flat", () => {
  const chance = new Chance(2);
  assert(!trendOf(series(() => 100 + chance.between(-20, 20)), 5).isGrowing);
  assert(!trendOf(series((minute) => 100 + (minute % 10) * 8), 30).isGrowing);
  assert(!trendOf(series((minute) => minute % 20 === 19 ? 10_000 : 100), 30).isGrowing);
  assert(!trendOf(series((minute) => 1_000 - minute), 30).isGrowing);
  assert(!trendOf([], 0).isGrowing);
});

Deno.test("afterWarmUp() leaves out the first share of the time", () => {
  assertEquals(afterWarmUp(series((minute) => minute), 0.5)[0]?.value, 30);
});

/** Samples of an hour in which one value grows. */
function samplesWith(growing: GaugeName, anHour: number): SoakSample[] {
  return series((minute) => minute).map(({ atMs }) => {
    const values = Object.keys(GAUGES).map((
      name,
    ) => [name, name === growing ? (anHour * atMs) / HOUR_MS : 7]);
    return { atMs, gauges: Object.fromEntries(values) as Gauges };
  });
}

for (const name of Object.keys(GAUGES) as GaugeName[]) {
  Deno.test(`trendsOf() marks ${name} when it grows beyond its bound, and nothing else`, () => {
    const { bound } = GAUGES[name];
    const trends = trendsOf(samplesWith(name, bound * 2));
    assertEquals([...trends].filter(([, { isGrowing }]) => isGrowing).map(([found]) => found), [name]);
    assert(trendLines(trends).some((line) => line.startsWith(name) && line.includes("GROWING")));
    assert(![...trendsOf(samplesWith(name, bound / 2)).values()].some(({ isGrowing }) => isGrowing));
  });
}

Deno.test("what fails after the signal that ends a run is no problem", () => {
  const stop = new AbortController();
  const acknowledged = new Acknowledged(stop.signal);
  acknowledged.problem("before");
  stop.abort();
  acknowledged.problem("after");
  assertEquals([acknowledged.problems, acknowledged.problemCount], [["before"], 1]);
});

Deno.test("csvOf() writes the names, then a line for each sample", () => {
  const [head = "", first = ""] = csvOf(samplesWith("rss", 0)).split("\n");
  assertEquals(head.split(",").slice(0, 3), ["seconds", "rss", "heap"]);
  assertEquals(first.split(",").length, head.split(",").length);
});

Deno.test("metricOf() adds up the samples of a metric", () => {
  const text = '# HELP a b\na{x="1"} 2\na{x="2",y="}"} 3\nab 9\nb 4\n';
  assertEquals([metricOf(text, "b"), metricOf(text, "ab")], [4, 9]);
  assertEquals(metricOf('a{x="1"} 2\na{x="2"} 3\n', "a"), 5);
});

Deno.test("Acknowledged gives each execution once, when it is due", () => {
  const acknowledged = new Acknowledged();
  const execution = { id: "a", name: "n", endsIn: ["SUCCESS"], dueAt: 10 };
  acknowledged.started(execution);
  acknowledged.started({ ...execution, id: "b" });
  acknowledged.forget("b");
  assertEquals(acknowledged.takeDue(9), undefined);
  assertEquals([acknowledged.takeDue(10), acknowledged.takeDue(10)], [execution, undefined]);
  assertEquals(acknowledged.looked, 1);
});

Deno.test("isExpected() takes the acknowledged version, or a later one without a response", () => {
  const [first, second] = [{ n: 1, size: 20 }, { n: 2, size: 20 }];
  const [one, two] = [contentOf("kv", first), contentOf("kv", second)];
  assert(isExpected({ name: "kv", version: undefined, unanswered: first }, undefined));
  assert(isExpected({ name: "kv", version: first, unanswered: second }, one));
  assert(isExpected({ name: "kv", version: first, unanswered: second }, two));
  assert(!isExpected({ name: "kv", version: second, unanswered: undefined }, one));
  assert(!isExpected({ name: "kv", version: second, unanswered: undefined }, undefined));
});
