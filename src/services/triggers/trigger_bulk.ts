/** Actions on many triggers. A trigger that the action does not apply to is skipped and not counted. */
import type { Clock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import type { IdSource } from "../../base/id.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import type { TriggerKey } from "../../model/flows/flow.ts";
import type { Triggers } from "./triggers.ts";

/** An action on one trigger. */
export type TriggerAction = (triggers: Triggers, actor: Actor, key: TriggerKey) => Promise<unknown>;

interface TriggerBulkResult {
  readonly count: number;
  readonly totalItems: number;
  readonly operationId: string;
}

/** Actions by name. */
export const TRIGGER_ACTIONS: ReadonlyMap<string, TriggerAction> = new Map<string, TriggerAction>([
  ["backfill/pause", (triggers, actor, key) => triggers.pauseBackfill(actor, key, true)],
  ["backfill/unpause", (triggers, actor, key) => triggers.pauseBackfill(actor, key, false)],
  ["backfill/delete", (triggers, actor, key) => triggers.deleteBackfill(actor, key)],
  ["unlock", (triggers, actor, key) => triggers.unlock(actor, key)],
  ["delete", (triggers, actor, key) => triggers.reset(actor, key)],
]);

/** The action that disables or enables a trigger. */
export function disableAction(disabled: boolean): TriggerAction {
  return (triggers, actor, key) => triggers.disable(actor, key, disabled);
}

/** Of triggers that are skipped nothing is written. */
const TURN_MS = 4;

/** Applies actions to many triggers. */
export class TriggerBulk {
  readonly #triggers: Triggers;
  readonly #clock: Clock;
  readonly #ids: IdSource;

  constructor(triggers: Triggers, { clock, ids }: { readonly clock: Clock; readonly ids: IdSource }) {
    this.#triggers = triggers;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Applies an action to each, one after the other. */
  async apply(actor: Actor, keys: readonly TriggerKey[], action: TriggerAction): Promise<TriggerBulkResult> {
    const turns = new Turns(this.#clock, TURN_MS);
    let count = 0;
    for (const key of keys) {
      if (await this.#try(actor, key, action)) count++;
      await turns.next();
    }
    return { count, totalItems: keys.length, operationId: this.#ids.next(this.#clock.now()) };
  }

  async #try(actor: Actor, key: TriggerKey, action: TriggerAction): Promise<boolean> {
    try {
      await action(this.#triggers, actor, key);
      return true;
    } catch (error) {
      if (error instanceof DomainError && (error.code === "not_found" || error.code === "conflict")) {
        return false;
      }
      throw error;
    }
  }
}
