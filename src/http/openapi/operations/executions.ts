/** Operations on executions: starts, actions, views, files, outputs, concurrency limits. */
import { STATES } from "../../../model/executions/state.ts";
import {
  CSV,
  EVENTS,
  EXECUTION_FILTERS,
  FILE,
  INPUT_FORM,
  json,
  JSON_OBJECT,
  type OperationDetails,
  type Operations,
  PAGE,
  TEXT_BODY,
  TEXTS,
} from "../operation.ts";
import { ANYTHING, INTEGER, listOf, MAP, objectOf, oneOf, pageOf, ref, TEXT } from "../schema.ts";

const EXECUTION = json(ref("Execution"));
const EXECUTIONS = json(pageOf(ref("Execution")));
const LABELS = json(listOf(ref("Label")));
const IDS = json(listOf(TEXT));
const INPUT_CHECK = json(ref("InputCheck"));
const BULK_RESULT = json(ref("BulkResult"));
const EVALUATION = json(objectOf({ "result?": TEXT, "error?": TEXT, "stackTrace?": TEXT }));
const LIMIT = json(ref("ConcurrencyLimit"));
const START: OperationDetails = {
  query: ["labels[]", "wait", "revision", "scheduleDate", "breakpoints", "kind"],
  headers: ["Idempotency-Key"],
  body: INPUT_FORM,
  isBodyOptional: true,
  response: EXECUTION,
};
const ELSEWHERE = { 301: "The file belongs to another execution; `Location` is its path there" };

const BASE: Operations = [
  ["POST /executions/{namespace}/{flowId}", "Starts an execution", START],
  ["POST /executions/trigger/{namespace}/{flowId}", "Starts an execution (older path)", START],
  ["POST /executions/{namespace}/{flowId}/validate", "Validates the inputs of a start", {
    query: ["revision", "labels[]"],
    body: INPUT_FORM,
    isBodyOptional: true,
    response: INPUT_CHECK,
  }],
  ["GET /executions", "Lists executions of a flow", {
    query: ["namespace!", "flowId!", ...PAGE],
    response: EXECUTIONS,
  }],
  ["GET /executions/search", "Searches executions", {
    query: [...PAGE, ...EXECUTION_FILTERS],
    response: EXECUTIONS,
  }],
  ["POST /executions/latest", "Gets the latest execution of each flow", {
    body: json(listOf(ref("FlowKey"))),
    response: json(listOf(ref("LatestExecution"))),
  }],
  ["GET /executions/distinct-field-values", "Lists the values of a field", {
    query: ["field!", "size", ...EXECUTION_FILTERS],
    response: TEXTS,
  }],
  ["GET /executions/export/by-query/csv", "Exports executions as CSV", {
    query: EXECUTION_FILTERS,
    response: CSV,
  }],
  ["GET /executions/export/by-query/json", "Exports executions as JSON", {
    query: EXECUTION_FILTERS,
    response: json(listOf(ref("Execution"))),
  }],
  ["GET /executions/{id}", "Gets an execution with its task runs", {
    query: ["maxTaskRuns"],
    response: EXECUTION,
  }],
  ["DELETE /executions/{id}", "Deletes an execution", { status: 204 }],
  ["GET /executions/{id}/follow", "Streams an execution at each change until it ends", {
    query: ["format"],
    headers: ["Last-Event-ID"],
    response: EVENTS,
  }],
  [
    "GET /executions/{id}/follow-dependencies",
    "Streams the states of all executions with the same correlation id",
    {
      query: ["destinationOnly", "expandAll"],
      response: EVENTS,
    },
  ],
  ["GET /executions/{id}/file", "Downloads a file of an execution", {
    query: ["path!"],
    response: FILE,
    also: ELSEWHERE,
  }],
  ["GET /executions/{id}/file/metas", "Gets the size of a file", {
    query: ["path!"],
    response: json(objectOf({ size: INTEGER })),
    also: ELSEWHERE,
  }],
  ["GET /executions/{id}/file/preview", "Gets the beginning of a file", {
    query: ["path!", "maxRows", "encoding"],
    response: json(objectOf({ extension: TEXT, type: TEXT, content: ANYTHING })),
    also: ELSEWHERE,
  }],
  ["GET /outputs/{executionId}", "Lists task runs with outputs", {
    response: json(listOf(ref("TaskRunWithOutputs"))),
  }],
  ["GET /outputs/executions/{executionId}", "Gets the outputs of an execution", { response: JSON_OBJECT }],
  ["GET /outputs/{executionId}/{taskRunId}", "Gets the outputs of a task run", { response: JSON_OBJECT }],
  ["GET /concurrency-limit/search", "Lists flows with a concurrency limit", {
    response: json(pageOf(ref("ConcurrencyLimit"))),
  }],
  ["GET /concurrency-limit/{namespace}/{flowId}", "Gets the number of running executions of a flow", {
    response: LIMIT,
  }],
  ["PUT /concurrency-limit/{namespace}/{flowId}", "Recounts the running executions of a flow", {
    body: LIMIT,
    response: LIMIT,
  }],
];

