/** Operations on the server: health, metrics, configuration, this description. */
import { type Content, CSV, json, JSON_OBJECT, type Operations, PLAIN_TEXT } from "../operation.ts";
import {
  BYTES,
  INSTANT,
  INTEGER,
  listOf,
  MAP,
  NUMBER,
  objectOf,
  oneOf,
  pageOf,
  ref,
  TEXT,
} from "../schema.ts";

const AUDIT_FILTERS = [
  ...["userId", "operation", "type", "namespace", "flowId", "executionId", "q", "startDate", "endDate"],
  "tenantId",
];
const HEALTH = json(objectOf({ status: TEXT }));
/**
 * With a status of DEGRADED or DOWN because of a fault: the reason, and since when. `database`: the kind of one that is no
 * file. `failedPlugins`: names of files.
 */
const READINESS = json(
  objectOf({
    status: TEXT,
    "reason?": TEXT,
    "since?": TEXT,
    "database?": TEXT,
    "failedPlugins?": listOf(TEXT),
    "warning?": TEXT,
  }),
);
/** `since` and `seenAt` by the clock of the process; `refusal`: why it does not lead. The first one is the leader. */
const CLUSTER = json(
  objectOf({
    "epoch?": INTEGER,
    "leaseAge?": NUMBER,
    "leaseTtl?": NUMBER,
    processes: listOf(objectOf({
      id: TEXT,
      role: oneOf(["LEADER", "CANDIDATE", "FOLLOWER"]),
      "url?": TEXT,
      version: TEXT,
      since: INSTANT,
      seenAt: INSTANT,
      "refusal?": TEXT,
    })),
  }),
);
const YAML_TEXT: Content = { "application/yaml": TEXT };

/** By method and path. */
export const SERVER_OPERATIONS: Operations = [
  ["GET /", "Redirects to the pages", { status: 307 }],
  ["GET /ping", "Responds while the process runs", { response: PLAIN_TEXT }],
  ["GET /health", "Gets the readiness; 503 when not ready", { response: READINESS }],
  ["GET /health/liveness", "Responds while the process runs", { response: HEALTH }],
  ["GET /health/readiness", "Gets the readiness; 503 when not ready", { response: READINESS }],
  ["GET /prometheus", "Gets the server metrics in the text format of Prometheus", { response: PLAIN_TEXT }],
  ["GET /metrics", "Gets the server metrics in the text format of Prometheus", { response: PLAIN_TEXT }],
  ["GET /openapi.json", "Gets this description as JSON", { response: JSON_OBJECT }],
  ["GET /openapi.yml", "Gets this description as YAML", { response: YAML_TEXT }],
  ["GET /openapi.yaml", "Gets this description as YAML", { response: YAML_TEXT }],
  ["GET /swagger/kestra.yml", "Gets this description as YAML", { response: YAML_TEXT }],
  ["GET /settings", "Gets settings that operators look up: retention, limits, data folder", {
    response: JSON_OBJECT,
  }],
  [
    "GET /cluster",
    "Gets the processes that share the database, and the lease of the leader; times in seconds",
    {
      response: CLUSTER,
    },
  ],
  ["GET /auditlogs/search", "Lists records of the audit log, newest first", {
    query: ["size", "cursor", ...AUDIT_FILTERS],
    response: json(ref("AuditLogPage")),
  }],
  ["GET /auditlogs/export/by-query/csv", "Exports records of the audit log as CSV", {
    query: AUDIT_FILTERS,
    response: CSV,
  }],
  ["GET /auditlogs/export/by-query/json", "Exports records of the audit log as JSON", {
    query: AUDIT_FILTERS,
    response: json(listOf(ref("AuditLogItem"))),
  }],
  ["GET /backups", "Lists backups: the one under way or the last one if it failed, and the complete ones", {
    response: json(pageOf(ref("Backup"))),
  }],
  ["POST /backups", "Starts a backup of the running server", { status: 202, response: json(ref("Backup")) }],
  ["GET /backups/{id}", "Gets a backup", { response: json(ref("Backup")) }],
  ["GET /backups/{id}/download", "Downloads a complete backup as a tar archive", {
    response: { "application/x-tar": BYTES },
  }],
  ["DELETE /backups/{id}", "Deletes a backup; ends the one under way", { status: 204 }],
  ["GET /ai/providers", "Lists assistants; there are none", { response: json(listOf(MAP)) }],
  ["GET /configs", "Gets the configuration that clients read before login", {
    response: json(ref("ClientConfiguration")),
  }],
  ["GET /configs/login", "Gets the login methods", { response: json(ref("LoginConfiguration")) }],
];
