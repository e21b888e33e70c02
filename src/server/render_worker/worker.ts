/** The thread of long evaluations. Also imported by the server, so that the compiled binary holds it. */
import { systemClock } from "../../base/clock.ts";
import { secureRandom } from "../secure_random.ts";
import { Evaluation } from "./evaluation.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

/** The address of this module. */
export const WORKER_URL = import.meta.url;

/** The part of the scope of a worker that is used here; absent in the thread of the server. */
interface WorkerScope {
  onmessage: (event: { readonly data: ToWorker }) => void;
  postMessage(message: FromWorker): void;
}

function serve(scope: WorkerScope): void {
  let evaluation: Evaluation | undefined;
  scope.onmessage = ({ data }) => {
    if (data.type === "render") {
      evaluation = new Evaluation(data.render, { clock: systemClock, random: secureRandom });
      for (const supply of data.supplies) evaluation.supply(supply);
    } else evaluation?.supply(data);
    if (evaluation) scope.postMessage(evaluation.attempt());
  };
}

if ("WorkerGlobalScope" in globalThis) serve(globalThis as unknown as WorkerScope);
