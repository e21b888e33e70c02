/** Many flows at once: replaced, deleted, enabled, disabled. Everything is checked before anything is changed. */
import { setDisabled, setNamespace, splitDocuments } from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import type { Flow, FlowKey } from "../../model/flows/flow.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";
import type { Flows } from "./flows.ts";

/** What becomes of a namespace whose flows are replaced. */
interface ReplaceOptions {
  /** Flows that the text does not name are deleted. */
  readonly delete: boolean;
  /** The flows are put into this namespace, whatever they say. */
  readonly override: boolean;
}

/** What becomes of the flows of a bulk update. */
interface BulkOptions {
  /** Flows that the text does not name are deleted: those of `namespace`, else those of the namespaces in the text. */
  readonly delete: boolean;
  readonly namespace?: string;
  /** Namespaces below `namespace` belong to it. */
  readonly allowNamespaceChild: boolean;
}

/** Flows that are changed at the same time: their commits are grouped. */
const CHANGES_AT_ONCE = 100;

/** The use cases of many flows. */
export class FlowBulk {
  readonly #flows: Flows;

  constructor(flows: Flows) {
    this.#flows = flows;
  }

  /** Makes the documents of a text the flows of a namespace; those deleted, then those saved. @throws DomainError invalid_entity */
  async replace(actor: Actor, namespace: string, text: string, options: ReplaceOptions): Promise<Flow[]> {
    const sources = splitDocuments(text);
    const placed = options.override ? sources.map((source) => setNamespace(source, namespace)) : sources;
    const isInside = (key: Pick<FlowKey, "namespace">) => key.namespace === namespace;
    return await this.#save(actor, placed, { isInside, deletes: options.delete ? isInside : undefined });
  }

  /** Saves the documents of a text; those deleted, then those saved. @throws DomainError invalid_entity */
  async update(actor: Actor, text: string, options: BulkOptions): Promise<Flow[]> {
    const sources = splitDocuments(text);
    const { namespace, allowNamespaceChild } = options;
    const named = new Set(sources.map((source) => this.#flows.draft(actor, source).namespace));
    const isInside = (key: Pick<FlowKey, "namespace">) =>
      namespace === undefined ? named.has(key.namespace) : key.namespace === namespace ||
        allowNamespaceChild && key.namespace.startsWith(`${namespace}.`);
    return await this.#save(actor, sources, { isInside, deletes: options.delete ? isInside : undefined });
  }

  /** Heads of the flows of these names; names of no flow are left out. */
  pick(actor: Actor, keys: readonly FlowKey[]): FlowHead[] {
    const wanted = new Set(keys.map(nameOf));
    return this.#flows.select(actor, (head) => wanted.has(nameOf(head)));
  }

  /** Deletes flows; how many. */
  async delete(actor: Actor, heads: readonly FlowHead[]): Promise<number> {
    await inTurns(heads, (head) => this.#flows.delete(actor, head));
    return heads.length;
  }

  /** Sets whether flows are disabled, by a new revision each; how many were not so before. @throws DomainError conflict */
  async setDisabled(actor: Actor, heads: readonly FlowHead[], disabled: boolean): Promise<number> {
    const changing = heads.filter((head) => head.disabled !== disabled);
    await inTurns(changing, async (head) => {
      const { source } = await this.#flows.get(actor, head);
      await this.#flows.update(actor, head, setDisabled(source, disabled));
    });
    return changing.length;
  }

  async #save(
    actor: Actor,
    sources: readonly string[],
    { isInside, deletes }: {
      readonly isInside: (key: FlowKey) => boolean;
      readonly deletes?: (key: FlowKey) => boolean;
    },
  ): Promise<Flow[]> {
    const drafts = sources.map((source) => this.#flows.draft(actor, source));
    const names = new Set(drafts.map(nameOf));
    if (!drafts.every(isInside)) throw refusal("flow.namespace", "Flow namespace is invalid");
    if (names.size < drafts.length) throw refusal("flow.id", "Duplicate flow id");
    const saved = await inTurns(sources, (source) => this.#flows.put(actor, source));
    const left = this.#flows.select(actor, (head) => deletes?.(head) === true && !names.has(nameOf(head)));
    await this.delete(actor, left);
    const deleted = await inTurns(left, (head) => this.#flows.get(actor, head, { allowDeleted: true }));
    return [...deleted, ...saved];
  }
}

function refusal(path: string, message: string): DomainError {
  return new DomainError("invalid_entity", `Invalid entity: ${path}: ${message}`, {
    items: [{ path, message }],
  });
}

async function inTurns<T, R>(items: readonly T[], change: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += CHANGES_AT_ONCE) {
    results.push(...await Promise.all(items.slice(i, i + CHANGES_AT_ONCE).map(change)));
  }
  return results;
}

/** Names a flow within its tenant; neither part holds a slash. */
function nameOf({ namespace, id }: FlowKey): string {
  return `${namespace}/${id}`;
}
