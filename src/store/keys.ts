/** All keys of the database with their shapes, order and writers. No other file builds a key. */
import type { Instant } from "../base/time/clock.ts";
import type { AnyAnnouncement } from "../model/triggers/announcement.ts";
import type { FlowKey, TenantId, TriggerKey } from "../model/flows/flow.ts";
import type { Key, KeyPart, Selector } from "./store.ts";

// ── Instance-global ────────────────────────────────────────────────────────────────────────────────────────────

/** `["meta"]` → `{format, minReader, key}`. Written when the database is created, and by format changes. */
export const META_KEY: Key = ["meta"];

/** Name of the chain; one process owns the database. */
export const INSTANCE = "main";

/**
 * `["~chain", instance]` → `{epoch, seq}`: fence and commit id. The last mutation of every commit group. `~` sorts it after all keys
 * but the manifests: SQLite reads the complete value, up to 64 KB, of each key that a search passes, and a search for one of the first keys
 * passes parts of files and blocks of the catalog.
 */
export function chainKey(instance: string): Key {
  return ["~chain", instance];
}

/** `["lease"]` → who leads, and for how long: a {@link Lease}. Written with each take-over and by each renewal, deleted by a clean shutdown. */
export const LEASE_KEY: Key = ["lease"];

/** `["beat", process]` → a process of the cluster. Written by the process itself every few seconds, deleted when it stops. */
export function beatKey(processId: string): Key {
  return ["beat", processId];
}

/** All processes of the cluster; some may have ended without deleting their entry. */
export const BEATS: Selector = { prefix: ["beat"] };

/** `["chain", "filler", n]` → bytes without meaning, removed right after they are written. Written by the space watch. */
export function fillerKey(n: number): Key {
  return ["chain", "filler", n];
}

/** `["audit", at, id]` → a record of the audit log. Written by the audit log, after the change that it records. */
export function auditKey(at: Instant, id: string): Key {
  return ["audit", at, id];
}

/** Records of the audit log from `from` on, and before `to`, or before the place of another one if that is earlier. */
export function auditRange(
  from: Instant | undefined,
  to: Instant | undefined,
  before?: { readonly at: Instant; readonly id: string },
): Selector {
  const end = before && before.at < (to ?? Infinity)
    ? auditKey(before.at, before.id)
    : ["audit", to ?? Number.MAX_SAFE_INTEGER];
  return { start: ["audit", from ?? 0], end };
}

/** `["~g", instance, seq]` → ids of the executions that became live in group `seq`. Written by the manifest rider. Among the last keys, as the chain key. */
export function manifestKey(instance: string, seq: number): Key {
  return ["~g", instance, seq];
}

/** All manifests of an instance, oldest first. */
export function manifestsOf(instance: string): Selector {
  return { prefix: ["~g", instance] };
}

/** `["tm", dueMs, tenant, executionId, name]` → a timer of an execution. Written by the transition that sets or ends it. */
export function timerKey(dueMs: number, tenant: TenantId, executionId: string, name: string): Key {
  return ["tm", dueMs, tenant, executionId, name];
}

/** Timers due before `beforeMs`, earliest first. */
export function timersBefore(beforeMs: number): Selector {
  return { start: ["tm"], end: ["tm", beforeMs] };
}

/** `["td", dueMs, tenant, namespace, flow, trigger]` → a trigger to evaluate at `dueMs`. Written with the state of the trigger. */
export function triggerDueKey(dueMs: number, tenant: TenantId, trigger: TriggerKey): Key {
  return ["td", dueMs, tenant, trigger.namespace, trigger.flowId, trigger.triggerId];
}

/** Triggers due before `beforeMs`, earliest first. */
export function triggersDueBefore(beforeMs: number): Selector {
  return { start: ["td"], end: ["td", beforeMs] };
}

/**
 * `["oe", tenant, executionId, n, namespace, flow, trigger]` → the n-th state of an execution, announced to a trigger; without the
 * last three parts to all that listen. Written by the execution's commit.
 */
