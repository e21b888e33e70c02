/** The server dies, or its database fails, at every commit of a test: fixtures are stored with their execution. */
import { assertEquals } from "@std/assert";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { FakeClock, settle } from "../support/fakes/fake_clock.ts";
import { EFFECT_TYPE, type ExecutionResponse, Harness } from "../support/harness.ts";
import { yaml } from "../support/flows/request_bodies.ts";
import { CUT_MODES, MortalStore } from "./mortal_store.ts";

const FLOW = `id: story
namespace: demo
tasks:
  - {id: real, type: ${EFFECT_TYPE}, name: real}
  - {id: given, type: ${EFFECT_TYPE}, name: given}
  - id: each
    type: io.svc.plugin.core.flow.Loop
    values: [a, b]
    tasks:
      - {id: between, type: ${EFFECT_TYPE}, name: between}
      - {id: pass, type: ${EFFECT_TYPE}, name: pass}
  - {id: last, type: ${EFFECT_TYPE}, name: last}
`;
const COMMITS = 6;

/** Fixtures that are part of the record, and some that are so large that they become a blob. */
for (const chars of [1, 10_000]) {
  const text = "x".repeat(chars);
  const fixtures = `fixtures:
  tasks:
    - {id: given, outputs: {text: ${text}}}
    - {id: pass}
    - {id: last, state: WARNING}
`;

  Deno.test(`fixtures of ${chars} characters survive a cut at every write of a test`, async () => {
    for (const mode of CUT_MODES) {
      for (let at = 1; at <= COMMITS; at++) await play({ at, mode }, fixtures, text);
    }
  });
}

async function play(cut: { at: number; mode: typeof CUT_MODES[number] }, fixtures: string, text: string) {
  const clock = new FakeClock();
  const memory = new MemoryStore(clock);
  const store = new MortalStore(memory);
  const ran = new Set<unknown>();
  const effect = (
    { name }: { name?: unknown },
  ) => (ran.add(name), { state: "SUCCESS" as const, outputs: {} });
  const first = await Harness.start({ wrap: () => store, effect }, memory, clock);
  await first.save(FLOW);
  store.arm(cut);
  // No answer is heard when the process is gone.
  void first.open("POST", "/flows/demo/story/test", yaml(fixtures)).then(
    (response) => response.body?.cancel(),
    () => {},
  );
  await clock.advance(5_000);
  if (!store.isDead) await store.stop(first);
  const later = new FakeClock(clock.now());
  await using next = await Harness.start({ effect }, memory.reopen(later), later);
  await settle();
  await later.advance(10_000);
  const { results } = await next.page<ExecutionResponse>("/executions/search?kind=TEST");
  for (const { id } of results) checkEnd(await next.execution(id), `${cut.at} ${cut.mode}`, text);
  assertEquals([...ran].filter((name) => name !== "real" && name !== "between"), []);
  const isCreated = !(cut.at === 1 && cut.mode !== "die_after" && cut.mode !== "lose_response");
  if (isCreated) assertEquals(results.length, 1, `${cut.at} ${cut.mode}`);
}

function checkEnd({ state, taskRunList }: ExecutionResponse, where: string, text: string): void {
  assertEquals(state.current, "WARNING", where);
  const ends = taskRunList.map(({ taskId, state }) => `${taskId} ${state.current}`);
  assertEquals(ends, ["real SUCCESS", "given SUCCESS", "each SUCCESS", "last WARNING"], where);
  assertEquals(taskRunList.find(({ taskId }) => taskId === "given")?.outputs, { text }, where);
}
