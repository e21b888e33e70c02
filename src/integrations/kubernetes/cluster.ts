/** The API of a Kubernetes cluster. https://kubernetes.io/docs/reference/using-api/ */
import { isJsonObject, type JsonObject, stringifyJson } from "../../base/json.ts";
import { tryParseLongJson, tryParseShortJson } from "../../base/json_turns.ts";
import { basicCredentials } from "../../model/http/http_request.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import {
  optionalText,
  type TaskRequest,
  type TaskResponse,
  type TaskTls,
  type WorkContext,
} from "../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf } from "../http_calls.ts";

const NOT_FOUND = 404;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Properties of all types: `connection` and `namespace`. */
export const CLUSTER: PropertySchemas = Object.freeze({
  connection: dynamicProperty("object", "How the cluster is reached.", {
    required: true,
    properties: {
      masterUrl: dynamicText("URL of the API server.", { required: true }),
      oauthToken: dynamicText("Token, such as that of a service account."),
      username: dynamicText("User name, with `password` in place of a token."),
      password: dynamicText("Password of the user."),
      caCertData: dynamicText("Certificate of the authority of the API server: PEM, or PEM as base64."),
      clientCertData: dynamicText("Certificate of the client: PEM, or PEM as base64."),
      clientKeyData: dynamicText("Key of that certificate: PEM, or PEM as base64."),
      trustCerts: dynamicFlag(false, "Whether any certificate of the API server is accepted."),
      apiVersion: dynamicText("Version of the API.", { ignored: true }),
      namespace: dynamicText("Namespace of tasks that name none."),
    },
  }),
  namespace: dynamicText("Namespace of the resources; by default that of the connection, else `default`."),
});

/** A request to the API server. */
interface ClusterRequest extends Pick<TaskRequest, "method"> {
  /** With a slash at its beginning. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject | string;
  readonly contentType?: string;
  /** For errors: verb and object. */
  readonly operation: string;
  /** The same request again has the same effect; default is true, but not for POST. */
  readonly isRepeatable?: boolean;
}

/** What requests need of a task. */
type ClusterContext = Pick<WorkContext, "properties" | "http" | "signal">;

/** Sends requests with the credentials of the task. */
export class Cluster {
  readonly #context: ClusterContext;
  readonly #connection: JsonObject;

  constructor(context: ClusterContext) {
    const { connection } = context.properties;
    this.#context = context;
    this.#connection = isJsonObject(connection) ? connection : {};
  }

  /** The namespace of the resources of the task. */
  get namespace(): string {
    return optionalText(this.#context.properties.namespace) ?? optionalText(this.#connection.namespace) ??
      "default";
  }

  /** The object of a response. @throws Error the request is refused; the message has the words of the API server */
  async call(request: ClusterRequest): Promise<JsonObject> {
    return await objectIn(this.#accepted(request, await this.#send(request)));
  }

  /** As {@link call}; `undefined` if there is no such resource. */
  async find(request: ClusterRequest): Promise<JsonObject | undefined> {
    const response = await this.#send(request);
    return response.status === NOT_FOUND ? undefined : await objectIn(this.#accepted(request, response));
  }

  /** The text of a response. @throws Error as {@link call} */
  async read(request: ClusterRequest): Promise<string> {
    return this.#accepted(request, await this.#send(request)).text;
  }

  /** The request with its URL and credentials. */
  requestOf(request: ClusterRequest): TaskRequest & { readonly headers: Readonly<Record<string, string>> } {
    const { method = "GET", body, contentType = "application/json" } = request;
    const headers: Record<string, string> = { Accept: "application/json, */*", ...this.#credentials() };
    if (body !== undefined) headers["Content-Type"] = contentType;
    return {
      url: this.#urlOf(request),
      method,
      headers,
      body: body === undefined || typeof body === "string" ? body : stringifyJson(body),
      tls: this.#tls(),
      maxBytes: MAX_RESPONSE_BYTES,
    };
  }

  async #send(request: ClusterRequest): Promise<TaskResponse> {
    const { method = "GET", isRepeatable = method !== "POST" } = request;
    return await callRepeatedly(this.#context, () => this.requestOf(request), { isRepeatable });
  }

  #accepted({ operation, ...request }: ClusterRequest, response: TaskResponse): TaskResponse {
    const { status, text } = response;
    if (status < 300) return response;
    const body = tryParseShortJson(text);
    const words = (isJsonObject(body) ? optionalText(body.message) : undefined) ?? text;
    throw refusalOf({ operation, url: this.#urlOf({ operation, ...request }), status, words });
  }

  #urlOf({ path, query }: ClusterRequest): string {
    const base = String(this.#connection.masterUrl).replace(/(?<!\/)\/+$/, "");
    return query ? `${base}${path}?${new URLSearchParams(query)}` : `${base}${path}`;
  }

  #credentials(): Record<string, string> {
    const { oauthToken, username, password } = this.#connection;
    if (oauthToken) return { Authorization: `Bearer ${oauthToken}` };
    if (!username) return {};
    return { Authorization: basicCredentials(String(username), String(password ?? "")) };
  }

  #tls(): TaskTls {
    const { caCertData, clientCertData, clientKeyData, trustCerts } = this.#connection;
    return {
      ca: pemOf(caCertData, "caCertData"),
      certificate: pemOf(clientCertData, "clientCertData"),
      key: pemOf(clientKeyData, "clientKeyData"),
      isInsecure: trustCerts === true,
    };
  }
}

async function objectIn({ text }: TaskResponse): Promise<JsonObject> {
  const value = await tryParseLongJson(text);
  return isJsonObject(value) ? value : {};
}

/** @throws Error it is neither PEM nor base64; the message has nothing of it */
function pemOf(value: JsonObject[string] | undefined, name: string): string | undefined {
  const text = optionalText(value);
  if (text === undefined || text.includes("-----BEGIN")) return text;
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(text.replace(/\s/g, "")));
  } catch {
    throw new Error(`Invalid ${name}: it must be PEM, or PEM as base64`);
  }
}
