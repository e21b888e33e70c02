/** Attempts that wait for a worker, in order of their arrival, by group. */
import type { TenantId } from "../../model/flows/flow.ts";
import type { Lease } from "./lease.ts";

const NOTHING: ReadonlyMap<number, string> = new Map();

/** Queues of groups. */
export class WaitingLeases {
  readonly #queues = new Map<string, Set<Lease>>();
  /** By execution, for its waiting reason. */
  readonly #byExecution = new Map<string, Set<Lease>>();

  /** Adds an attempt. */
  add(lease: Lease): void {
    addTo(this.#queues, lease.attempt.group, lease);
    addTo(this.#byExecution, executionOf(lease), lease);
  }

  /** Removes an attempt; does nothing if it does not wait. */
  delete(lease: Lease): void {
    removeFrom(this.#queues, lease.attempt.group, lease);
    removeFrom(this.#byExecution, executionOf(lease), lease);
  }

  /** Groups with attempts that wait. */
  groups(): string[] {
    return [...this.#queues.keys()];
  }

  /** Offers the attempts of a group in order and removes those that are accepted; ends when one of each tenant is refused. */
  take(group: string, accept: (lease: Lease) => boolean): void {
    const refused = new Set<TenantId>();
    for (const lease of this.#queues.get(group) ?? []) {
      const { tenant } = lease.attempt.context;
      if (refused.has(tenant)) continue;
      if (accept(lease)) this.delete(lease);
      else refused.add(tenant);
    }
  }

  /** Groups that attempts of an execution wait for, by the ordinals of their task runs. */
  groupsOf(tenant: TenantId, executionId: string): ReadonlyMap<number, string> {
    const leases = this.#byExecution.get(`${tenant}/${executionId}`);
    if (!leases) return NOTHING;
    return new Map([...leases].map(({ attempt }) => [attempt.ordinal, attempt.group]));
  }
}

function executionOf({ attempt: { context } }: Lease): string {
  return `${context.tenant}/${context.executionId}`;
}

function addTo(sets: Map<string, Set<Lease>>, name: string, lease: Lease): void {
  const set = sets.get(name) ?? new Set();
  sets.set(name, set.add(lease));
}

function removeFrom(sets: Map<string, Set<Lease>>, name: string, lease: Lease): void {
  const set = sets.get(name);
  if (set?.delete(lease) && set.size === 0) sets.delete(name);
}