export function announcementKey(announcement: AnyAnnouncement): Key {
  const { tenant, executionId, index } = announcement;
  const key: Key = ["oe", tenant, executionId, index];
  if (!("trigger" in announcement)) return key;
  const { namespace, flowId, triggerId } = announcement.trigger;
  return [...key, namespace, flowId, triggerId];
}

/** All announcements without a reaction yet; those found at start were interrupted by a crash. */
export const ANNOUNCEMENTS: Selector = { prefix: ["oe"] };

/** `["tenant", id]` → a tenant, by its internal id. Written by the tenants service. */
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

/** `["user", name]` → a user with the hash of the password. Written by the users service. */
export function userKey(name: string): Key {
  return ["user", name];
}

/** All users. */
export const USERS: Selector = { prefix: ["user"] };

/** `["bi", tenant, owner, blob]` → intent of a large value that no record refers to. Deleted by the commit of its record. */
export function blobIntentKey(tenant: TenantId, owner: string, blobId: string): Key {
  return ["bi", tenant, owner, blobId];
}

/** All blob intents; those found at start mark orphans. */
export const BLOB_INTENTS: Selector = { prefix: ["bi"] };

/** `["xd", tenant, executionId]` → a deleted execution whose data is not completely removed. */
export function executionRemovalKey(tenant: TenantId, id: string): Key {
  return ["xd", tenant, id];
}

/** All incomplete removals; those found at start were interrupted by a crash. */
export const EXECUTION_REMOVALS: Selector = { prefix: ["xd"] };

/** `["ob", tenant, targetId, sourceId, name]` → a message between executions. Written by the source's commit, deleted by the target's. */
export function messageKey(tenant: TenantId, targetId: string, sourceId: string, name: string): Key {
  return ["ob", tenant, targetId, sourceId, name];
}

/** All messages that were not received; those found at start were interrupted by a crash. */
export const MESSAGES: Selector = { prefix: ["ob"] };

/** `["mb", "q", id]` → head of a request that a follower has posted, oldest first. Written last by the follower, and once withdrawn. */
export function postedRequestKey(id: string): Key {
  return ["mb", "q", id];
}

/** All posted requests. */
export const POSTED_REQUESTS: Selector = { prefix: ["mb", "q"] };

/** `["mb", "b", id, n]` → bytes of part n of the body of a posted request. Written before its head. */
export function postedBodyKey(id: string, n: number): Key {
  return ["mb", "b", id, n];
}

/** `["mb", "c", id]` → epoch of the leader that handles a posted request. Written by the leader. */
export function postedClaimKey(id: string): Key {
  return ["mb", "c", id];
}

/** `["mb", "a", id]` → number of response parts that the follower has read; -1: its client is gone. Written by the follower. */
export function postedProgressKey(id: string): Key {
  return ["mb", "a", id];
}

/** What followers have read of long responses. */
export const POSTED_PROGRESS: Selector = { prefix: ["mb", "a"] };

/** `["mb", "w", process]` → time of the last message to a process, which watches the key. Written with each message. */
export function mailBellKey(process: string): Key {
  return ["mb", "w", process];
}

/** `["mr", id, n]` → part n of the response to a posted request. Written by the leader, deleted by the follower. */
export function postedResponseKey(id: string, n: number): Key {
  return ["mr", id, n];
}

/** All of the mailbox but responses, and all responses. */
export const MAILBOX: readonly Selector[] = [{ prefix: ["mb"] }, { prefix: ["mr"] }];
/** `["wa", tenant, executionId, taskRun]` → an attempt that a worker runs. Written before the worker gets it and with its reports, deleted after its end. */
export function assignmentKey(tenant: TenantId, executionId: string, taskRun: number): Key {
  return ["wa", tenant, executionId, taskRun];
}

/** All attempts that workers run; those found at start may still run there. */
export const ASSIGNMENTS: Selector = { prefix: ["wa"] };

// ── Executions ─────────────────────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "x", id]` → compact execution record, ordered by creation. Written by the commit of each slice. */
export function executionKey(tenant: TenantId, id: string): Key {
  return [tenant, "x", id];
}

