/** Records of the audit log: who changed what, when and from where. They hold ids, never contents. */
import type { Instant } from "../base/time/clock.ts";

/** What happened, in the words of the API. */
export const AUDIT_TYPES = ["CREATE", "UPDATE", "DELETE", "LOGIN", "LOGOUT", "READ"] as const;

/** What happened. `READ`: a read that was refused. */
export type AuditType = typeof AUDIT_TYPES[number];

/** What is recorded: changes of people and tokens without starts of executions, or with them. */
export type AuditScope = "changes" | "all";

/** What a request did. */
export interface AuditEvent {
  readonly at: Instant;
  readonly type: AuditType;
  /** Id of the operation in the description of the API. */
  readonly operation: string;
  readonly method: string;
  /** Of the response; 403: refused, 401: a log-in that failed. */
  readonly status: number;
  readonly user: string;
  /** Absent: the caller used no token. */
  readonly tokenId?: string;
  readonly address: string;
  /** Id as callers use it; absent: the operation is of no tenant. */
  readonly tenant?: string;
  /** Ids of what was changed, by their names in the path of the route, such as `namespace` and `flowId`. */
  readonly resources: readonly (readonly [name: string, id: string])[];
}

/** A stored event. */
export interface AuditRecord extends AuditEvent {
  readonly id: string;
}

/** Which records to list; absent members: all. */
export interface AuditFilter {
  readonly tenant?: string;
  readonly user?: string;
  readonly operation?: string;
  readonly type?: AuditType;
  /** This namespace and those below it. */
  readonly namespace?: string;
  /** Exact ids by their names. */
  readonly resources?: ReadonlyMap<string, string>;
  /** A text that the operation, the user, the address, the tenant or an id contains, whatever the case. */
  readonly text?: string;
  readonly from?: Instant;
  /** Exclusive. */
  readonly to?: Instant;
}

/** The place of a record; pages continue after it. */
export interface AuditPlace {
  readonly at: Instant;
  readonly id: string;
}

/** True if the filter lets the record through; the time is not looked at. */
export function isAuditMatch(record: AuditRecord, filter: AuditFilter): boolean {
  const { tenant, user, operation, type, namespace, resources, text } = filter;
  return (tenant === undefined || record.tenant === tenant) &&
    (user === undefined || record.user === user) &&
    (operation === undefined || record.operation === operation) &&
    (type === undefined || record.type === type) &&
    (namespace === undefined || isWithin(resourceOf(record, "namespace"), namespace)) &&
    [...resources ?? []].every(([name, id]) => resourceOf(record, name) === id) &&
    (text === undefined || textOf(record).includes(text.toLowerCase()));
}

function resourceOf({ resources }: AuditRecord, name: string): string | undefined {
  return resources.find(([each]) => each === name)?.[1];
}

function isWithin(namespace: string | undefined, parent: string): boolean {
  return namespace === parent || namespace?.startsWith(`${parent}.`) === true;
}

function textOf({ operation, user, address, tenant = "", resources }: AuditRecord): string {
  return [operation, user, address, tenant, ...resources.map(([, id]) => id)].join("\n").toLowerCase();
}
