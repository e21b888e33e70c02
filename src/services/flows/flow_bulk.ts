/** Bulk changes of flows: replace, update, delete, enable, disable. All are checked before the first change. */
import type { Clock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { documentsIn, setDisabled, setNamespace } from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { undefinedIfMissing } from "../../model/errors.ts";
import type { Flow, FlowKey } from "../../model/flows/flow.ts";
import { isWithinNamespace } from "../../model/namespaces/namespace_name.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";
import { checkAll, runChecked } from "../bulk/checked_bulk.ts";
import { flowName } from "./flow_heads.ts";
import { type CheckedSource, type Flows, invalidFlow, type SaveOptions } from "./flows.ts";

interface ReplaceOptions extends SaveOptions {
  /** Deletes the flows of the namespace that are not in the text. */
  readonly delete: boolean;
  /** Saves the flows in this namespace, whatever namespace their sources name. */
  readonly override: boolean;
}

interface BulkOptions extends SaveOptions {
  /** Deletes flows that are not in the text: those of `namespace`, else those of the namespaces in the text. */
  readonly delete: boolean;
  readonly namespace?: string;
  /** Includes the namespaces below `namespace`. */
  readonly allowNamespaceChild: boolean;
}

/** What a text of flows changed. */
export interface ChangedFlows {
  /** The deleted flows, then the saved ones. */
  readonly keys: readonly FlowKey[];
  /** In the same order, read on demand: the sources of deleted flows are longer than a text may be. */
  readonly pieces: AsyncGenerator<Flow[]>;
}

/** Documents are checked for so long before other work continues. */
const TURN_MS = 4;
/** Saved flows that are written into a response at a time. */
const SAVED_PER_PIECE = 16;
/** Flows that are changed concurrently; their commits are grouped. */
const CHANGES_AT_ONCE = 100;

/** The use cases of bulk changes. */
export class FlowBulk {
  readonly #flows: Flows;
  readonly #clock: Clock;

  constructor(flows: Flows, clock: Clock) {
    this.#flows = flows;
    this.#clock = clock;
  }

  /** Replaces the flows of a namespace by the documents of a text. @throws DomainError invalid_entity */
  async replace(
    actor: Actor,
    namespace: string,
    text: string,
    options: ReplaceOptions,
  ): Promise<ChangedFlows> {
    const place = (source: string) => options.override ? setNamespace(source, namespace) : source;
    const isInside = (key: Pick<FlowKey, "namespace">) => key.namespace === namespace;
    const deletes = options.delete ? isInside : undefined;
    return await this.#save(actor, await this.#check(actor, text, options, place), { isInside, deletes });
  }

  /** Saves the documents of a text. @throws DomainError invalid_entity */
  async update(actor: Actor, text: string, options: BulkOptions): Promise<ChangedFlows> {
    const checked = await this.#check(actor, text, options);
    const { namespace, allowNamespaceChild } = options;
    const named = new Set(checked.map((flow) => flow.namespace));
    const isInside = (key: Pick<FlowKey, "namespace">) => {
      if (namespace === undefined) return named.has(key.namespace);
      return allowNamespaceChild ? isWithinNamespace(key.namespace, namespace) : key.namespace === namespace;
    };
    const deletes = options.delete ? isInside : undefined;
    return await this.#save(actor, checked, { isInside, deletes });
  }

  /** Heads of the named flows, each once. @throws DomainError bulk_refused: one does not exist */
  async pick(actor: Actor, keys: readonly FlowKey[], action: string): Promise<FlowHead[]> {
    const check = (key: FlowKey) => Promise.try(() => void this.#flows.head(actor, key));
    await checkAll(keys, { check }, this.#refusalOf(action));
    const wanted = new Set(keys.map(flowName));
    return this.#flows.select(actor, (head) => wanted.has(flowName(head)));
  }

  /** Deletes flows; returns their number, without those that another request deleted first. */
  async delete(actor: Actor, heads: readonly FlowHead[]): Promise<number> {
    return (await this.#delete(actor, heads)).length;
  }

  async #delete(actor: Actor, heads: readonly FlowHead[]): Promise<FlowHead[]> {
    const deleted = await inTurns(heads, (head) => undefinedIfMissing(() => this.#flows.delete(actor, head)));
    return deleted.filter((head) => head !== undefined);
  }

  /** Disables or enables flows, by a new revision each; returns the number of changed ones. @throws DomainError bulk_refused */
  async setDisabled(actor: Actor, heads: readonly FlowHead[], disabled: boolean): Promise<number> {
    const changing = heads.filter((head) => head.disabled !== disabled);
    return await runChecked(changing, {
      check: async (head) => {
        const edited = setDisabled((await this.#flows.read(actor, head)).source, disabled);
        if (!disabled) await this.#flows.draft(actor, edited);
        return undefined;
      },
      run: (head) => this.#flows.setDisabled(actor, head, disabled),
    }, this.#refusalOf(disabled ? "disable" : "enable"));
  }

  #refusalOf(action: string) {
    const nameOf = ({ namespace, id }: FlowKey) => `${namespace}.${id}`;
    return { clock: this.#clock, action, subject: "flow", nameOf } as const;
  }

  /** Checks the documents of a text one after the other, with turns for other work: a large flow takes a second. */
  async #check(
    actor: Actor,
    text: string,
    { isJson }: SaveOptions,
    edited = (source: string) => source,
  ): Promise<CheckedSource[]> {
    const turns = new Turns(this.#clock, TURN_MS);
    const checked: CheckedSource[] = [];
    for (const source of documentsIn(text)) {
      checked.push(await this.#flows.check(actor, edited(source), { isJson }));
      await turns.next();
    }
    return checked;
  }

  async #save(
    actor: Actor,
    checked: readonly CheckedSource[],
    { isInside, deletes }: {
      readonly isInside: (key: FlowKey) => boolean;
      readonly deletes?: (key: FlowKey) => boolean;
    },
  ): Promise<ChangedFlows> {
    const names = new Set(checked.map(flowName));
    if (!checked.every(isInside)) {
      throw invalidFlow([{ path: "flow.namespace", message: "Flow namespace is invalid" }]);
    }
    if (names.size < checked.length) throw invalidFlow([{ path: "flow.id", message: "Duplicate flow id" }]);
    const saved = await inTurns(checked, (source) => this.#flows.putChecked(actor, source));
    const left = this.#flows.select(actor, (head) => deletes?.(head) === true && !names.has(flowName(head)));
    const deleted = await this.#delete(actor, left);
    return { keys: [...deleted, ...saved], pieces: this.#pieces(actor, deleted, saved) };
  }

  async *#pieces(
    actor: Actor,
    deleted: readonly FlowHead[],
    saved: readonly Flow[],
  ): AsyncGenerator<Flow[]> {
    yield* this.#flows.pieces(actor, deleted);
    for (let i = 0; i < saved.length; i += SAVED_PER_PIECE) yield saved.slice(i, i + SAVED_PER_PIECE);
  }
}

async function inTurns<T, R>(items: readonly T[], change: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += CHANGES_AT_ONCE) {
    results.push(...await Promise.all(items.slice(i, i + CHANGES_AT_ONCE).map(change)));
  }
  return results;
}
