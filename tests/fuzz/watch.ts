/** The worker and its watch: an input that never ends is found too. */
import type { Finding } from "./finding.ts";
import { inputAt } from "./seeds.ts";
import { TARGETS } from "./targets.ts";
import type { Slice, SliceResult } from "./worker.ts";

/** An input that takes longer than this, shrinking included, never ends. */
const HANG_MS = 60_000;
const LOOK_MS = 5_000;

/** Runs slices in a worker, which is replaced when it hangs. */
export class WatchedWorker {
  readonly #progress = new Int32Array(new SharedArrayBuffer(4));
  #worker = newWorker();

  /** What a slice showed; after a hang its input counts as a finding, and the next one follows it. */
  async run(request: Omit<Slice, "progress">): Promise<SliceResult> {
    const progress = this.#progress;
    Atomics.store(progress, 0, request.first);
    const worker = this.#worker;
    let timer: ReturnType<typeof setInterval> | undefined;
    const result = await new Promise<SliceResult | undefined>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<SliceResult>) => resolve(data);
      worker.onerror = (event) => reject(new Error(`The worker broke: ${event.message}`));
      timer = watchProgress(progress, () => resolve(undefined));
      worker.postMessage({ ...request, progress } satisfies Slice);
    }).finally(() => clearInterval(timer));
    return result ?? this.#replace(request);
  }

  /** Ends the worker. */
  close(): void {
    this.#worker.terminate();
  }

  #replace({ target, seed }: Omit<Slice, "progress">): SliceResult {
    this.#worker.terminate();
    this.#worker = newWorker();
    const index = Atomics.load(this.#progress, 0);
    const found = TARGETS.find(({ name }) => name === target);
    const input = found ? inputAt(found, seed, index) : [];
    const detail = `It takes more than ${HANG_MS} ms`;
    const finding: Finding = { target, seed, index, kind: "hang", detail, input };
    return { next: index + 1, findings: [finding] };
  }
}

function newWorker(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
}

/** Calls back when the number has stood still for too long. */
function watchProgress(progress: Int32Array, onHang: () => void): ReturnType<typeof setInterval> {
  let last = -1, since = performance.now();
  return setInterval(() => {
    const index = Atomics.load(progress, 0);
    if (index !== last) [last, since] = [index, performance.now()];
    else if (performance.now() - since > HANG_MS) onHang();
  }, LOOK_MS);
}
