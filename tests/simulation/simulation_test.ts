/** Random executions, a seed each: whatever happens to them, no invariant breaks, and the same seed does the same. */
import { assert, assertEquals, fail } from "@std/assert";
import { FLOWABLES } from "../../src/engine/flowable/registry.ts";
import { Choices } from "./choices.ts";
import { randomPlan } from "./random_flow.ts";
import { failureText, simulate } from "./run.ts";
import { attempt, shrink } from "./shrink.ts";
import { type Invariant, Simulation } from "./simulation.ts";

/** A quarter of a millisecond each; `deno task simulate` takes others, and more. */
const SEEDS = 20_000;
const PARTS = 4;

for (let part = 0; part < PARTS; part++) {
  const from = 1 + part * SEEDS / PARTS;
  Deno.test(`simulate() seeds from ${from}: no invariant breaks`, () => {
    const { failures } = simulate(SEEDS / PARTS, from);
    assertEquals(failures.map(({ seed, failure }) => failureText(seed, failure)), []);
  });
}

Deno.test("simulate() of one seed is the same each time", () => {
  for (let seed = 1; seed <= 200; seed++) assertEquals(traceOf(seed), traceOf(seed), `seed ${seed}`);
});

Deno.test("simulate() meets every state and every event", () => {
  const traces = Array.from({ length: 1_000 }, (_, seed) => traceOf(seed).join("\n")).join("\n");
  const missing = [
    ...["RUNNING", "PAUSED", "QUEUED", "RETRYING", "RETRIED", "BREAKPOINT", "KILLING", "KILLED", "CANCELLED"],
    ...["SUCCESS", "WARNING", "FAILED", "RESTARTED", "CREATED", "crash", "reload", "replaced", "recovered"],
    ...[
      "child_started",
      "child_ended",
      "wait_begun",
      "attempt_lost",
      "timer_due",
      "timeout/",
      "continued",
      "outputs_rendered",
    ],
    ...["assertions_rendered", "condition_rendered", "decision_rendered", "breakpoint_passed", "resumed"],
    ...[
      "children_started",
      "children_restarted",
      "children_kill_asked",
      "task_state_set",
      "state_set",
      "labels_set",
      "restarted",
      "pause_asked",
      "refused_slot",
    ],
  ].filter((word) => !traces.includes(word));
  assertEquals(missing, []);
});

Deno.test("simulate() finds the end of an attempt that is taken for that of the next one", () => {
  const unfenced: Invariant = (simulation) => void (simulation.attempts.isFenced = false);
  for (let seed = 1; seed <= SEEDS; seed++) {
    const choices = Choices.ofSeed(seed);
    const found = attempt(randomPlan(choices), choices.fresh(), unfenced);
    if (found && /^Attempt \d+ ends in place of \d+$/.test(found.message)) return;
  }
  fail("no attempt ended late");
});

Deno.test("randomPlan() makes every flowable task", () => {
  const kinds = new Set<string>();
  for (let seed = 1; seed <= 300; seed++) {
    for (const { task } of randomPlan(Choices.ofSeed(seed)).places.values()) kinds.add(task.kind);
  }
  assertEquals([...FLOWABLES.keys()].filter((kind) => !kinds.has(kind)), []);
});

Deno.test("shrink() finds a simpler run that breaks the same invariant", () => {
  const plan = randomPlan(Choices.ofSeed(4));
  const seeds = Array.from({ length: 100 }, (_, index) => index);
  const failures = seeds.map((seed) => attempt(plan, Choices.ofSeed(seed), breaksOnPause));
  const failure = failures.find((each) => each !== undefined);
  assert(failure);
  const simplest = shrink(failure, breaksOnPause);
  assertEquals(simplest.message, failure.message);
  assertEquals(simplest.plan.flow.tasks.length, 1);
  assert(simplest.choices.filter((choice) => choice !== 0).length <= 3, simplest.choices.join(" "));
});

/** An invariant that does not hold. */
function breaksOnPause(simulation: Simulation): string | undefined {
  return simulation.execution.history.some(({ state }) => state === "KILLING") ? "It was killed" : undefined;
}

function traceOf(seed: number): readonly string[] {
  const choices = Choices.ofSeed(seed);
  const simulation = new Simulation(randomPlan(choices), choices);
  simulation.run();
  return simulation.trace;
}
