/**
 * The keys of the database: their shapes, order and writers. Those of namespaces and of what is in them are in
 * `namespace_keys.ts`; no other file builds a key.
 */
import type { Instant } from "../base/clock.ts";
import type { Announcement } from "../model/triggers/announcement.ts";
import type { FlowKey, TenantId, TriggerKey } from "../model/flows/flow.ts";
import type { Key, Selector } from "./store.ts";

// ── Instance-global ────────────────────────────────────────────────────────────────────────────────────────────

/** `["meta"]` → `{format, minReader}`. Written once, when the database is created, and by format changes. */
export const META_KEY: Key = ["meta"];

/** `["chain", instance]` → `{epoch, seq}`. The last mutation of every group; fence and commit id in one. */
export function chainKey(instance: string): Key {
  return ["chain", instance];
}

/** `["g", instance, seq]` → ids of executions that became live in that group. Written by the committer's manifest rider. */
export function manifestKey(instance: string, seq: number): Key {
  return ["g", instance, seq];
}

/** All manifests of an instance, oldest first. */
export function manifestsOf(instance: string): Selector {
  return { prefix: ["g", instance] };
}

/** `["tm", dueMs, tenant, executionId, name]` → timer of an execution. Written with the transition that sets or ends it. */
export function timerKey(dueMs: number, tenant: TenantId, executionId: string, name: string): Key {
  return ["tm", dueMs, tenant, executionId, name];
}

/** Timers that are due before `beforeMs`, earliest first. */
export function timersBefore(beforeMs: number): Selector {
  return { start: ["tm"], end: ["tm", beforeMs] };
}

/** `["td", dueMs, tenant, namespace, flow, trigger]` → a trigger that is evaluated then. Written with the state of the trigger. */
export function triggerDueKey(dueMs: number, tenant: TenantId, trigger: TriggerKey): Key {
  return ["td", dueMs, tenant, trigger.namespace, trigger.flowId, trigger.triggerId];
}

/** Triggers that are due before `beforeMs`, earliest first. */
export function triggersDueBefore(beforeMs: number): Selector {
  return { start: ["td"], end: ["td", beforeMs] };
}

/** `["oe", tenant, executionId, n, namespace, flow, trigger]` → the n-th state of an execution, for a trigger that reacts to it. Written by the execution's commit. */
export function announcementKey({ tenant, executionId, index, trigger }: Announcement): Key {
  return ["oe", tenant, executionId, index, trigger.namespace, trigger.flowId, trigger.triggerId];
}

/** All states that triggers have not reacted to; those left at boot were interrupted by a crash. */
export const ANNOUNCEMENTS: Selector = { prefix: ["oe"] };

/** `["tenant", id]` → a tenant. Written by the tenants service. */
export function tenantKey(tenant: TenantId): Key {
  return ["tenant", tenant];
}

/** All tenants. */
export const TENANTS: Selector = { prefix: ["tenant"] };

/** `["token", hash]` → an API token, by the SHA-256 of its secret. Written by the tokens service. */
export function tokenKey(hash: string): Key {
  return ["token", hash];
}

/** All API tokens. */
export const TOKENS: Selector = { prefix: ["token"] };

/** `["bi", tenant, owner, blob]` → a large value whose owner is not yet committed. Removed with the owner's commit. */
export function blobIntentKey(tenant: TenantId, owner: string, blobId: string): Key {
  return ["bi", tenant, owner, blobId];
}

/** All large values under way; those left at boot are orphans. */
export const BLOB_INTENTS: Selector = { prefix: ["bi"] };

/** `["xd", tenant, executionId]` → an execution that is deleted, but some of what it owned is still there. */
export function executionRemovalKey(tenant: TenantId, id: string): Key {
  return ["xd", tenant, id];
}

/** All such executions; those left at boot were interrupted by a crash. */
export const EXECUTION_REMOVALS: Selector = { prefix: ["xd"] };

/** `["ob", tenant, targetId, sourceId, name]` → what one execution tells another. Written by the source's commit, removed by the target's. */
export function messageKey(tenant: TenantId, targetId: string, sourceId: string, name: string): Key {
  return ["ob", tenant, targetId, sourceId, name];
}

/** All messages that were not received; those left at boot were interrupted by a crash. */
export const MESSAGES: Selector = { prefix: ["ob"] };

// ── Executions ─────────────────────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "x", id]` → compact execution record, in order of creation. Written by the commit of each slice. */
export function executionKey(tenant: TenantId, id: string): Key {
  return [tenant, "x", id];
}

/** `[tenant, "cs", namespace, flow, id]` → an execution that takes one of the slots of its flow. */
export function slotKey(tenant: TenantId, flow: FlowKey, id: string): Key {
  return [tenant, "cs", flow.namespace, flow.id, id];
}