/** Actions on one execution; each has two paths. */
const ACTIONS: Operations = [
  ["pause", "Pauses an execution"],
  ["resume", "Resumes a paused execution", { body: INPUT_FORM, isBodyOptional: true }],
  ["resume/validate", "Validates the inputs of a resume", {
    body: INPUT_FORM,
    isBodyOptional: true,
    response: INPUT_CHECK,
  }],
  ["resume-from-breakpoint", "Resumes an execution at a breakpoint", { query: ["breakpoints"] }],
  ["restart", "Restarts an execution from its failed task runs", { query: ["revision"] }],
  ["replay", "Replays as a new execution", {
    query: ["taskRunId", "revision", "breakpoints"],
    body: json(objectOf({ "outputs?": { type: "object", additionalProperties: MAP } })),
    isBodyOptional: true,
  }],
  ["replay-with-inputs", "Replays as a new execution with other inputs", {
    query: ["taskRunId", "revision", "breakpoints"],
    body: INPUT_FORM,
    isBodyOptional: true,
  }],
  ["kill", "Kills an execution", { query: ["isOnKillCascade"] }],
  ["state", "Sets the state of a task run", {
    body: json(objectOf({ taskRunId: TEXT, state: oneOf(STATES) })),
  }],
  ["change-status", "Sets the state of an ended execution", { query: ["status!"] }],
  ["labels", "Sets the labels of an execution", { body: LABELS }],
  ["unqueue", "Removes an execution from the queue of its flow", { query: ["state"] }],
  ["force-run", "Runs a waiting execution at once"],
  ["eval", "Renders an expression with the variables of an execution", {
    query: ["taskRunId"],
    body: TEXT_BODY,
    response: EVALUATION,
  }],
  ["eval/{taskRunId}", "Renders an expression with the variables of a task run", {
    body: TEXT_BODY,
    response: EVALUATION,
  }],
];

/** Actions on many executions; each has two paths. */
const BULK: readonly (readonly [methodAndName: string, summary: string, query?: readonly string[]])[] = [
  ["POST /executions/restart", "Restarts executions"],
  ["POST /executions/replay", "Replays executions", ["latestRevision"]],
  ["POST /executions/resume", "Resumes executions"],
  ["POST /executions/pause", "Pauses executions"],
  ["POST /executions/change-status", "Sets the state of executions", ["newStatus!"]],
  ["POST /executions/unqueue", "Removes executions from the queues of their flows", ["newState"]],
  ["POST /executions/force-run", "Runs waiting executions at once"],
  ["POST /executions/kill", "Kills executions", ["isOnKillCascade"]],
  ["DELETE /executions/kill", "Kills executions", ["isOnKillCascade"]],
  ["DELETE /executions", "Deletes executions", ["includeNonTerminated"]],
];

function bothPaths([name, summary, details]: Operations[number]): Operations {
  const operation = { response: EXECUTION, ...details };
  const methods = name === "kill" ? ["DELETE", "POST"] : ["POST"];
  const paths = [`/executions/{id}/${name}`, `/executions/{id}/actions/${name}`];
  return methods.flatMap((method) => paths.map((path) => [`${method} ${path}`, summary, operation] as const));
}

/** With filters `state` is one of them. */
function byIdsQuery(name: string): readonly string[] {
  return name.endsWith("/unqueue") ? ["state"] : [];
}

/** By method and path. */
export const EXECUTION_OPERATIONS: Operations = [
  ...BASE,
  ...ACTIONS.flatMap(bothPaths),
  ...BULK.flatMap(([name, summary, query = []]): Operations => [
    [`${name}/by-ids`, summary, { query: [...query, ...byIdsQuery(name)], body: IDS, response: BULK_RESULT }],
    [`${name}/by-query`, summary, { query: [...query, ...EXECUTION_FILTERS], response: BULK_RESULT }],
  ]),
  ["POST /executions/labels/by-ids", "Sets the labels of executions", {
    body: json(objectOf({ executionsId: listOf(TEXT), executionLabels: listOf(ref("Label")) })),
    response: BULK_RESULT,
  }],
  ["POST /executions/labels/by-query", "Sets the labels of executions", {
    query: EXECUTION_FILTERS,
    body: LABELS,
    response: BULK_RESULT,
  }],
];