/** Further parts of the record of an execution that is longer than one value. */
export function executionPartsOf(tenant: TenantId, id: string): Selector {
  return { prefix: [tenant, "x", id] };
}

/** `[tenant, "cs", namespace, flow, id]` → an execution that holds a slot of its flow. */
export function slotKey(tenant: TenantId, flow: FlowKey, id: string): Key {
  return [tenant, "cs", flow.namespace, flow.id, id];
}

/** All held slots of a tenant. */
export function slotsOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "cs"] };
}

/** `[tenant, "xq", namespace, flow, id]` → an execution that waits for a slot of its flow, oldest first. */
export function queuedKey(tenant: TenantId, flow: FlowKey, id: string): Key {
  return [tenant, "xq", flow.namespace, flow.id, id];
}

/** All executions of a tenant that wait for a slot. */
export function queuedOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "xq"] };
}

/** `[tenant, "t", id, page]` → packed task runs of one page of ordinals. Written by each slice that changes one of them. */
export function taskRunPageKey(tenant: TenantId, id: string, page: number): Key {
  return [tenant, "t", id, page];
}

/** All task run pages of an execution, in order. */
export function taskRunPagesOf(tenant: TenantId, id: string): Selector {
  return { prefix: [tenant, "t", id] };
}

/** `[tenant, "l", id, firstLine]` → packed log lines in the order they were written. Written by the slice that logged them. */
export function logChunkKey(tenant: TenantId, id: string, firstLine: number): Key {
  return [tenant, "l", id, firstLine];
}

/** All stored log chunks of an execution, in order. */
export function logChunksOf(tenant: TenantId, id: string): Selector {
  return { prefix: [tenant, "l", id] };
}

/** `[tenant, "m", id, taskRun, attempt]` → metrics of one attempt. Written by the commit that ends it. */
export function metricsKey(tenant: TenantId, id: string, taskRun: number, attempt: number): Key {
  return [tenant, "m", id, taskRun, attempt];
}

/** All metrics of an execution. */
export function metricsOf(tenant: TenantId, id: string): Selector {
  return { prefix: [tenant, "m", id] };
}

/** `[tenant, "tc", namespace, flow, task, hash]` → cached outputs, by the hash of the task's properties. Written by the commit that ends the attempt. */
export function cachedOutputsKey(tenant: TenantId, flow: FlowKey, taskId: string, hash: string): Key {
  return [tenant, "tc", flow.namespace, flow.id, taskId, hash];
}

/** `[tenant, "te", expiresAt, namespace, flow, task, hash]` → null; cached outputs by expiry time. */
export function cacheExpiryKey(expiresAt: Instant, cached: Key): Key {
  const [tenant = "", , ...rest] = cached;
  return [tenant, "te", expiresAt, ...rest];
}

/** Cached outputs of a tenant that expire before `beforeMs`, earliest first. */
export function cacheExpiriesBefore(tenant: TenantId, beforeMs: Instant): Selector {
  return { start: [tenant, "te"], end: [tenant, "te", beforeMs] };
}

/** `[tenant, "ik", hash]` → the response to a start with an idempotency key, by the hash of caller and key. Written by the commit of the start. */
export function idempotencyKey(tenant: TenantId, hash: string): Key {
  return [tenant, "ik", hash];
}

/** `[tenant, "ie", expiresAt, hash]` → null; stored responses by expiry time. Written with the response. */
export function idempotencyExpiryKey(tenant: TenantId, expiresAt: Instant, hash: string): Key {
  return [tenant, "ie", expiresAt, hash];
}

/** Stored responses of a tenant that expire before `beforeMs`, earliest first. */
export function idempotencyExpiriesBefore(tenant: TenantId, beforeMs: Instant): Selector {
  return { start: [tenant, "ie"], end: [tenant, "ie", beforeMs] };
}

/** `[tenant, "fc", namespace, flow, task]` → files that a task keeps between executions, as one zip. Written when the task ends. */
export function flowCacheKey(tenant: TenantId, flow: FlowKey, taskId: string): Key {
  return [tenant, "fc", flow.namespace, flow.id, taskId];
}