/** All taken slots of a tenant. */
export function slotsOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "cs"] };
}

/** `[tenant, "xq", namespace, flow, id]` → an execution that waits for a slot of its flow, the oldest first. */
export function queuedKey(tenant: TenantId, flow: FlowKey, id: string): Key {
  return [tenant, "xq", flow.namespace, flow.id, id];
}

/** All executions of a tenant that wait for a slot. */
export function queuedOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "xq"] };
}

/** `[tenant, "t", id, page]` → packed task runs of one page of ordinals. Written by slices that change one of them. */
export function taskRunPageKey(tenant: TenantId, id: string, page: number): Key {
  return [tenant, "t", id, page];
}

/** All task run pages of an execution, in order. */
export function taskRunPagesOf(tenant: TenantId, id: string): Selector {
  return { prefix: [tenant, "t", id] };
}

/** `[tenant, "l", id, firstLine]` → packed log lines, in order of writing. Written by the commit of the slice that logged them. */
export function logChunkKey(tenant: TenantId, id: string, firstLine: number): Key {
  return [tenant, "l", id, firstLine];
}

/** All stored log chunks of an execution, in order. */
export function logChunksOf(tenant: TenantId, id: string): Selector {
  return { prefix: [tenant, "l", id] };
}

/** `[tenant, "m", id, taskRun, attempt]` → metrics of one attempt. Written by the commit of its end. */
export function metricsKey(tenant: TenantId, id: string, taskRun: number, attempt: number): Key {
  return [tenant, "m", id, taskRun, attempt];
}

/** All metrics of an execution. */
export function metricsOf(tenant: TenantId, id: string): Selector {
  return { prefix: [tenant, "m", id] };
}

/** `[tenant, "tc", namespace, flow, task, hash]` → outputs kept for attempts with the same properties. Written by the commit of the attempt's end. */
export function cachedOutputsKey(tenant: TenantId, flow: FlowKey, taskId: string, hash: string): Key {
  return [tenant, "tc", flow.namespace, flow.id, taskId, hash];
}

/** `[tenant, "te", expiresAt, namespace, flow, task, hash]` → nothing; kept outputs by the time they expire. */
export function cacheExpiryKey(expiresAt: Instant, cached: Key): Key {
  const [tenant = "", , ...rest] = cached;
  return [tenant, "te", expiresAt, ...rest];
}

/** Kept outputs of a tenant that expire before `beforeMs`, the earliest first. */
export function cacheExpiriesBefore(tenant: TenantId, beforeMs: Instant): Selector {
  return { start: [tenant, "te"], end: [tenant, "te", beforeMs] };
}

/** `[tenant, "ik", hash]` → the answer to a start that was sent with an idempotency key, by the hash of caller and key. Written by the commit of the start. */
export function idempotencyKey(tenant: TenantId, hash: string): Key {
  return [tenant, "ik", hash];
}

/** `[tenant, "ie", expiresAt, hash]` → nothing; such answers by the time they expire. Written with the answer. */
export function idempotencyExpiryKey(tenant: TenantId, expiresAt: Instant, hash: string): Key {
  return [tenant, "ie", expiresAt, hash];
}

/** Such answers of a tenant that expire before `beforeMs`, the earliest first. */
export function idempotencyExpiriesBefore(tenant: TenantId, beforeMs: Instant): Selector {
  return { start: [tenant, "ie"], end: [tenant, "ie", beforeMs] };
}

/** `[tenant, "fc", namespace, flow, task]` → files that a task keeps between executions, as one zip. Written by its end. */
export function flowCacheKey(tenant: TenantId, flow: FlowKey, taskId: string): Key {
  return [tenant, "fc", flow.namespace, flow.id, taskId];
}

/** `[tenant, "ef", id, path]` → a file of an execution: its blob. Written with the start or the end that made it. */
export function executionFileKey(tenant: TenantId, id: string, path: string): Key {
  return [tenant, "ef", id, path];
}

/** All files of an execution. */
export function executionFilesOf(tenant: TenantId, id: string): Selector {
  return { prefix: [tenant, "ef", id] };
}

/** The files of an execution below a folder, which ends with a slash. */
export function executionFilesBelow(tenant: TenantId, id: string, folder: string): Selector {
  // "0" is the character after "/".
  const end = `${folder.slice(0, -1)}0`;
  return { start: executionFileKey(tenant, id, folder), end: executionFileKey(tenant, id, end) };
}

/** `["fi", tenant, executionId, batch]` → folder of files that an attempt has stored before its end. Removed with its end. */
export function fileIntentKey(tenant: TenantId, id: string, batch: string): Key {
  return ["fi", tenant, id, batch];
}

