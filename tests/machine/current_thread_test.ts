import { assert, assertEquals } from "@std/assert";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { threadCpuMs } from "../../src/machine/current_thread.ts";

const MODULE = new URL("../../src/machine/current_thread.ts", import.meta.url);
/** Sends its priority before and after. */
const THREAD = `
import { getPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { lowerThreadPriority } from "${MODULE}";
const before = getPriority();
lowerThreadPriority();
parentPort.postMessage([before, getPriority()]);
`;

Deno.test({
  name: "lowerThreadPriority() concerns the calling thread alone",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const own = getPriority();
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`));
    const [before, after] = await new Promise<number[]>((resolve, reject) => {
      worker.on("message", resolve).on("error", reject);
    });
    await worker.terminate();
    assertEquals(before, own);
    assertEquals(after, Math.max(own, 10));
    assertEquals(getPriority(), own);
  },
});

Deno.test("threadCpuMs() grows with work, and not with waiting", async () => {
  const start = threadCpuMs();
  const limit = performance.now() + 5_000;
  // Systems count in steps of up to 10 ms.
  while (threadCpuMs() === start && performance.now() < limit);
  const worked = threadCpuMs();
  assert(worked > start);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert(threadCpuMs() - worked < 100);
});
