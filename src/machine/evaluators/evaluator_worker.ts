/** The thread that evaluates, in a process of its own or in that of the server. */
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { sourceUrl } from "../../base/source_url.ts";
import type { EvaluatorData } from "../../model/ports/evaluators.ts";

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Data for the thread. Its messages are the responses, as texts. */
interface WorkerData extends EvaluatorData {
  /** Is closed when the thread has exited. */
  readonly lifeline: MessagePort;
}

/** A started thread. */
interface StartedWorker {
  readonly worker: Worker;
  /** The other end. */
  readonly lifeline: MessagePort;
}

/** Starts the thread. */
export function startEvaluatorWorker(data: EvaluatorData): StartedWorker {
  const { port1: lifeline, port2 } = new MessageChannel();
  const workerData: WorkerData = { ...data, lifeline: port2 };
  const worker = new Worker(sourceUrl("integrations/evaluator_worker.ts"), {
    resourceLimits: RESOURCE_LIMITS,
    workerData,
    transferList: [port2],
  });
  return { worker, lifeline };
}
