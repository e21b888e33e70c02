/** What the save or deletion of a flow means for its triggers. Knows flows only by what is given. */
import { type DomainError, invalidEntity, isTooLarge } from "../../model/errors.ts";
import type { Flow, FlowKey, Trigger } from "../../model/flows/flow.ts";
import type { TriggerState } from "../../model/triggers/trigger_state.ts";
import type { Entry } from "../../store/committer.ts";
import type { RenameRecords } from "../../store/records/rename_records.ts";
import type { TriggerRecords } from "../../store/records/trigger_records.ts";
import type { TriggerDeclarations } from "./trigger_declarations.ts";
import type { TriggerIndex } from "./trigger_index.ts";
import type { StateChange, TriggerStates } from "./trigger_states.ts";

/** The move of a flow: its own entry, and the mutations before it. */
interface FlowMove {
  readonly entry: Entry;
  readonly batch: ReturnType<RenameRecords["batch"]>;
}

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

  /**
   * Commits the move of a flow to another namespace, where its triggers continue. They may be too many for one entry: their
   * states are written before, where no flow declares them yet. Those under the old name are left: the rename removes them.
   */
  async move(from: FlowKey, flow: Flow, { entry, batch }: FlowMove): Promise<void> {
    const { tenant } = flow;
    const { states, records } = this.#deps;
    const old = await records.ofFlow(tenant, from);
    const known = old.map((state) => ({ ...state, namespace: flow.namespace }));
    const moved = await Promise.all(flow.triggers.map((trigger) => this.#changeOf(flow, trigger, known)));
    // Files of a try that a crash or a fault of the database has ended.
    const written = await records.ofFlow(tenant, flow);
    // A move is no change of a trigger.
    const changes = moved.map(({ previous, next }): StateChange => ({
      tenant,
      previous: written.find(({ triggerId }) => triggerId === next.triggerId),
      next: { ...next, updatedAt: previous?.updatedAt ?? next.updatedAt },
    }));
    for (const change of changes) await batch.add(states.mutationsOf(change));
    for (const state of old) await batch.add(await records.movedWindows(tenant, state, flow.namespace));
    await batch.flush();
    await states.commit({
      ...entry,
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