/** `[tenant, "ef", id, path]` → the blob reference of a file of an execution. Written by the commit of the start, or of the end of the attempt. */
export function executionFileKey(tenant: TenantId, id: string, path: string): Key {
  return [tenant, "ef", id, path];
}

/** All files of an execution. */
export function executionFilesOf(tenant: TenantId, id: string): Selector {
  return { prefix: [tenant, "ef", id] };
}

/** The files of an execution below `folder`, which must end with a slash. */
export function executionFilesBelow(tenant: TenantId, id: string, folder: string): Selector {
  // "0" is the character after "/".
  const end = `${folder.slice(0, -1)}0`;
  return { start: executionFileKey(tenant, id, folder), end: executionFileKey(tenant, id, end) };
}

/** All files of all executions of a tenant. */
export function executionFilesOfTenant(tenant: TenantId): Selector {
  return { prefix: [tenant, "ef"] };
}

/** `["fi", tenant, executionId, batch]` → the folder of files that an attempt stored before its end. Deleted by the commit that ends it. */
export function fileIntentKey(tenant: TenantId, id: string, batch: string): Key {
  return ["fi", tenant, id, batch];
}

/** All file intents; those found at start belong to attempts that never ended. */
export const FILE_INTENTS: Selector = { prefix: ["fi"] };

// ── Catalog ────────────────────────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "xr", seq]` → catalog rows of one or more commits from `seq` on. Written by the catalog rider. */
export function rowGroupKey(tenant: TenantId, seq: number): Key {
  return [tenant, "xr", seq];
}

/** All row groups of a tenant, oldest first. */
export function rowGroupsOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "xr"] };
}

/**
 * `[tenant, "r", firstId]` → sealed block of catalog rows in id order. Written by the compactor. Its neighbours are keys that starts
 * do not write: SQLite reads the complete value, 64 KB, of each key that a search passes. Beside the executions, a start passed five.
 */
export function blockKey(tenant: TenantId, firstId: string): Key {
  return [tenant, "r", firstId];
}

/** All sealed blocks of a tenant, oldest first. */
export function blocksOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "r"] };
}

/** `[tenant, "xc"]` → counters of the catalog after its last sealing. */
export function catalogSnapshotKey(tenant: TenantId): Key {
  return [tenant, "xc"];
}

// ── Dashboards ─────────────────────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "da", id]` → source and times of a dashboard. Written by the dashboards service. */
export function dashboardKey(tenant: TenantId, id: string): Key {
  return [tenant, "da", id];
}

/** All dashboards of a tenant, ordered by id. */
export function dashboardsOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "da"] };
}

// ── Flows ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "f", namespace, id]` → head of a flow: number, latest revision, flags. Written by the flows service. */
export function flowKey(tenant: TenantId, { namespace, id }: FlowKey): Key {
  return [tenant, "f", namespace, id];
}

/** All flow heads of a tenant. */
export function flowsOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "f"] };
}

/** `[tenant, "fr", namespace, id, revision, n]` → n-th part of a revision's source and parsed form. Written once. */
export function flowRevisionKey(tenant: TenantId, flow: FlowKey, revision: number, part: number): Key {
  return [tenant, "fr", flow.namespace, flow.id, revision, part];
}

/** All parts of one revision. */
export function flowRevisionParts(tenant: TenantId, { namespace, id }: FlowKey, revision: number): Selector {
  return { prefix: [tenant, "fr", namespace, id, revision] };
}

/** All parts of all revisions of a flow, oldest first. */
export function flowRevisionsOf(tenant: TenantId, { namespace, id }: FlowKey): Selector {
  return { prefix: [tenant, "fr", namespace, id] };
}

// ── Triggers ───────────────────────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "tr", namespace, flow, trigger]` → state of a trigger. Written with the flow and by each evaluation or start. */
export function triggerKey(tenant: TenantId, { namespace, flowId, triggerId }: TriggerKey): Key {
  return [tenant, "tr", namespace, flowId, triggerId];
}

/** States of all triggers of a flow. */
export function triggersOfFlow(tenant: TenantId, { namespace, id }: FlowKey): Selector {
  return { prefix: [tenant, "tr", namespace, id] };
}

