/** Applies the retention rules of the server to all tenants and logs the number of removed executions. */
import type { Clock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { ExecutionRetention, RetentionRules } from "./execution_retention.ts";

interface RetentionDeps {
  readonly executions: Pick<ExecutionRetention, "removeSome">;
  readonly rules: RetentionRules;
  readonly tenants: () => readonly TenantId[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Retention as rounds of an interval loop. */
export class Retention {
  readonly #deps: RetentionDeps;
  #removed = 0;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** False if the rules keep everything, so that no loop is needed. */
  static isNeeded({ maxAgeMs, maxCount }: RetentionRules): boolean {
    return maxAgeMs !== undefined || maxCount !== undefined;
  }

  /** Removes some executions of each tenant; true if there may be more. @throws DomainError when the database refuses */
  async round(): Promise<boolean> {
    const { executions, rules, tenants, clock } = this.#deps;
    let hasMore = false;
    for (const tenant of tenants()) {
      const step = await executions.removeSome(tenant, rules, clock.now());
      this.#removed += step.removed;
      if (step.hasMore) hasMore = true;
    }
    if (!hasMore) this.report();
    return hasMore;
  }

  /** Logs the number of executions removed since the last report, if any. */
  report(): void {
    if (this.#removed === 0) return;
    this.#deps.logger.info("Removed old executions", { executions: this.#removed });
    this.#removed = 0;
  }
}
