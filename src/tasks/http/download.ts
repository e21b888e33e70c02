/** `core.http.Download`: an HTTP request with the response as a file. */
import type { JsonObject } from "../../base/json.ts";
import { shownUri } from "../../base/network/shown_uri.ts";
import { isFlagSet } from "../../base/text/truthy_text.ts";
import { dynamicFlag, dynamicText } from "../../model/flows/schema.ts";
import { HTTP_REQUEST_PROPERTIES, HTTP_RESPONSE_OUTPUTS } from "../../model/http/http_schema.ts";
import { MAX_FILE_NAME_LENGTH } from "../../model/limits.ts";
import { headerOf, type HttpResponse } from "../../model/ports/http.ts";
import { percentDecoded } from "../../model/http/percent_decoding.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { exchange, headerLists } from "./exchange.ts";

/** Outputs: `uri`, `code`, `length` and `headers`. */
export const httpDownloadTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  runsOnWorkers: true,
  type: "core.http.Download",
  aliases: ["fs.http.Download"],
  description: "Sends an HTTP request and stores the response as a file.",
  properties: {
    ...HTTP_REQUEST_PROPERTIES,
    failOnEmptyResponse: dynamicFlag(true, "Whether an empty response is a failure."),
    allowFailed: dynamicFlag(false, "Whether a response with a status code of 400 or more is a success."),
    saveAs: dynamicText("Name of the file; default is the one in the response."),
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the file." },
    ...HTTP_RESPONSE_OUTPUTS,
    length: { type: "integer", description: "Size of the file in bytes." },
  },
  async run(properties, context) {
    // The storage limits the size.
    const { response, draft } = await exchange(properties, context, { maxBytes: Infinity });
    const name = fileName(properties, response);
    const { uri, size } = await context.ports.storage.write(context, name, response.body);
    const tags = { "request.method": draft.method };
    context.metric({ name: "response.length", type: "counter", value: size, tags });
    if (size === 0) noteEmpty(properties, context, draft.response.allowedCodes === undefined);
    return {
      state: "SUCCESS",
      outputs: { uri, code: response.code, headers: headerLists(response), length: size },
    };
  },
};

function noteEmpty({ uri, failOnEmptyResponse }: JsonObject, context: RunContext, mayFail: boolean): void {
  const message = `No response from server: the response of "${shownUri(String(uri))}" is empty`;
  if (isFlagSet(failOnEmptyResponse) && !mayFail) {
    throw new Error(`${message}; set \`failOnEmptyResponse\` to false to allow that`);
  }
  context.log("WARN", message);
}

/** `saveAs`, else the name in the response, else the extension of the URI. */
function fileName({ saveAs, uri }: JsonObject, { headers }: HttpResponse): string {
  const given = typeof saveAs === "string" && saveAs !== "" ? saveAs : undefined;
  const named = given ?? dispositionName(headerOf(headers, "content-disposition") ?? "");
  const name = named?.replace(/^.*[\\/]/s, "").replace(/[^\p{L}\p{N}._-]+/gu, "_");
  // A name is not longer, and the expression takes quadratic time.
  const end = new URL(String(uri)).pathname.slice(-MAX_FILE_NAME_LENGTH);
  return name || (/(?:\.[A-Za-z0-9_-]+)+$/.exec(end)?.[0] ?? "");
}

function dispositionName(header: string): string | undefined {
  const encoded = /\bfilename\*\s*=\s*UTF-8'[^']*'([^;\s]+)/i.exec(header)?.[1];
  const decoded = encoded && percentDecoded(encoded);
  if (decoded) return decoded;
  const [, quoted, bare] = /\bfilename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(header) ?? [];
  return quoted?.replace(/\\(.)/g, "$1") ?? bare?.trim();
}
