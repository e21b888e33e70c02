/**
 * What webhooks did with calls. It is kept in memory at once and stored now and then: anybody who knows a key may call as often
 * as he likes, and a call that starts nothing must not cost a write. A crash loses the last few seconds of it.
 */
import type { TenantId, TriggerKey } from "../../model/flows/flow.ts";
import { type Evaluation, Evaluations, MAX_EVALUATIONS } from "../../model/triggers/evaluations.ts";
import { triggerName, type TriggerState } from "../../model/triggers/trigger_state.ts";
import { keyOf, type TriggerStates } from "./trigger_states.ts";

/** Triggers of which something waits to be stored; of further ones nothing is noted until then. */
const MAX_NOTED_TRIGGERS = 1_000;

interface Noted {
  readonly tenant: TenantId;
  readonly trigger: TriggerKey;
  /** The latest first. */
  evaluations: readonly Evaluation[];
}

/** Evaluations that are not stored yet. */
export class TriggerNotes {
  readonly #states: Pick<TriggerStates, "update">;
  readonly #noted = new Map<string, Noted>();

  constructor(states: Pick<TriggerStates, "update">) {
    this.#states = states;
  }

  /** Takes note of an evaluation. A refusal for the same reason as the one before takes its place. */
  add(tenant: TenantId, trigger: TriggerKey, evaluation: Evaluation): void {
    const name = triggerName(tenant, trigger);
    const noted = this.#noted.get(name);
    if (noted) noted.evaluations = withNote(noted.evaluations, evaluation);
    else if (this.#noted.size < MAX_NOTED_TRIGGERS) {
      this.#noted.set(name, { tenant, trigger: keyOf(trigger), evaluations: [evaluation] });
    }
  }

  /** A stored state with what was noted since. */
  applyTo(tenant: TenantId, state: TriggerState): TriggerState {
    const noted = this.#noted.get(triggerName(tenant, state));
    return noted ? withNotes(state, noted.evaluations) : state;
  }

  /** Forgets what was noted of a trigger. */
  forget(tenant: TenantId, trigger: TriggerKey): void {
    this.#noted.delete(triggerName(tenant, trigger));
  }

  /** Stores what was noted, one write for each trigger. */
  async flush(): Promise<void> {
    await Promise.all([...this.#noted].map(([name, noted]) => this.#store(name, noted)));
  }

  async #store(name: string, noted: Noted): Promise<void> {
    const { tenant, trigger } = noted;
    let stored: readonly Evaluation[] = noted.evaluations;
    await this.#states.update(tenant, trigger, (state) => {
      stored = noted.evaluations;
      return withNotes(state, stored);
    });
    noted.evaluations = noted.evaluations.filter((evaluation) => !stored.includes(evaluation));
    if (noted.evaluations.length === 0 && this.#noted.get(name) === noted) this.#noted.delete(name);
  }
}

function withNotes(state: TriggerState, notes: readonly Evaluation[]): TriggerState {
  const evaluations = Evaluations.of([...notes].reverse().reduce(withNote, state.evaluations.list()));
  const started = notes.find(({ outcome }) => outcome === "STARTED");
  return { ...state, evaluations, date: Math.max(state.date ?? 0, started?.at ?? 0) || undefined };
}

function withNote(evaluations: readonly Evaluation[], evaluation: Evaluation): readonly Evaluation[] {
  const [latest, ...earlier] = evaluations;
  if (evaluations.some((each) => isSame(each, evaluation))) return evaluations;
  const isRepeated = latest?.outcome === "SKIPPED" && evaluation.outcome === "SKIPPED" &&
    latest.reason === evaluation.reason;
  return [evaluation, ...isRepeated ? earlier : evaluations].slice(0, MAX_EVALUATIONS);
}

/** It was stored since it was noted. */
function isSame(a: Evaluation, b: Evaluation): boolean {
  return a.at === b.at && a.outcome === b.outcome && a.executionId === b.executionId && a.reason === b.reason;
}
