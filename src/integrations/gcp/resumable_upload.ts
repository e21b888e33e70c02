/** Uploads of files to APIs of Google Cloud: one request opens a session, one sends the file. */
import { stat } from "node:fs/promises";
import { isJsonObject, type JsonObject, tryParseJson } from "../../base/json.ts";
import { refusalOf } from "../http_calls.ts";
import { type GcpClient, type GcpRequest, wordsOf } from "./client.ts";

interface Uploaded {
  /** What the API created. */
  readonly resource: JsonObject;
  /** Bytes of the file. */
  readonly size: number;
}

/** Sends a file of the directory of the attempt. `request` opens the session, by POST if it names no other method. @throws Error it is refused */
export async function uploadFile(client: GcpClient, request: GcpRequest, path: string): Promise<Uploaded> {
  const { size } = await stat(path);
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
    bodyFile: path,
    isRepeatable: request.isRepeatable,
  });
  const { status, text } = response;
  if (status >= 400) throw refusalOf({ operation: request.operation, url, status, words: wordsOf(text) });
  const resource = tryParseJson(text);
  return { resource: resource !== undefined && isJsonObject(resource) ? resource : {}, size };
}