/** States of all triggers of a tenant, ordered by namespace and flow. */
export function triggersOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "tr"] };
}

/** `[tenant, "ti", namespace, flow, trigger]` → marks of a trigger: it listens to executions, it is disabled. Written with its state. */
export function triggerMarkKey(tenant: TenantId, { namespace, flowId, triggerId }: TriggerKey): Key {
  return [tenant, "ti", namespace, flowId, triggerId];
}

/** All trigger marks of a tenant. */
export function triggerMarksOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "ti"] };
}

/** `[tenant, "tw", namespace, flow, trigger, condition]` → the parts of a condition that were met in its window. Written by the reaction to a state. */
export function triggerWindowKey(tenant: TenantId, trigger: TriggerKey, condition: string): Key {
  return [tenant, "tw", trigger.namespace, trigger.flowId, trigger.triggerId, condition];
}

/** All windows of a trigger. */
export function triggerWindowsOf(tenant: TenantId, trigger: TriggerKey): Selector {
  return { prefix: [tenant, "tw", trigger.namespace, trigger.flowId, trigger.triggerId] };
}

// ── Namespaces: KV pairs, files, secrets ───────────────────────────────────────────────────────────────────────

/** Sorts after every namespace, because namespaces contain only lower-case letters, digits and `._-`. */
const AFTER_NAMESPACES = "~";

/** `[tenant, "ns", id]` → description of a namespace, or its deletion mark. Written by the namespaces service. */
export function namespaceKey(tenant: TenantId, id: string): Key {
  return [tenant, "ns", id];
}

/** All namespace records of a tenant, ordered by id. */
export function namespacesOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "ns"] };
}

/** `[tenant, "nr"]` → the rename of a namespace that is under way. Written by its first commit, deleted by its last one. */
export function namespaceRenameKey(tenant: TenantId): Key {
  return [tenant, "nr"];
}

/** `[tenant, "kv", namespace, key]` → a KV pair. Written by the KV pairs service. */
export function kvPairKey(tenant: TenantId, namespace: string, key: string): Key {
  return [tenant, "kv", namespace, key];
}

/** All KV pairs of a namespace, in key order. */
export function kvPairsOf(tenant: TenantId, namespace: string): Selector {
  return { prefix: [tenant, "kv", namespace] };
}

/** All KV pairs of a tenant, ordered by namespace and key. */
export function kvPairsOfTenant(tenant: TenantId): Selector {
  return { start: kvPairKey(tenant, "", ""), end: kvPairKey(tenant, AFTER_NAMESPACES, "") };
}

/** `[tenant, "kx", expiresAt, namespace, key]` → null; pairs by expiry time. Written with the pair. */
export function kvExpiryKey(tenant: TenantId, expiresAt: Instant, namespace: string, key: string): Key {
  return [tenant, "kx", expiresAt, namespace, key];
}

/** Pairs of a tenant that expire before `beforeMs`, earliest first. */
export function kvExpiriesBefore(tenant: TenantId, beforeMs: Instant): Selector {
  return { start: [tenant, "kx"], end: [tenant, "kx", beforeMs] };
}

/** `[tenant, "nf", namespace, path]` → a namespace file or directory, its path without leading slash. Written by the files service. */
export function fileKey(tenant: TenantId, namespace: string, path: string): Key {
  return [tenant, "nf", namespace, path];
}

/** All namespace files and directories of a tenant. */
export function filesOfTenant(tenant: TenantId): Selector {
  return { prefix: [tenant, "nf"] };
}

/** The files of the namespaces that sort after that one; of all without it. */
export function filesAfter(tenant: TenantId, namespace?: string): Selector {
  return {
    start: [tenant, "nf", namespace === undefined ? "" : `${namespace}\0`],
    end: [tenant, "nf", "\u{10ffff}"],
  };
}

