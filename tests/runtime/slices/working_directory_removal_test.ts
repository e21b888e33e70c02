/** The directory of a WorkingDirectory whose execution is deleted, or discarded from memory. */
import { assert, assertEquals } from "@std/assert";
import { settle } from "../../support/fakes/fake_clock.ts";
import { FaultyStore } from "../../support/fakes/faulty_store.ts";
import { type Effect, EFFECT_TYPE, Harness } from "../../support/harness.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { CORE } from "../../tasks/core_flows.ts";

const FLOW = `id: flow
namespace: demo
tasks:
  - id: wd
    type: ${CORE}flow.WorkingDirectory
    tasks:
      - {id: a, type: ${CORE}storage.LocalFiles, inputs: {x.txt: a}}
      - {id: e, type: ${EFFECT_TYPE}}
      - {id: o, type: ${CORE}storage.LocalFiles, outputs: [x.txt]}
`;

/** Each attempt of the effect runs until the test lets it end; none ends because it is interrupted. */
class Attempts {
  readonly paths: string[] = [];
  readonly #ends: (() => void)[] = [];

  readonly effect: Effect = async (_properties, { workingDirectory = "" }) => {
    const over = Promise.withResolvers<void>();
    this.#ends.push(over.resolve);
    this.paths.push(workingDirectory);
    await over.promise;
    return { state: "SUCCESS" };
  };

  end(index: number): void {
    this.#ends[index]?.();
  }
}

Deno.test("WorkingDirectory: its directory is removed when its execution was deleted and its tasks have stopped", async () => {
  const attempts = new Attempts();
  await using app = await Harness.start({ effect: attempts.effect });
  await app.save(FLOW);
  const { id } = await app.start("flow");
  await until(() => attempts.paths.length === 1);
  const [path = ""] = attempts.paths;
  await app.json("DELETE", `/executions/${id}`);
  await settle();
  assert(await exists(path), "a task still runs in it");
  attempts.end(0);
  await until(async () => !await exists(path));
});

Deno.test("WorkingDirectory: its directory is removed when its execution is deleted while nothing runs in it", async () => {
  const attempts = new Attempts();
  await using app = await Harness.start({ effect: attempts.effect });
  await app.save(FLOW);
  const { id } = await app.start("flow");
  await until(() => attempts.paths.length === 1);
  const [path = ""] = attempts.paths;
  await app.json("POST", `/executions/${id}/pause`);
  attempts.end(0);
  await until(async () => (await app.execution(id)).taskRunList[2]?.state.current === "SUCCESS");
  assert(await exists(path), "a resume needs it");
  await app.json("DELETE", `/executions/${id}`);
  await until(async () => !await exists(path));
});

Deno.test("WorkingDirectory: after a refused deletion a late end of a former task leaves the directory of the next one", async () => {
  const attempts = new Attempts();
  let isFull = false;
  await using app = await Harness.start({
    wrap: (memory) => new FaultyStore(memory, () => isFull ? "full" : "none"),
    effect: attempts.effect,
  });
  await app.save(FLOW);
  const { id } = await app.start("flow");
  await until(() => attempts.paths.length === 1);
  isFull = true;
  const refused = await app.request("DELETE", `/executions/${id}`);
  await refused.body?.cancel();
  assertEquals(refused.status, 507);
  isFull = false;
  await until(async () => {
    await app.advance(1_000);
    return attempts.paths.length === 2;
  });
  attempts.end(0);
  await settle();
  attempts.end(1);
  await until(async () => (await app.execution(id)).state.current === "SUCCESS");
  assertEquals((await app.execution(id)).taskRunList.map(({ taskId }) => taskId), ["wd", "a", "e", "o"]);
  const outputs = (await app.execution(id)).taskRunList[3]?.outputs;
  assertEquals(Object.keys(outputs?.uris ?? {}), ["x.txt"]);
  await until(async () => !await exists(attempts.paths[1] ?? ""));
});

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
