/** `core.http.Download`: an HTTP request whose answer becomes a file. */
import { HTTP_REQUEST_PROPERTIES, HTTP_RESPONSE_OUTPUTS } from "../../model/http_schema.ts";
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Outputs: `uri`, `code`, `length` and `headers`. */
export const httpDownloadTask: PlannedTaskType = {
  form: "planned",
  type: "core.http.Download",
  aliases: ["fs.http.Download"],
  description: "Sends an HTTP request and stores its answer as a file.",
  properties: {
    ...HTTP_REQUEST_PROPERTIES,
    failOnEmptyResponse: {
      type: "boolean",
      dynamic: true,
      default: true,
      description: "Whether an empty answer is a failure.",
    },
    allowFailed: {
      type: "boolean",
      dynamic: true,
      default: false,
      description: "Whether an answer with a code of 400 or more is a success.",
    },
    saveAs: {
      type: "string",
      dynamic: true,
      description: "Name of the file; without it the one of the answer.",
    },
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the file." },
    ...HTTP_RESPONSE_OUTPUTS,
    length: { type: "integer", description: "Size of the file in bytes." },
  },
};
