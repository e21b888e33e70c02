/** Uploads of files to APIs of Google Cloud: one request opens a session, one sends the file. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { tryParseLongJson } from "../../base/json_turns.ts";
import type { FileBody } from "../../model/tasks/task_definition.ts";
import { refusalOf } from "../http_calls.ts";
import { type GcpClient, type GcpRequest, wordsOf } from "./client.ts";

/** Sends a file; returns what the API created. `request` opens the session, by POST if it names no other method. @throws Error it is refused */
export async function uploadFile(
  client: GcpClient,
  request: GcpRequest,
  { bodyFile, size }: FileBody,
): Promise<JsonObject> {
  const { headers } = await client.send({
    ...request,
    method: request.method ?? "POST",
    headers: { ...request.headers, "X-Upload-Content-Length": String(size) },
  });
  const url = headers.location;
  if (url === undefined) {
    throw new Error(`Cannot ${request.operation}: the response has no location for the file`);
  }
  // The session is a credential of its own: the URL must not be shown.
  const response = await client.sendTo({
    url,
    method: "PUT",
    bodyFile,
    isRepeatable: request.isRepeatable,
  });
  const { status, text } = response;
  if (status >= 400) throw refusalOf({ operation: request.operation, url, status, words: wordsOf(text) });
  const resource = await tryParseLongJson(text);
  return resource !== undefined && isJsonObject(resource) ? resource : {};
}
