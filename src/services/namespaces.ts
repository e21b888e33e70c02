/** Namespaces. They need not be created: there are those that hold a flow, all above them, and that of the system. */
import type { Actor } from "../model/actor.ts";
import { SYSTEM_NAMESPACE } from "../model/execution_query.ts";
import { checkNamespace, parentNamespaces } from "../model/namespace_name.ts";
import type { Flows } from "./flows.ts";

/** The use cases of namespaces. */
export class Namespaces {
  readonly #flows: Flows;

  constructor(flows: Flows) {
    this.#flows = flows;
  }

  /** The name, when it can be one: every namespace is there. @throws DomainError invalid_argument */
  get(id: string): string {
    return checkNamespace(id);
  }

  /** Names in order; `holdingFlows` leaves out those that hold no flow themselves. */
  list(actor: Actor, options: { readonly holdingFlows?: boolean } = {}): string[] {
    const names = this.#flows.namespaces(actor);
    if (options.holdingFlows) return names;
    return [...new Set([SYSTEM_NAMESPACE, ...names.flatMap((name) => [name, ...parentNamespaces(name)])])]
      .sort();
  }
}
