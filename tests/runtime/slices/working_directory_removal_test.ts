/** The directory of a WorkingDirectory whose execution is deleted, or discarded from memory. */
import { assert, assertEquals } from "@std/assert";
import { dirname } from "node:path";
import type { Key, StoredEntry } from "../../../src/store/store.ts";
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

/** Reads of the caches of flows wait for the test, once it says so. */
class SlowCaches extends FaultyStore {
  readonly begun = Promise.withResolvers<void>();
  readonly read = Promise.withResolvers<void>();
  isSlow = false;

  override async get(key: Key): Promise<StoredEntry | null> {
    if (this.isSlow && key[1] === "fc") {
      this.begun.resolve();
      await this.read.promise;
    }
    return await super.get(key);
  }
}

Deno.test("WorkingDirectory: its directory is removed when its execution is deleted while its files are prepared", async () => {
  const attempts = new Attempts();
  let store: SlowCaches | undefined;
  await using app = await Harness.start({
    wrap: (memory) => store = new SlowCaches(memory),
    effect: attempts.effect,
  });
  await app.save(FLOW.replace("    tasks:", "    cache: {patterns: ['*.log']}\n    tasks:"));
  const first = await app.start("flow");
  await until(() => attempts.paths.length === 1);
  attempts.end(0);
  await until(async () => (await app.execution(first.id)).state.current === "SUCCESS");
  const caches = store as unknown as SlowCaches;
  caches.isSlow = true;
  const { id } = await app.start("flow");
  await caches.begun.promise;
  const root = dirname(attempts.paths[0] ?? "");
  const namesIn = () => Array.from(Deno.readDirSync(root), ({ name }) => name);
  await until(() => namesIn().length === 1);
  await app.json("DELETE", `/executions/${id}`);
  await settle();
  assertEquals(namesIn().length, 1, "its files are still prepared");
  caches.read.resolve();
  await until(() => namesIn().length === 0);
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