/** Files and directories below a directory, in path order, from `after` (a path) on; `""` is the root. */
export function filesBelow(tenant: TenantId, namespace: string, directory: string, after?: string): Selector {
  // "0" is the character after "/", so the range ends after the last path below the directory.
  const start = directory === "" ? "" : `${directory}/`;
  const end = directory === "" ? "\u{10ffff}" : `${directory}0`;
  return { start: fileKey(tenant, namespace, after ?? start), end: fileKey(tenant, namespace, end) };
}

/** `[tenant, "s", namespace, name]` → an encrypted secret. Written by the secrets service. */
export function secretKey(tenant: TenantId, namespace: string, name: string): Key {
  return [tenant, "s", namespace, name];
}

/** All secrets of a namespace. */
export function secretsOf(tenant: TenantId, namespace: string): Selector {
  return { prefix: [tenant, "s", namespace] };
}

/** All secrets of a tenant, ordered by namespace and name. */
export function secretsOfTenant(tenant: TenantId): Selector {
  return { start: secretKey(tenant, "", ""), end: secretKey(tenant, AFTER_NAMESPACES, "") };
}

/** All keys of a kind that belong to a namespace, such as `"kv"`, or to an owner of large values, `"b"`. */
export function keysOfNamespace(tenant: TenantId, kind: string, namespace: string): Selector {
  return { prefix: [tenant, kind, namespace] };
}

/** The keys of a kind whose namespace is `parent`, or sorts after it. */
export function keysFromNamespace(tenant: TenantId, kind: string, parent: string): Selector {
  return { start: [tenant, kind, parent], end: [tenant, kind, AFTER_NAMESPACES] };
}

/** The key of {@link keysOfNamespace} in another namespace. */
export function keyInNamespace([tenant = "", kind = "", , ...rest]: Key, namespace: string): Key {
  return [tenant, kind, namespace, ...rest];
}

/** Intents of large values of an owner. */
export function blobIntentsOf(tenant: TenantId, owner: string): Selector {
  return { prefix: ["bi", tenant, owner] };
}

// ── Large values, and tenants ──────────────────────────────────────────────────────────────────────────────────

/** `[tenant, "b", owner, blob, n]` → n-th chunk of a large value. A single chunk is written with its owner's record, several through the bulk lane before it. */
export function blobChunkKey(tenant: TenantId, owner: string, blobId: string, chunk: number): Key {
  return [tenant, "b", owner, blobId, chunk];
}

/** All chunks of all large values of an owner. */
export function blobsOf(tenant: TenantId, owner: string): Selector {
  return { prefix: [tenant, "b", owner] };
}

/** Where the keys that do not begin with a tenant name it. */
const TENANT_PARTS = new Map<unknown, number>([
  ["tm", 2],
  ["td", 2],
  ["oe", 1],
  ["bi", 1],
  ["xd", 1],
  ["ob", 1],
  ["fi", 1],
]);

/** The tenant whose data the key is; the name of the key space for data of no tenant. */
export function tenantOfKey(key: Key): KeyPart | undefined {
  return key[TENANT_PARTS.get(key[0]) ?? 0];
}

/** All data of a tenant: the keys that begin with it, intents, messages and removals. Timers and due triggers are ignored when they fire. */
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

// ── Checks of all data ─────────────────────────────────────────────────────────────────────────────────────────

/** All keys of one kind of a tenant, such as `"x"` for executions. */
export function keysOfKind(tenant: TenantId, kind: string): Selector {
  return { prefix: [tenant, kind] };
}

/** All keys of a kind that belongs to no tenant, such as `"tm"`. */
export function globalKeys(kind: string): Selector {
  return { prefix: [kind] };
}

/** The keys that begin after all those that begin with `first`; without it all keys. */
export function keysAfter(first: string | undefined): Selector {
  return { start: first === undefined ? [""] : [`${first}\u0000`], end: [AFTER_ALL_TEXTS] };
}

/** The same, of the kinds of a tenant. */
export function kindsAfter(tenant: TenantId, kind: string | undefined): Selector {
  const start = kind === undefined ? [tenant, ""] : [tenant, `${kind}\u0000`];
  return { start, end: [tenant, AFTER_ALL_TEXTS] };
}

const AFTER_ALL_TEXTS = "\u{10ffff}";
