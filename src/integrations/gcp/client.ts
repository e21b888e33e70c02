/** The REST APIs of Google Cloud. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf } from "../../base/json.ts";
import { tryParseLongJson, tryParseShortJson } from "../../base/json_turns.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import {
  optionalText,
  type TaskRequest,
  type TaskResponse,
  type WorkContext,
} from "../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf } from "../http_calls.ts";
import { type AccessToken, accessToken, readKey } from "./access_token.ts";

const ALL_SCOPES = "https://www.googleapis.com/auth/cloud-platform";

/** Properties of all types of Google Cloud. */
export const CONNECTION: PropertySchemas = Object.freeze({
  projectId: dynamicText("Id of the project; default is the one of the service account."),
  serviceAccount: dynamicText("JSON key of a service account; keep it as a secret."),
  impersonatedServiceAccount: dynamicText("Mail address of a service account to act as."),
  scopes: dynamicProperty("list", "Scopes of the access token.", {
    default: [ALL_SCOPES],
    items: { type: "string", description: "A scope." },
  }),
  endpointOverride: dynamicText("URL of an emulator, in place of Google's servers; needs no credentials."),
});

/** What the client needs of an attempt or a poll. */
type GcpContext = Pick<WorkContext, "properties" | "http" | "signal">;

/** A request to an API. */
export interface GcpRequest extends Pick<TaskRequest, "method" | "json" | "headers" | "bodyFile" | "saveTo"> {
  /** First part of the name of the host. */
  readonly api: "storage" | "bigquery" | "bigquerydatatransfer" | "pubsub" | "sheets" | "www";
  /** Begins with a slash; names in it are encoded. */
  readonly path: string;
  /** Members without a value are left out. */
  readonly query?: Readonly<Record<string, JsonValue | undefined>>;
  /** For errors: verb and object. */
  readonly operation: string;
  /** Default is true, but not for POST. */
  readonly isRepeatable?: boolean;
  /** Statuses from 400 that are no errors. */
  readonly accepted?: readonly number[];
}

/** Largest response that is kept in memory: a page of rows. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** A query, or the copy of an object, responds late. */
const TIMEOUT_MS = 120_000;

/** Sends requests with the credentials that the properties give. */
export class GcpClient {
  readonly #context: GcpContext;

  constructor(context: GcpContext) {
    this.#context = context;
  }

  /** The project. @throws Error neither a property nor the key names one */
  get projectId(): string {
    const { projectId, serviceAccount } = this.#context.properties;
    const key = optionalText(serviceAccount);
    const found = optionalText(projectId) ??
      (key === undefined ? undefined : optionalText(readKey(key).project_id));
    if (found === undefined) {
      throw new Error("Missing projectId: neither the task nor its service account names one");
    }
    return found;
  }

  /** The body of the response, an object. @throws Error no response, or one that refuses the request */
  async json(request: GcpRequest): Promise<JsonObject> {
    const { text } = await this.send(request);
    const body = await tryParseLongJson(text);
    return body !== undefined && isJsonObject(body) ? body : {};
  }

  /** The response. @throws Error as {@link json} */
  async send(request: GcpRequest): Promise<TaskResponse> {
    const url = this.#urlOf(request);
    const { method = request.json === undefined ? "GET" : "POST", operation, accepted = [] } = request;
    const response = await this.sendTo({ ...request, method, url });
    if (response.status < 400 || accepted.includes(response.status)) return response;
    throw refusalOf({ operation, url, status: response.status, words: wordsOf(response.text) });
  }

  /** Sends to a whole URL, whatever the status of the response. */
  async sendTo(
    { url, method, json, headers, bodyFile, saveTo, isRepeatable = method !== "POST" }:
      & Omit<GcpRequest, "api" | "path" | "operation">
      & { readonly url: string },
  ): Promise<TaskResponse> {
    const token = await this.#token();
    const authorization: Record<string, string> = token ? { Authorization: `Bearer ${token.text}` } : {};
    return await callRepeatedly(this.#context, () => ({
      url,
      method,
      headers: { ...authorization, ...headers },
      json,
      bodyFile,
      saveTo,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
    }), { isRepeatable });
  }

  /** A token for the properties. @throws Error no credentials are given, or they are refused */
  async token(): Promise<AccessToken> {
    const { serviceAccount, impersonatedServiceAccount, scopes } = this.#context.properties;
    const key = optionalText(serviceAccount);
    if (key === undefined) {
      throw new Error(
        "Missing serviceAccount: give the JSON key of a service account; the credentials of the server are not used",
      );
    }
    return await accessToken(this.#context, {
      key,
      scopes: Array.isArray(scopes) ? scopes.map(String) : [ALL_SCOPES],
      impersonated: optionalText(impersonatedServiceAccount),
    });
  }

  async #token(): Promise<AccessToken | undefined> {
    const { serviceAccount, endpointOverride } = this.#context.properties;
    const isEmulator = optionalText(endpointOverride) !== undefined &&
      optionalText(serviceAccount) === undefined;
    return isEmulator ? undefined : await this.token();
  }

  #urlOf({ api, path, query = {} }: GcpRequest): string {
    const override = optionalText(this.#context.properties.endpointOverride)?.replace(/(?<!\/)\/+$/, "");
    const root = override ?? `https://${api}.googleapis.com`;
    const given = Object.entries(query).flatMap(([name, value]) => {
      const text = optionalText(value);
      return text === undefined ? [] : [[name, text]];
    });
    const search = new URLSearchParams(given).toString();
    return `${root}${path}${search && `?${search}`}`;
  }
}

/** What Google says in an error: `error.message`, and the reasons of which there is more than the message. */
export function wordsOf(text: string): string {
  const body = tryParseShortJson(text);
  const error = body !== undefined && isJsonObject(body) ? body.error : undefined;
  if (!isJsonObject(error)) return text;
  const reasons = objectsOf(error.errors).map(({ reason }) => reason).filter((reason) =>
    typeof reason === "string"
  );
  const words = optionalText(error.message) ?? text;
  return reasons.length === 0 ? words : `${words} (${[...new Set(reasons)].join(", ")})`;
}
