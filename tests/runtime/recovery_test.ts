/** After crashes: what only waited was not interrupted, and is not given up for what others do. */
import { assertEquals } from "@std/assert";
import { settle } from "../support/fake_clock.ts";
import { EFFECT_TYPE, Harness, statesOf } from "../support/harness.ts";

const CORE = "io.kestra.plugin.core";
const NEVER = `id: never\nnamespace: demo\ntasks: [{id: a, type: ${EFFECT_TYPE}, name: never}]\n`;
const CHILD = `id: child\nnamespace: demo\ntasks: [{id: p, type: ${CORE}.flow.Pause}]\n`;

/** Tasks after one that has an effect, and what they wait for. */
const WAITS: readonly (readonly [name: string, task: string])[] = [
  ["a person", `{id: w, type: ${CORE}.flow.Pause}`],
  ["a time", `{id: w, type: ${CORE}.flow.Sleep, duration: PT1H}`],
  [
    "a retry",
    `{id: w, type: ${CORE}.execution.Fail, retry: {type: constant, interval: PT1H, maxAttempt: 2}}`,
  ],
  ["another execution", `{id: w, type: ${CORE}.flow.Subflow, namespace: demo, flowId: child}`],
  [
    "the next pass",
    `{id: w, type: ${CORE}.flow.LoopUntil, condition: "false", checkFrequency: {interval: PT1H}, ` +
    `tasks: [{id: r, type: ${CORE}.debug.Return, format: x}]}`,
  ],
  [
    "two times",
    `{id: w, type: ${CORE}.flow.Parallel, tasks: [{id: x, type: ${CORE}.flow.Sleep, duration: PT1H}, ` +
    `{id: y, type: ${CORE}.flow.Sleep, duration: PT2H}]}`,
  ],
];

for (const [name, task] of WAITS) {
  Deno.test(`recover() of an execution that waits for ${name}: three crashes beside one that is live are not its own`, async () => {
    const effect = ({ name }: { readonly name?: unknown }) =>
      name === "never" ? new Promise<never>(() => {}) : { state: "SUCCESS", outputs: {} } as const;
    let app = await Harness.start({ effect });
    await app.save(NEVER);
    await app.save(CHILD);
    await app.save(`id: waits\nnamespace: demo\ntasks:\n  - {id: a, type: ${EFFECT_TYPE}}\n  - ${task}\n`);
    // Both become live with one commit, which lists them together.
    const [waits, never] = await Promise.all([app.start("waits"), app.start("never")]);
    await settle();
    const before = await app.execution(waits.id);
    for (let crash = 0; crash < 3; crash++) {
      app = await app.crash();
      await settle();
    }
    assertEquals(statesOf(await app.execution(waits.id)), statesOf(before));
    assertEquals((await app.execution(never.id)).state.current, "FAILED");
    await app[Symbol.asyncDispose]();
  });
}
