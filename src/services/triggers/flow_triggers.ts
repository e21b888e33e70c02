/** What the save or deletion of a flow means for its triggers. Knows flows only by what is given. */
import { type DomainError, invalidEntity, isTooLarge } from "../../model/errors.ts";
import type { Flow, FlowKey, Trigger } from "../../model/flows/flow.ts";
import type { TriggerState } from "../../model/triggers/trigger_state.ts";
import type { Entry } from "../../store/committer.ts";
import type { TriggerRecords } from "../../store/records/trigger_records.ts";
import type { TriggerDeclarations } from "./trigger_declarations.ts";
import type { TriggerIndex } from "./trigger_index.ts";
import type { StateChange, TriggerStates } from "./trigger_states.ts";

interface FlowTriggersDeps {
  readonly states: TriggerStates;
  readonly records: TriggerRecords;
  readonly index: TriggerIndex;
  readonly declarations: TriggerDeclarations;
}

/** With fewer triggers it is something else that is too large for a commit. */
const MANY_TRIGGERS = 20;

function tooManyTriggers(declared: number, removed: number): DomainError {
  const message = `its ${declared} triggers and the ${removed} that it removes are too many for one save; ` +
    "save some of them in another flow";
  return invalidEntity(`flow.triggers: ${message}`, { items: [{ path: "flow.triggers", message }] });
}

/** Keeps the states of triggers in step with the flows that declare them. */
export class FlowTriggers {
  readonly #deps: FlowTriggersDeps;

  constructor(deps: FlowTriggersDeps) {
    this.#deps = deps;
  }

  /** Commits the save or deletion of a flow in one entry with the states of its triggers. */
  async commit(flow: Flow, entry: Entry): Promise<void> {
    const { tenant } = flow;
    const declared = flow.deleted ? [] : flow.triggers;
    const { states, records } = this.#deps;
    await states.exclusively(tenant, flow, async () => {
      const known = await records.ofFlow(tenant, flow);
      if (known.length === 0 && declared.length === 0) return await states.commit(entry);
      const changes = await Promise.all(declared.map((trigger) => this.#changeOf(flow, trigger, known)));
      const gone = known.filter(({ triggerId }) => !declared.some(({ id }) => id === triggerId));
      const removals = await Promise.all(gone.map((state) => records.remove(tenant, state)));
      await states.commit({
        ...entry,
        mutations: [
          ...entry.mutations,
          ...changes.flatMap((change) => states.mutationsOf(change)),
          ...removals.flat(),
        ],
        committed: () => {
          entry.committed?.();
          this.#applied(flow, { changes, gone });
        },
      }).catch((error: Error) => {
        if (!isTooLarge(error) || declared.length + gone.length < MANY_TRIGGERS) throw error;
        throw tooManyTriggers(declared.length, gone.length);
      });
    });
  }

  /** Commits the move of a flow to another namespace in one entry with the states of its triggers, which continue there. */
  async move(from: FlowKey, flow: Flow, entry: Entry): Promise<void> {
    const { tenant } = flow;
    const { states, records } = this.#deps;
    const old = await records.ofFlow(tenant, from);
    const known = old.map((state) => ({ ...state, namespace: flow.namespace }));
    const moved = await Promise.all(flow.triggers.map((trigger) => this.#changeOf(flow, trigger, known)));
    // Nothing of them is stored under the new name yet. A move is no change of a trigger.
    const changes = moved.map(({ previous, next }): StateChange => ({
      tenant,
      next: { ...next, updatedAt: previous?.updatedAt ?? next.updatedAt },
    }));
    const windows = await Promise.all(
      old.map((state) => records.movedWindows(tenant, state, flow.namespace)),
    );
    const removals = await Promise.all(old.map((state) => records.remove(tenant, state)));
    await states.commit({
      ...entry,
      mutations: [
        ...entry.mutations,
        ...changes.flatMap((change) => states.mutationsOf(change)),
        ...windows.flat(),
        ...removals.flat(),
      ],
      committed: () => {
        entry.committed?.();
        this.#applied(flow, { changes, gone: old });
      },
    });
  }

  async #changeOf(flow: Flow, trigger: Trigger, known: readonly TriggerState[]): Promise<StateChange> {
    const previous = known.find(({ triggerId }) => triggerId === trigger.id);
    const next = await this.#deps.declarations.stateOf(flow, trigger, previous);
    return { tenant: flow.tenant, previous, next };
  }

  /** Updates memory after the commit of a flow. */
  #applied(
    flow: Flow,
    { changes, gone }: { readonly changes: readonly StateChange[]; readonly gone: readonly TriggerState[] },
  ): void {
    for (const state of gone) this.#deps.states.removed(flow.tenant, state);
    for (const change of changes) {
      this.#deps.states.removed(flow.tenant, change.next);
      this.#deps.states.applied(change);
    }
    for (const trigger of flow.deleted ? [] : flow.triggers) {
      if (this.#deps.index.isListening(trigger.kind)) this.#deps.index.listen(flow.tenant, flow, trigger);
    }
  }
}
