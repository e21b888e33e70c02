/** `core.http.Request`: an HTTP request with the response as an output. */
import type { JsonObject } from "../../base/json.ts";
import { shownUri } from "../../base/network/shown_uri.ts";
import { isFlagSet } from "../../base/text/truthy_text.ts";
import { dynamicFlag } from "../../model/flows/schema.ts";
import { ENCRYPT_BODY, HTTP_REQUEST_OUTPUTS, HTTP_REQUEST_PROPERTIES } from "../../model/http/http_schema.ts";
import { responseText } from "../../model/http/http_text.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { exchange, headerLists } from "./exchange.ts";

/** Outputs: `uri`, `code`, `headers` and `body`. */
export const httpRequestTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  runsOnWorkers: true,
  type: "core.http.Request",
  aliases: ["fs.http.Request"],
  description: "Sends an HTTP request and returns the response as outputs.",
  properties: {
    ...HTTP_REQUEST_PROPERTIES,
    allowFailed: dynamicFlag(false, "Whether a response with a status code of 400 or more is a success."),
    encryptBody: ENCRYPT_BODY,
  },
  outputs: HTTP_REQUEST_OUTPUTS,
  async run(properties, context) {
    const { response, draft } = await exchange(properties, context);
    const body = await responseText(response, draft.response.defaultCharset);
    if (draft.response.logs.has("RESPONSE_BODY")) context.log("INFO", `Response body: ${body}`);
    const tags = { "request.method": draft.method, "response.code": String(response.code) };
    context.metric({ name: "response.length", type: "counter", value: body.length, tags });
    const uri = shownUri(draft.uri); // Outputs are stored in clear.
    const outputs: JsonObject = { uri, code: response.code, headers: headerLists(response) };
    if (isFlagSet(properties.encryptBody)) outputs.encryptedBody = context.ports.cipher.seal(context, body);
    else outputs.body = body;
    return { state: "SUCCESS", outputs };
  },
};
