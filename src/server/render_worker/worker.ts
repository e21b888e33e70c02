/** The thread of long evaluations. */
import { type MessagePort, parentPort } from "node:worker_threads";
import { lowerThreadPriority, threadCpuMs } from "../../machine/current_thread.ts";
import { secureRandom } from "../../machine/secure_random.ts";
import { Evaluation } from "./evaluation.ts";
import type { ToWorker } from "./messages.ts";

/** A busy machine must not make an evaluation exceed its time, all the less as the thread has a low priority. */
const CLOCK = { monotonicMs: threadCpuMs };

function serve(port: MessagePort): void {
  lowerThreadPriority();
  let evaluation: Evaluation | undefined;
  port.on("message", (message: ToWorker) => {
    if (message.type === "render") {
      evaluation = new Evaluation(message.render, { clock: CLOCK, random: secureRandom });
      for (const supply of message.supplies) evaluation.supply(supply);
    } else evaluation?.supply(message);
    if (evaluation) port.postMessage(evaluation.attempt());
  });
}

if (parentPort) serve(parentPort);
