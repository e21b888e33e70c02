/** The API of dbt Cloud. https://docs.getdbt.com/dbt-cloud/api-v2 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { tryParseLongJson, tryParseShortJson } from "../../base/json_turns.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import {
  optionalText,
  type TaskRequest,
  type TaskResponse,
  type WorkContext,
} from "../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf, type Sender } from "../http_calls.ts";

/** Properties of all types of dbt Cloud. */
export const CONNECTION: PropertySchemas = Object.freeze({
  accountId: dynamicText("Id of the account.", { required: true }),
  token: dynamicText("API key or service token; keep it as a secret.", { required: true }),
  baseUrl: dynamicText("URL of dbt Cloud; accounts with a host of their own have another one.", {
    default: "https://cloud.getdbt.com",
  }),
  maxRetries: dynamicProperty("integer", "How often a request is repeated after a passing error.", {
    ignored: true,
  }),
  initialDelayMs: dynamicProperty("integer", "Milliseconds before the first repetition.", { ignored: true }),
});

/** A request to the account. */
interface CloudRequest extends Pick<TaskRequest, "method" | "json" | "saveTo"> {
  /** After that of the account, with a slash at its beginning. */
  readonly path: string;
  /** For errors: verb and object. */
  readonly operation: string;
  /** Statuses that are no errors. */
  readonly accepted?: readonly number[];
}

/** Sends requests with the token of the task. */
export class DbtCloud {
  readonly #context: Pick<WorkContext, "properties"> & Sender;

  constructor(context: Pick<WorkContext, "properties"> & Sender) {
    this.#context = context;
  }

  /** The response. Only reads are repeated. @throws Error the request is refused; the message has the words of dbt Cloud */
  async send({ path, operation, accepted = [], ...request }: CloudRequest): Promise<TaskResponse> {
    const { baseUrl, accountId, token } = this.#context.properties;
    const base = String(baseUrl).replace(/(?<!\/)\/+$/, "");
    const url = `${base}/api/v2/accounts/${encodeURIComponent(String(accountId))}${path}`;
    const isRepeatable = request.method === undefined;
    const headers = { Accept: "application/json", Authorization: `Token ${token}` };
    const send = () => ({ ...request, url, headers });
    const response = await callRepeatedly(this.#context, send, { isRepeatable });
    const { status, text } = response;
    if (status < 300 || accepted.includes(status)) return response;
    throw refusalOf({ operation, url, status, words: wordsOf(text) });
  }

  /** The `data` of a response. @throws Error as {@link send}, or the response has none */
  async read(request: CloudRequest): Promise<JsonObject> {
    const { text } = await this.send(request);
    const body = await tryParseLongJson(text);
    if (isJsonObject(body) && isJsonObject(body.data)) return body.data;
    throw new Error(`Cannot ${request.operation}: the response has no "data"`);
  }
}

function wordsOf(text: string): string {
  const body = tryParseShortJson(text);
  const status = isJsonObject(body) && isJsonObject(body.status) ? body.status : {};
  return optionalText(status.user_message) ?? text;
}
