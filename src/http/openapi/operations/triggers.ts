/** Operations on triggers and webhooks. */
import {
  ANY_JSON,
  CSV,
  json,
  JSON_OBJECT,
  type Operation,
  type Operations,
  PAGE,
  PLAIN_TEXT,
  TRIGGER_FILTERS,
} from "../operation.ts";
import { ANYTHING, FLAG, listOf, objectOf, pageOf, ref } from "../schema.ts";

const STATE = json(ref("TriggerState"));
const KEY = json(ref("TriggerKey"));
const BULK_RESULT = json(ref("BulkResult"));
const ONE = "/triggers/{namespace}/{flowId}/{triggerId}";
const FILTERS_BODY = json(objectOf({ "filters?": listOf(ANYTHING) }));

const BULK: readonly (readonly [methodAndPath: string, summary: string])[] = [
  ["POST /triggers/backfill/pause", "Pauses backfills"],
  ["POST /triggers/backfill/unpause", "Goes on with backfills"],
  ["POST /triggers/backfill/delete", "Ends backfills"],
  ["POST /triggers/unlock", "Unlocks triggers"],
  ["DELETE /triggers/delete", "Resets triggers"],
];

const WEBHOOK: Operation = {
  summary: "Calls a webhook; no login, the key is the protection",
  headers: ["Idempotency-Key"],
  body: { ...ANY_JSON, ...PLAIN_TEXT },
  response: json(ref("Execution")),
  also: { 204: "A condition of the trigger does not hold: nothing was started" },
};
const WEBHOOK_PATH = "/executions/webhook/{namespace}/{flowId}/{key}";

/** Triggers. */
export const TRIGGER_OPERATIONS: Operations = [
  ["GET /triggers/search", {
    summary: "A page of triggers",
    query: [...PAGE, ...TRIGGER_FILTERS],
    response: json(pageOf(ref("ListedTrigger"))),
  }],
  ["GET /triggers/export/by-query/csv", {
    summary: "Triggers as a table",
    query: TRIGGER_FILTERS,
    response: CSV,
  }],
  ["GET /triggers/{namespace}/{flowId}", {
    summary: "A page of the triggers of a flow",
    query: [...PAGE, "q"],
    response: json(pageOf(ref("TriggerState"))),
  }],
  ["PUT /triggers", {
    summary: "Disables, enables or backfills a trigger",
    body: JSON_OBJECT,
    response: STATE,
  }],
  ["PUT /triggers/set-disabled", {
    summary: "Disables or enables a trigger",
    body: JSON_OBJECT,
    response: STATE,
  }],
  ["PUT /triggers/backfill/create", { summary: "Begins a backfill", body: JSON_OBJECT, response: STATE }],
  ["PUT /triggers/backfill/pause", { summary: "Pauses a backfill", body: KEY, response: STATE }],
  ["PUT /triggers/backfill/unpause", { summary: "Goes on with a backfill", body: KEY, response: STATE }],
  ["POST /triggers/backfill/delete", { summary: "Ends a backfill", body: KEY, response: STATE }],
  [`POST ${ONE}/restart`, { summary: "Restarts a trigger", response: STATE }],
  [`POST ${ONE}/unlock`, { summary: "Unlocks a trigger", response: STATE }],
  [`DELETE ${ONE}`, { summary: "Resets a trigger", status: 204 }],
  ...BULK.flatMap(([path, summary]): Operations => [
    [`${path}/by-query`, { summary, query: TRIGGER_FILTERS, body: FILTERS_BODY, response: BULK_RESULT }],
    [`${path}/by-triggers`, { summary, body: json(listOf(ref("TriggerKey"))), response: BULK_RESULT }],
  ]),
  ["POST /triggers/set-disabled/by-query", {
    summary: "Disables or enables triggers",
    query: ["disabled", ...TRIGGER_FILTERS],
    body: FILTERS_BODY,
    response: BULK_RESULT,
  }],
  ["POST /triggers/set-disabled/by-triggers", {
    summary: "Disables or enables triggers",
    body: json(objectOf({ triggers: listOf(ref("TriggerKey")), disabled: FLAG })),
    response: BULK_RESULT,
  }],
  ...["GET", "POST", "PUT"].flatMap((method): Operations => [
    [`${method} ${WEBHOOK_PATH}`, method === "GET" ? { ...WEBHOOK, body: undefined } : WEBHOOK],
    [`${method} ${WEBHOOK_PATH}/{path}`, method === "GET" ? { ...WEBHOOK, body: undefined } : WEBHOOK],
  ]),
];
