/**
 * Evaluations of webhook calls, buffered in memory and stored every few seconds: the rate of calls is not limited, and a
 * call that starts nothing must not cost a write. A crash loses the evaluations of the last seconds.
 */
import type { Logger } from "../../base/log.ts";
import { isTooLarge } from "../../model/errors.ts";
import type { TenantId, TriggerKey } from "../../model/flows/flow.ts";
import { bounded, type Evaluation, Evaluations, MAX_EVALUATIONS } from "../../model/triggers/evaluations.ts";
import { triggerName, type TriggerState } from "../../model/triggers/trigger_state.ts";
import { keyOf, type TriggerStates } from "./trigger_states.ts";

/** Triggers in the buffer; evaluations of further ones are dropped until it is stored. */
const MAX_TRIGGERS = 1_000;

interface BufferedTrigger {
  readonly tenant: TenantId;
  readonly trigger: TriggerKey;
  /** Latest first. */
  evaluations: readonly Evaluation[];
}

/** Evaluations that are not stored yet. */
export class EvaluationBuffer {
  readonly #states: Pick<TriggerStates, "update">;
  readonly #logger: Pick<Logger, "warn">;
  readonly #triggers = new Map<string, BufferedTrigger>();

  constructor(states: Pick<TriggerStates, "update">, logger: Pick<Logger, "warn">) {
    this.#states = states;
    this.#logger = logger;
  }

  /** Adds an evaluation. A SKIPPED one replaces a preceding one with the same reason. */
  add(tenant: TenantId, trigger: TriggerKey, given: Evaluation): void {
    const evaluation = bounded(given);
    const name = triggerName(tenant, trigger);
    const buffered = this.#triggers.get(name);
    if (buffered) buffered.evaluations = withOne(buffered.evaluations, evaluation);
    else if (this.#triggers.size < MAX_TRIGGERS) {
      this.#triggers.set(name, { tenant, trigger: keyOf(trigger), evaluations: [evaluation] });
    }
  }

  /** A stored state with the buffered evaluations added. */
  applyTo(tenant: TenantId, state: TriggerState): TriggerState {
    const buffered = this.#triggers.get(triggerName(tenant, state));
    return buffered ? withAll(state, buffered.evaluations) : state;
  }

  /** Drops the evaluations of a trigger. */
  drop(tenant: TenantId, trigger: TriggerKey): void {
    this.#triggers.delete(triggerName(tenant, trigger));
  }

  /** Stores all evaluations, one write per trigger. Those that the database would refuse again are dropped. */
  async flush(): Promise<void> {
    await Promise.all(
      [...this.#triggers].map(([name, buffered]) =>
        this.#store(name, buffered).catch((error: Error) => this.#giveUp(name, error))
      ),
    );
  }

  #giveUp(name: string, error: Error): void {
    if (!isTooLarge(error)) throw error;
    this.#triggers.delete(name);
    this.#logger.warn("Dropped evaluations of a trigger", { trigger: name, reason: error.message });
  }

  async #store(name: string, buffered: BufferedTrigger): Promise<void> {
    const { tenant, trigger } = buffered;
    let stored: readonly Evaluation[] = buffered.evaluations;
    await this.#states.update(tenant, trigger, (state) => {
      stored = buffered.evaluations;
      return withAll(state, stored);
    });
    buffered.evaluations = buffered.evaluations.filter((evaluation) => !stored.includes(evaluation));
    if (buffered.evaluations.length === 0 && this.#triggers.get(name) === buffered) {
      this.#triggers.delete(name);
    }
  }
}

function withAll(state: TriggerState, added: readonly Evaluation[]): TriggerState {
  const evaluations = Evaluations.of([...added].reverse().reduce(withOne, state.evaluations.list()));
  const started = added.find(({ outcome }) => outcome === "STARTED");
  return { ...state, evaluations, date: Math.max(state.date ?? 0, started?.at ?? 0) || undefined };
}

function withOne(evaluations: readonly Evaluation[], evaluation: Evaluation): readonly Evaluation[] {
  const [latest, ...earlier] = evaluations;
  if (evaluations.some((each) => isSame(each, evaluation))) return evaluations;
  const isRepeated = latest?.outcome === "SKIPPED" && evaluation.outcome === "SKIPPED" &&
    latest.reason === evaluation.reason;
  return [evaluation, ...isRepeated ? earlier : evaluations].slice(0, MAX_EVALUATIONS);
}

/** True for an evaluation that was stored meanwhile. */
function isSame(a: Evaluation, b: Evaluation): boolean {
  return a.at === b.at && a.outcome === b.outcome && a.executionId === b.executionId && a.reason === b.reason;
}
