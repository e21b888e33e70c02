import { assertEquals } from "@std/assert";
import { type Evaluation, Evaluations, MAX_EVALUATIONS } from "../../../src/model/triggers/evaluations.ts";

const AT = 1_790_000_000_000;
const STARTED: Evaluation = {
  at: AT + 12,
  date: AT,
  outcome: "STARTED",
  reason: undefined,
  executionId: "TabcdefghijklmnopqrstU",
};
const SKIPPED: Evaluation = {
  at: AT,
  date: undefined,
  outcome: "SKIPPED",
  reason: "It is off",
  executionId: undefined,
};

const WRITTEN: readonly (readonly [string, Evaluation])[] = [
  ["a start at a date", STARTED],
  ["a refusal without a date", SKIPPED],
  ["a failed start", { ...STARTED, outcome: "FAILED", reason: "no input `a`" }],
  ["a date ahead, as the clock was put back", { ...STARTED, date: AT + 100 }],
  ["a reason of several lines", { ...SKIPPED, reason: 'one\n+two "three" \\n\tü \u{1F600} \ud800' }],
  ["an empty reason", { ...SKIPPED, reason: "" }],
  ["a time before 1970", { ...SKIPPED, at: -5 }],
];

for (const [name, evaluation] of WRITTEN) {
  Deno.test(`Evaluations.read() round trip: ${name}`, () => {
    const stored = JSON.parse(JSON.stringify(Evaluations.none.with(SKIPPED).with(evaluation)));
    assertEquals(Evaluations.read(stored).list(), [evaluation, SKIPPED]);
    assertEquals(Evaluations.read(stored).latest, evaluation);
  });
}

Deno.test("Evaluations.read() reads the list of earlier versions", () => {
  const stored = [{ at: STARTED.at, date: AT, outcome: "STARTED", executionId: STARTED.executionId }];
  assertEquals(Evaluations.read(stored).list(), [STARTED]);
  assertEquals([Evaluations.read(undefined).list(), Evaluations.read("").latest], [[], undefined]);
});

Deno.test("Evaluations.with() keeps the latest twenty", () => {
  const times = Array.from({ length: MAX_EVALUATIONS + 3 }, (_, n) => AT + n);
  const kept = times.reduce((all, at) => all.with({ ...SKIPPED, at }), Evaluations.none);
  assertEquals(kept.list().map(({ at }) => at), times.reverse().slice(0, MAX_EVALUATIONS));
});

Deno.test("Evaluations.withRefusal() replaces a refusal with the same reason", () => {
  const refused = Evaluations.none.with(STARTED).withRefusal(SKIPPED);
  const again = refused.withRefusal({ ...SKIPPED, at: AT + 1 });
  assertEquals(again.list(), [{ ...SKIPPED, at: AT + 1 }, STARTED]);
  assertEquals(again.withRefusal({ ...SKIPPED, reason: "It is late" }).list().length, 3);
});

Deno.test("Evaluations.with() cuts long reasons, so that all evaluations take half of a record", () => {
  const reason = '"ü'.repeat(100_000);
  let evaluations = Evaluations.none;
  for (let n = 0; n < MAX_EVALUATIONS; n++) {
    evaluations = evaluations.with({ ...SKIPPED, at: AT + n, reason });
  }
  const { latest } = evaluations;
  assertEquals(new TextEncoder().encode(JSON.stringify(evaluations)).length < 33 * 1024, true);
  assertEquals(latest?.reason?.endsWith(" … (cut, 200000 characters)"), true);
  assertEquals(Evaluations.none.with({ ...SKIPPED, reason: latest?.reason }).latest, {
    ...SKIPPED,
    reason: latest?.reason,
  });
});

Deno.test("Evaluations.withRefusal() replaces a refusal for the same long reason", () => {
  const refusal = { ...SKIPPED, reason: "no ".repeat(1_000) };
  assertEquals(
    Evaluations.none.withRefusal(refusal).withRefusal({ ...refusal, at: AT + 1 }).list().length,
    1,
  );
});
