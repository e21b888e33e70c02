/** Requests to the API of Elasticsearch and OpenSearch, which is the same for what is used here. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  stringifyJson,
  tryParseJson,
} from "../../base/json.ts";
import { tryParseLongJson, tryParseShortJson } from "../../base/json_turns.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { basicCredentials } from "../../model/http/http_request.ts";
import { optionalText, type TaskResponse, type WorkContext } from "../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf } from "../http_calls.ts";

/** Which engine a type is for. */
export interface EngineKind {
  /** First word of the types. */
  readonly prefix: "elasticsearch" | "opensearch";
  readonly title: string;
}

/** A request. */
export interface EngineRequest {
  /** Verb and object, for errors. */
  readonly operation: string;
  readonly method: string;
  /** Encoded, without a slash at the beginning. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** A value is sent as JSON, a text as it is. */
  readonly body?: JsonValue;
  readonly contentType?: string;
  /** A second request has the same effect as one. */
  readonly isRepeatable?: boolean;
  /** Responses from 400 on that are no refusal. */
  readonly accepts?: readonly number[];
}

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;
const FIRST_ERROR = 400;

/** Properties of each type. */
export function connectionProperties({ prefix, title }: EngineKind): PropertySchemas {
  return Object.freeze({
    connection: dynamicProperty("object", `The servers of ${title}.`, {
      required: true,
      properties: {
        hosts: dynamicProperty(
          "list",
          "Addresses, for example `https://search.example.com:9200`. Reads try one after the other.",
          {
            required: true,
            items: { type: "string", dynamic: true, description: "An address." },
          },
        ),
        basicAuth: dynamicProperty("object", "User of the servers.", {
          properties: {
            username: dynamicText("Name of the user."),
            password: dynamicText("Password; keep it as a secret."),
          },
        }),
        headers: dynamicProperty(
          "list",
          "Headers of each request, `Name: value`; keep credentials as secrets.",
          {
            items: { type: "string", dynamic: true, description: "A header." },
          },
        ),
        pathPrefix: dynamicText("Beginning of each path, behind a proxy."),
        strictDeprecationMode: dynamicFlag(false, "Whether a warning of the server fails the task."),
        trustAllSsl: dynamicFlag(false, "Whether any certificate of the server is accepted."),
        ...prefix === "elasticsearch" && {
          targetServerVersion: dynamicProperty("integer", "Has no effect: requests work with each version.", {
            ignored: true,
          }),
        },
      },
    }),
    routing: dynamicText("Text that chooses the shard, in place of the id."),
  });
}

/** A client for the properties of the work. */
export class EngineClient {
  readonly #context: Pick<WorkContext, "http" | "signal">;
  readonly #connection: JsonObject;
  readonly #bases: readonly string[];

  /** @throws Error an address is invalid */
  constructor(context: Pick<WorkContext, "http" | "signal" | "properties">) {
    const { connection } = context.properties;
    this.#context = context;
    this.#connection = isJsonObject(connection) ? connection : {};
    const { hosts } = this.#connection;
    const prefix = (optionalText(this.#connection.pathPrefix) ?? "").replace(/^\/|\/$/g, "");
    this.#bases = (Array.isArray(hosts) ? hosts.map(String) : []).map((host) => baseOf(host, prefix));
    if (this.#bases.length === 0) throw new Error("Missing hosts: give an address");
  }

  /** The response. @throws Error no server responds, or it refuses; with its words */
  async send(request: EngineRequest): Promise<TaskResponse> {
    const { isRepeatable = false, operation, accepts = [] } = request;
    const bases = isRepeatable ? this.#bases : this.#bases.slice(0, 1);
    let failure: unknown;
    for (const base of bases) {
      const url = urlOf(base, request);
      let response: TaskResponse;
      try {
        response = await callRepeatedly(this.#context, () => this.#requestOf(url, request), { isRepeatable });
      } catch (error) {
        failure = error;
        continue;
      }
      const { status } = response;
      if (status >= FIRST_ERROR && !accepts.includes(status)) {
        throw refusalOf({ operation, url, status, words: wordsOf(response.text) });
      }
      this.#check(response, { operation, url });
      return response;
    }
    throw failure;
  }

  /** The map of a response. @throws Error as {@link send}, or the response is no map */
  async call(request: EngineRequest): Promise<JsonObject> {
    const value = await tryParseLongJson((await this.send(request)).text);
    if (isJsonObject(value)) return value;
    throw new Error(`Cannot ${request.operation}: the response is no JSON`);
  }

  #check({ headers, status }: TaskResponse, { operation, url }: { operation: string; url: string }): void {
    if (this.#connection.strictDeprecationMode !== true || headers.warning === undefined) return;
    throw refusalOf({ operation, url, status, words: headers.warning });
  }

  #requestOf(url: string, { method, body, contentType = "application/json" }: EngineRequest) {
    return {
      url,
      method,
      headers: { ...this.#headers(), ...body !== undefined && { "content-type": contentType } },
      ...body !== undefined && { body: typeof body === "string" ? body : stringifyJson(body) },
      // Another host must not get the credentials.
      followRedirects: false,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      ...this.#connection.trustAllSsl === true && { tls: { isInsecure: true } },
    };
  }

  #headers(): Record<string, string> {
    const { basicAuth, headers } = this.#connection;
    const given = (Array.isArray(headers) ? headers.map(String) : []).map((line) => {
      const at = line.indexOf(":");
      if (at < 1) throw new Error('Invalid headers: each must be "Name: value"');
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()] as const;
    });
    const user = isJsonObject(basicAuth) ? optionalText(basicAuth.username) : undefined;
    const password = isJsonObject(basicAuth) ? optionalText(basicAuth.password) ?? "" : "";
    return {
      accept: "application/json",
      ...user !== undefined && { authorization: basicCredentials(user, password) },
      ...Object.fromEntries(given),
    };
  }
}

function baseOf(host: string, prefix: string): string {
  const url = URL.parse(host.trim());
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Error("Invalid hosts: each must begin with http:// or https://");
  }
  return `${url.origin}/${prefix === "" ? "" : `${prefix}/`}`;
}

function urlOf(base: string, { path, query = {} }: EngineRequest): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(given).toString();
  return `${base}${path.replace(/^\//, "")}${search && `${path.includes("?") ? "&" : "?"}${search}`}`;
}

function wordsOf(text: string): string {
  const value = tryParseShortJson(text);
  const error = isJsonObject(value) ? value.error : undefined;
  if (isJsonObject(error)) {
    const words = [error.reason ?? error.type, error.details].map(optionalText);
    return words.filter((word) => word !== undefined).join(": ");
  }
  return typeof error === "string" ? error : text;
}

/** A map that a property gives, or its JSON. @throws Error it is something else */
export function mapOf(name: string, given: JsonValue | undefined): JsonObject {
  const value = typeof given === "string" ? tryParseJson(given) : given;
  if (isJsonObject(value)) return value;
  throw new Error(`Invalid ${name}: it must be a map or its JSON`);
}
