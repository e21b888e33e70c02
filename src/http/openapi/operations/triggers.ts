/** Operations on triggers and webhooks. */
import {
  ANY_JSON,
  CSV,
  json,
  type OperationDetails,
  type Operations,
  PAGE,
  PLAIN_TEXT,
  TRIGGER_FILTERS,
} from "../operation.ts";
import { ANYTHING, FLAG, listOf, objectOf, pageOf, ref, TEXT } from "../schema.ts";

const STATE = json(ref("TriggerState"));
const KEY = json(ref("TriggerKey"));
const BULK_RESULT = json(ref("BulkResult"));
const TRIGGER_KEY = { namespace: TEXT, flowId: TEXT, triggerId: TEXT };
const BACKFILL = json(objectOf({ ...TRIGGER_KEY, backfill: ref("BackfillRequest") }));
const DISABLED = json(objectOf({ ...TRIGGER_KEY, disabled: FLAG }));
const TRIGGER_CHANGE = json(
  objectOf({ ...TRIGGER_KEY, "disabled?": FLAG, "backfill?": ref("BackfillRequest") }),
);
const ONE = "/triggers/{namespace}/{flowId}/{triggerId}";
const FILTERS_BODY = json(objectOf({ "filters?": listOf(ANYTHING) }));
const DISABLED_BODY = json(objectOf({ triggers: listOf(ref("TriggerKey")), disabled: FLAG }));

const BULK: readonly (readonly [methodAndPath: string, summary: string])[] = [
  ["POST /triggers/backfill/pause", "Pauses backfills"],
  ["POST /triggers/backfill/unpause", "Resumes backfills"],
  ["POST /triggers/backfill/delete", "Ends backfills"],
  ["POST /triggers/unlock", "Unlocks triggers"],
  ["DELETE /triggers/delete", "Resets triggers"],
];

const WEBHOOK: OperationDetails = {
  headers: ["Idempotency-Key"],
  body: { ...ANY_JSON, ...PLAIN_TEXT },
  isBodyOptional: true,
  response: json(ref("Execution")),
  also: { 204: "A condition of the trigger does not hold: nothing was started" },
};
const WEBHOOK_PATH = "/executions/webhook/{namespace}/{flowId}/{key}";

/** By method and path. */
export const TRIGGER_OPERATIONS: Operations = [
  ["GET /triggers/search", "Searches triggers", {
    query: [...PAGE, ...TRIGGER_FILTERS],
    response: json(pageOf(ref("ListedTrigger"))),
  }],
  ["GET /triggers/export/by-query/csv", "Exports triggers as CSV", { query: TRIGGER_FILTERS, response: CSV }],
  ["GET /triggers/{namespace}/{flowId}", "Lists the triggers of a flow", {
    query: [...PAGE, "q"],
    response: json(pageOf(ref("TriggerState"))),
  }],
  ["PUT /triggers", "Disables, enables or backfills a trigger", { body: TRIGGER_CHANGE, response: STATE }],
  ["PUT /triggers/set-disabled", "Disables or enables a trigger", { body: DISABLED, response: STATE }],
  ["PUT /triggers/backfill/create", "Starts a backfill", { body: BACKFILL, response: STATE }],
  ["PUT /triggers/backfill/pause", "Pauses a backfill", { body: KEY, response: STATE }],
  ["PUT /triggers/backfill/unpause", "Resumes a backfill", { body: KEY, response: STATE }],
  ["POST /triggers/backfill/delete", "Ends a backfill", { body: KEY, response: STATE }],
  [`POST ${ONE}/restart`, "Restarts a trigger", { response: STATE }],
  [`POST ${ONE}/unlock`, "Unlocks a trigger", { response: STATE }],
  [`DELETE ${ONE}`, "Resets a trigger", { status: 204 }],
  ...BULK.flatMap(([path, summary]): Operations => [
    [`${path}/by-query`, summary, {
      query: TRIGGER_FILTERS,
      body: FILTERS_BODY,
      isBodyOptional: true,
      response: BULK_RESULT,
    }],
    [`${path}/by-triggers`, summary, { body: json(listOf(ref("TriggerKey"))), response: BULK_RESULT }],
  ]),
  ["POST /triggers/set-disabled/by-query", "Disables or enables triggers", {
    query: ["disabled", ...TRIGGER_FILTERS],
    body: FILTERS_BODY,
    isBodyOptional: true,
    response: BULK_RESULT,
  }],
  ["POST /triggers/set-disabled/by-triggers", "Disables or enables triggers", {
    body: DISABLED_BODY,
    response: BULK_RESULT,
  }],
  ...["GET", "POST", "PUT"].flatMap((method): Operations => {
    const details = method === "GET" ? { ...WEBHOOK, body: undefined } : WEBHOOK;
    const summary = "Calls a webhook; the key in the path replaces credentials";
    return [
      [`${method} ${WEBHOOK_PATH}`, summary, details],
      [`${method} ${WEBHOOK_PATH}/{path}`, summary, details],
    ];
  }),
];
