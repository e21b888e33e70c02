/** The processes that share one database. */
import type { Instant } from "../base/time/clock.ts";

/** What a process does: a leader writes, a candidate takes over, a follower hands requests to the leader. */
export type ClusterRole = "LEADER" | "CANDIDATE" | "FOLLOWER";

/** A process. */
export interface ClusterProcess {
  readonly id: string;
  readonly role: ClusterRole;
  /** Where other processes reach it; absent: they cannot. */
  readonly url?: string;
  readonly version: string;
  /** When it took this role. */
  readonly since: Instant;
  /** When it wrote this, by its own clock. */
  readonly seenAt: Instant;
  /** Why it does not lead while another process can; absent: it may. */
  readonly refusal?: string;
}

/** The processes, and the lease of the leader. */
export interface ClusterState {
  /** Counts the terms; absent: there is one process, which needs no lease. */
  readonly epoch?: number;
  /** Since the lease was renewed. */
  readonly leaseAgeMs?: number;
  readonly leaseTtlMs?: number;
  /** The leader first, then by id. */
  readonly processes: readonly ClusterProcess[];
}

/** What a process measures of its part. */
export interface ClusterMetrics {
  readonly isLeader: boolean;
  /** Of the leader that is known; 0: none. */
  readonly epoch: number;
  /** Since the lease was renewed, or a renewal was seen. */
  readonly leaseAgeMs: number;
  /** Terms of this process. */
  readonly takeOvers: number;
  /** Requests that this process sent to the leader. */
  readonly forwarded: number;
  /** Requests in the mailbox, sent or received, without the end of their response. */
  readonly mailboxDepth: number;
}
