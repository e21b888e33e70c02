/** `core.http.Request`: an HTTP request whose answer becomes an output. */
import { ENCRYPT_BODY, HTTP_REQUEST_OUTPUTS, HTTP_REQUEST_PROPERTIES } from "../../model/http_schema.ts";
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Outputs: `uri`, `code`, `headers` and `body`. */
export const httpRequestTask: PlannedTaskType = {
  form: "planned",
  type: "core.http.Request",
  aliases: ["fs.http.Request"],
  description: "Sends an HTTP request and gives its answer as outputs.",
  properties: {
    ...HTTP_REQUEST_PROPERTIES,
    allowFailed: {
      type: "boolean",
      dynamic: true,
      default: false,
      description: "Whether an answer with a code of 400 or more is a success.",
    },
    encryptBody: ENCRYPT_BODY,
  },
  outputs: HTTP_REQUEST_OUTPUTS,
};