/** All attempts that have stored files before their end; those left at boot did not come to it. */
export const FILE_INTENTS: Selector = { prefix: ["fi"] };

// ── Catalog ────────────────────────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "xr", seq]` → catalog rows of one commit. */
export function rowGroupKey(tenant: TenantId, seq: number): Key {
  return [tenant, "xr", seq];
}

/** All row groups of a tenant, oldest first. */
export function rowGroupsOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "xr"] };
}

/** `[tenant, "xb", firstId]` → sealed block of rows in id order. Written by the compactor. */
export function blockKey(tenant: TenantId, firstId: string): Key {
  return [tenant, "xb", firstId];
}

/** All sealed blocks of a tenant, oldest first. */
export function blocksOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "xb"] };
}

/** `[tenant, "xc"]` → counters of the catalog at its last sealing. */
export function catalogSnapshotKey(tenant: TenantId): Key {
  return [tenant, "xc"];
}

// ── Dashboards ─────────────────────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "da", id]` → source and times of a dashboard. Written by the dashboards service. */
export function dashboardKey(tenant: TenantId, id: string): Key {
  return [tenant, "da", id];
}

/** All dashboards of a tenant, in order of their ids. */
export function dashboardsOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "da"] };
}

// ── Flows ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "f", namespace, id]` → head of a flow: number, latest revision, flags. Written by the flows service. */
export function flowKey(tenant: TenantId, namespace: string, id: string): Key {
  return [tenant, "f", namespace, id];
}

/** All flow heads of a tenant. */
export function flowsOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "f"] };
}

/** `[tenant, "fr", namespace, id, revision, n]` → n-th part of a revision's source and parsed form. Written once. */
export function flowRevisionKey(
  tenant: TenantId,
  ns: string,
  id: string,
  revision: number,
  part: number,
): Key {
  return [tenant, "fr", ns, id, revision, part];
}

/** All parts of one revision. */
export function flowRevisionParts(tenant: TenantId, ns: string, id: string, revision: number): Selector {
  return { prefix: [tenant, "fr", ns, id, revision] };
}

/** All parts of all revisions of a flow, oldest first. */
export function flowRevisionsOf(tenant: TenantId, ns: string, id: string): Selector {
  return { prefix: [tenant, "fr", ns, id] };
}

// ── Triggers ───────────────────────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "tr", namespace, flow, trigger]` → state of a trigger. Written with the flow, and by whatever the trigger does. */
export function triggerKey(tenant: TenantId, { namespace, flowId, triggerId }: TriggerKey): Key {
  return [tenant, "tr", namespace, flowId, triggerId];
}

/** States of all triggers of a flow. */
export function triggersOfFlow(tenant: TenantId, { namespace, id }: FlowKey): Selector {
  return { prefix: [tenant, "tr", namespace, id] };
}

/** States of all triggers of a tenant, by namespace and flow. */
export function triggersOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "tr"] };
}

/** `[tenant, "ti", namespace, flow, trigger]` → what must be known of a trigger at once: it reacts to executions, or is disabled. */
export function triggerMarkKey(tenant: TenantId, { namespace, flowId, triggerId }: TriggerKey): Key {
  return [tenant, "ti", namespace, flowId, triggerId];
}

/** All such marks of a tenant. */
export function triggerMarksOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "ti"] };
}

/** `[tenant, "tw", namespace, flow, trigger, condition]` → which parts of a condition were met in its window. Written with the reaction to a state. */
export function triggerWindowKey(tenant: TenantId, trigger: TriggerKey, condition: string): Key {
  return [tenant, "tw", trigger.namespace, trigger.flowId, trigger.triggerId, condition];
}

/** All windows of a trigger. */
export function triggerWindowsOf(tenant: TenantId, trigger: TriggerKey): Selector {
  return { prefix: [tenant, "tw", trigger.namespace, trigger.flowId, trigger.triggerId] };
}

// ── Large values, and tenants ──────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "b", owner, blob, n]` → n-th chunk of a large value. Written through the bulk lane before its owner's record. */
export function blobChunkKey(tenant: TenantId, owner: string, blobId: string, chunk: number): Key {
  return [tenant, "b", owner, blobId, chunk];
}

/** All chunks of all large values of an owner. */
export function blobsOf(tenant: TenantId, owner: string): Selector {
  return { prefix: [tenant, "b", owner] };
}

/** Everything that a tenant owns: its own keys, and what is under way. What is due at a time is passed over then. */
export function keysOfTenant(tenant: TenantId): Selector[] {
  return [
    { prefix: [tenant] },
    { prefix: ["bi", tenant] },
    { prefix: ["fi", tenant] },
    { prefix: ["ob", tenant] },
    { prefix: ["oe", tenant] },
    { prefix: ["xd", tenant] },
  ];
}
