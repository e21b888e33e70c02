/**
 * The process of an evaluator. Its main thread passes messages on, and waits for the end of its input, which ends even an
 * evaluation that never pauses.
 */
import type { Worker } from "node:worker_threads";
import { systemClock } from "../../base/time/clock.ts";
import { readLines } from "../json_lines.ts";
import { startEvaluatorWorker } from "./evaluator_worker.ts";

/** Beside reading, for the modules of the thread. The binary has all of them. */
const UNUSED = ["run", "write", "net", "env", "sys", "ffi"] as const;

/** Of the whole process. The limits of its thread count no buffers; the largest result of JSONata takes half of it. */
const MAX_MEMORY_MIB = 1024;
const MEMORY_CHECK_MS = 100;

const encoder = new TextEncoder();

/** Works until its input ends. Never returns. */
export async function runEvaluatorHost(): Promise<never> {
  for (const name of UNUSED) await Deno.permissions.revoke({ name });
  limitMemory();
  let worker: Worker | undefined;
  for await (const line of readLines(Deno.stdin.readable)) {
    if (worker) worker.postMessage(line);
    else worker = start(line);
  }
  Deno.exit(0);
}

function start(expression: string): Worker {
  const { worker } = startEvaluatorWorker({ expression: JSON.parse(expression) });
  worker.on("message", (response: string) => {
    const bytes = encoder.encode(`${response}\n`);
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  });
  worker.on("error", ({ message }: Error) => fail(message));
  return worker;
}

function limitMemory(): void {
  if (Deno.memoryUsage().rss > MAX_MEMORY_MIB * 1024 ** 2) {
    fail(`it takes more than ${MAX_MEMORY_MIB} MiB of memory`);
  }
  systemClock.setTimer(MEMORY_CHECK_MS, limitMemory);
}

function fail(reason: string): never {
  Deno.stderr.writeSync(encoder.encode(`${reason}\n`));
  Deno.exit(1);
}

if (import.meta.main) await runEvaluatorHost();
