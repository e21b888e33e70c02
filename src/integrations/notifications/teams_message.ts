/** Sends messages to Microsoft Teams. */
import type { JsonObject } from "../../base/json.ts";
import type { TaskContext } from "../../model/tasks/task_definition.ts";
import { postToWebhook, refusal } from "./webhook.ts";

/** Connectors of Teams report a failed delivery with status 200. */
const FAILED_DELIVERY = /webhook message delivery failed/i;

/** Posts to a webhook of Teams. @throws Error the message was refused, or not delivered */
export async function postToTeams(context: TaskContext, body: string | JsonObject): Promise<void> {
  const response = await postToWebhook(context, body);
  if (FAILED_DELIVERY.test(response.text)) throw refusal(String(context.properties.url), response);
}
