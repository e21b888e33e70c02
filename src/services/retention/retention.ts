/** Keeps executions no longer than the server was told to: all tenants in turn, and a line of the log for what went. */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { ExecutionRetention, RetentionRules } from "./execution_retention.ts";

/** What the rounds work with. */
interface RetentionDeps {
  readonly executions: Pick<ExecutionRetention, "removeSome">;
  readonly rules: RetentionRules;
  readonly tenants: () => readonly TenantId[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Rounds for a loop. */
export class Retention {
  readonly #deps: RetentionDeps;
  #removed = 0;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** False where everything is kept: no loop is needed. */
  static isNeeded({ maxAgeMs, maxCount }: RetentionRules): boolean {
    return maxAgeMs !== undefined || maxCount !== undefined;
  }

  /** Removes some executions of each tenant; true when there may be more. @throws DomainError when the database refuses */
  async round(): Promise<boolean> {
    const { executions, rules, tenants, clock } = this.#deps;
    let removed = 0;
    for (const tenant of tenants()) removed += await executions.removeSome(tenant, rules, clock.now());
    this.#removed += removed;
    if (removed === 0) this.report();
    return removed > 0;
  }

  /** Says how many were removed since it was said last; nothing where none was. */
  report(): void {
    if (this.#removed === 0) return;
    this.#deps.logger.info("Old executions are removed", { executions: this.#removed });
    this.#removed = 0;
  }
}
