/** Grants free slots at the start of the server. A flow that cannot be read must not end the start: its executions stay queued until it can. */
import type { CancelTimer, Clock } from "../base/time/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Executor } from "../runtime/executor.ts";
import type { Flows } from "../services/flows/flows.ts";

interface QueuedFlowsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly executor: Pick<Executor, "slots" | "setLimit">;
  readonly flows: Pick<Flows, "plan">;
}

const RETRY_MS = 2_000;

/** The flows whose executions were queued when the last process ended. */
export class QueuedFlows implements Disposable {
  readonly #deps: QueuedFlowsDeps;
  #cancelRetry: CancelTimer = () => {};
  #isStopped = false;

  constructor(deps: QueuedFlowsDeps) {
    this.#deps = deps;
  }

  /** Grants free slots to queued executions, by the limits of the latest revisions. Never rejects. */
  async grant(): Promise<void> {
    const { executor, flows, clock, logger } = this.#deps;
    let isRetried = false;
    for (const { tenant, namespace, id } of [...executor.slots.waitingFlows()]) {
      try {
        const { flow } = await flows.plan(tenant, { namespace, id }, { allowDeleted: true });
        executor.setLimit({ tenant, namespace, flowId: id }, flow.concurrency?.limit);
      } catch (error) {
        isRetried = true;
        logger.repeated("warn", "Queued executions wait: their flow cannot be read", {
          flow: `${namespace}.${id}`,
          error: (error as Error).message,
        });
      }
    }
    if (isRetried && !this.#isStopped) {
      this.#cancelRetry = clock.setTimer(RETRY_MS, () => void this.grant());
    }
  }

  /** Ends the retries. */
  [Symbol.dispose](): void {
    this.#isStopped = true;
    this.#cancelRetry();
  }
}
