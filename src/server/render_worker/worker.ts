/** The thread of long evaluations. */
import { type MessagePort, parentPort } from "node:worker_threads";
import { systemClock } from "../../base/time/clock.ts";
import { secureRandom } from "../../machine/secure_random.ts";
import { Evaluation } from "./evaluation.ts";
import type { ToWorker } from "./messages.ts";

function serve(port: MessagePort): void {
  let evaluation: Evaluation | undefined;
  port.on("message", (message: ToWorker) => {
    if (message.type === "render") {
      evaluation = new Evaluation(message.render, { clock: systemClock, random: secureRandom });
      for (const supply of message.supplies) evaluation.supply(supply);
    } else evaluation?.supply(message);
    if (evaluation) port.postMessage(evaluation.attempt());
  });
}

if (parentPort) serve(parentPort);
