/** Attempts that wait for a worker, in order of their arrival, by group. */
import type { TenantId } from "../../model/flows/flow.ts";
import type { Lease } from "./lease.ts";

const NOTHING: ReadonlyMap<number, string> = new Map();

/** Attempts of one tenant in order of arrival, with numbers that state the order over all tenants. */
type Queue = Map<Lease, number>;

/** Queues of groups. */
export class WaitingLeases {
  readonly #queues = new Map<string, Map<TenantId, Queue>>();
  /** By execution, for its waiting reason. */
  readonly #byExecution = new Map<string, Set<Lease>>();
  #arrivals = 0;

  /** Adds an attempt. */
  add(lease: Lease): void {
    const { group, context: { tenant } } = lease.attempt;
    const ofGroup = this.#queues.get(group) ?? new Map<TenantId, Queue>();
    const queue = ofGroup.get(tenant) ?? new Map<Lease, number>();
    queue.set(lease, this.#arrivals++);
    this.#queues.set(group, ofGroup.set(tenant, queue));
    const name = executionOf(lease);
    this.#byExecution.set(name, (this.#byExecution.get(name) ?? new Set()).add(lease));
  }

  /** Removes an attempt; does nothing if it does not wait. */
  delete(lease: Lease): void {
    const { group, context: { tenant } } = lease.attempt;
    const ofGroup = this.#queues.get(group);
    const queue = ofGroup?.get(tenant);
    if (queue?.delete(lease) && queue.size === 0) ofGroup?.delete(tenant);
    if (ofGroup?.size === 0) this.#queues.delete(group);
    const name = executionOf(lease);
    const ofExecution = this.#byExecution.get(name);
    if (ofExecution?.delete(lease) && ofExecution.size === 0) this.#byExecution.delete(name);
  }

  /** Groups with attempts that wait. */
  groups(): string[] {
    return [...this.#queues.keys()];
  }

  /**
   * Offers the attempts of a group in order and removes those that are accepted; ends when one of each tenant is refused. Called
   * for each attempt that comes, so it must not look at all that wait.
   */
  take(group: string, accept: (lease: Lease) => boolean): void {
    const queues = new Map(this.#queues.get(group));
    for (let next = firstOf(queues); next; next = firstOf(queues)) {
      if (accept(next.lease)) this.delete(next.lease);
      else queues.delete(next.tenant);
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

/** The attempt that arrived first. */
function firstOf(queues: ReadonlyMap<TenantId, Queue>) {
  let first: { readonly tenant: TenantId; readonly lease: Lease; readonly arrival: number } | undefined;
  for (const [tenant, queue] of queues) {
    const [head] = queue;
    if (head && head[1] < (first?.arrival ?? Infinity)) first = { tenant, lease: head[0], arrival: head[1] };
  }
  return first;
}
