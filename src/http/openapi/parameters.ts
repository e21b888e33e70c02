/** Parameters of operations by name: what they mean, and the schemas of those that are not plain texts. */
import { STATES } from "../../model/executions/state.ts";
import { LOG_LEVELS } from "../../model/flows/flow.ts";
import { MAX_PAGE_SIZE } from "../../model/limits.ts";
import { AGGREGATIONS } from "../../services/metrics/metric_aggregates.ts";
import { oneOf, type Schema } from "./schema.ts";

const STATE = oneOf(STATES);

/** Schemas of query parameters with closed values or bounds. */
export const CLOSED_PARAMETERS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ["page", { type: "integer", minimum: 1 }],
  ["size", { type: "integer", minimum: 1, maximum: MAX_PAGE_SIZE }],
  ["state", STATE],
  ["status", STATE],
  ["newStatus", STATE],
  ["newState", STATE],
  ["minLevel", oneOf(LOG_LEVELS)],
  ["aggregation", oneOf(AGGREGATIONS)],
  ["childFilter", oneOf(["CHILD", "MAIN"])],
]);

/** What a parameter in a path means; those that mean different things in different operations have no entry. */
export const PATH_DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ["tenant", "Tenant; `main` by default"],
  ["namespace", "Namespace, with dots between its levels"],
  ["flowId", "Id of the flow within its namespace"],
  ["executionId", "Id of the execution"],
  ["taskId", "Id of a task of the flow"],
  ["taskRunId", "Id of a task run of the execution"],
  ["triggerId", "Id of a trigger of the flow"],
  ["metric", "Name of a metric"],
  ["cls", "Type of a task, a trigger or a condition, in full"],
]);

/** What a parameter in a query or a header means. */
export const PARAMETER_DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ["namespace", "Namespace, with dots between its levels"],
  ["flowId", "Id of the flow within its namespace"],
  ["executionId", "Id of the execution"],
  ["taskId", "Id of a task of the flow"],
  ["taskRunId", "Id of a task run of the execution"],
  ["triggerId", "Id of a trigger of the flow"],
  ["page", "Number of the page, from 1; 1 by default"],
  ["size", "Entries of a page; 10 by default"],
  ["sort", "Order: a field, a colon, and `asc` or `desc`"],
  ["children", "Whether the namespaces below it are included; true by default"],
  ["q", "Text that results contain"],
  ["filters", "Further conditions as `filters[field][OPERATOR]=value`"],
  ["scope", "`USER`, `SYSTEM`, or both with a comma: flows of users, or those of the system namespace"],
  ["labels", "A label as `key:value`"],
  ["inputs", "The value of an input as `name:value`"],
  ["startDate", "Begin of the time window"],
  ["endDate", "End of the time window"],
  ["timeRange", "Length of a time window that ends now, as an ISO 8601 duration"],
  ["state", "States of executions"],
  ["minLevel", "Lowest level of log lines"],
  ["triggerExecutionId", "Id of the execution that started it"],
  ["childFilter", "`CHILD`: executions that another one started; `MAIN`: the others"],
  ["wait", "Respond when the execution has ended"],
  ["revision", "Revision of the flow or file; the latest by default"],
  ["scheduleDate", "When the execution starts; at once by default"],
  ["breakpoints", "Tasks to stop before, with commas between them: `taskId` or `taskId.value`"],
  ["kind", "Kind of executions"],
  ["path", "Path or URI of the file"],
  ["from", "Path of the file or directory to move"],
  ["to", "Its new path"],
  ["maxRows", "Rows of the preview, at most"],
  ["maxTaskRuns", "Task runs of the response, at most: the first ones; all without it"],
  ["encoding", "Character encoding of the file"],
  ["attempt", "Number of the attempt, from 0"],
  ["aggregation", "How the values of a part are joined"],
  ["destinationOnly", "Follow dependencies downstream only"],
  ["valueClusters", "Draw a cluster for each value of a loop instead of a node for each task and value"],
  ["expandAll", "Follow dependencies transitively"],
  ["isOnKillCascade", "Kill the child executions too; true by default"],
  ["latestRevision", "Replay with the latest revision of each flow"],
  ["includeNonTerminated", "Also executions that have not ended"],
  ["newStatus", "State that the executions get"],
  ["status", "State that the execution gets"],
  ["allowDeleted", "Also when the flow is deleted"],
  ["source", "Include the source"],
  ["userId", "Name of the user"],
  ["operation", "Id of an operation of this description"],
  ["tenantId", "Tenant whose records are wanted; of the tenant `main` only"],
  ["cursor", "`cursor` of the response before"],
  ["Idempotency-Key", "A request with the same key starts nothing again"],
  ["If-Match", "`ETag` of the revision that the request replaces"],
  ["If-None-Match", "`*`: refuse if there is such a file"],
  ["Last-Event-ID", "Id of the last event that was received"],
  ["ttl", "How long the value is kept, as an ISO 8601 duration"],
  ["description", "Text for people"],
]);
