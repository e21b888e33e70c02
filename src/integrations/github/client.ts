/** The REST API of GitHub. https://docs.github.com/en/rest */
import { isJsonObject, type JsonObject, objectsOf } from "../../base/json.ts";
import { tryParseLongJson, tryParseShortJson } from "../../base/json_turns.ts";
import { dynamicText, type PropertySchema, type PropertySchemas } from "../../model/flows/schema.ts";
import {
  optionalText,
  type TaskRequest,
  type TaskResponse,
  type WorkContext,
} from "../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf } from "../http_calls.ts";

const DEFAULT_ENDPOINT = "https://api.github.com";

/** Property: URL of the API. */
export const ENDPOINT: PropertySchema = dynamicText(
  "URL of the API of GitHub Enterprise, such as `https://github.example.com/api/v3`.",
  { default: DEFAULT_ENDPOINT },
);

/** Properties of all types but that which gets a token. */
export const CONNECTION: PropertySchemas = Object.freeze({
  login: dynamicText("Has no effect: the token names the user.", { ignored: true }),
  oauthToken: dynamicText("Personal access token or OAuth token; keep it as a secret."),
  appInstallationToken: dynamicText("Token of an installation of a GitHub App, such as AppToken gets."),
  jwtToken: dynamicText("JWT of a GitHub App; keep it as a secret."),
  endpoint: ENDPOINT,
});

/** Property: a repository. */
export const REPOSITORY: PropertySchema = dynamicText("Repository, as `owner/name`.", { required: true });

/** A request to the API. */
interface GithubRequest extends Pick<TaskRequest, "method" | "json"> {
  /** Begins with a slash; names in it are encoded. */
  readonly path: string;
  /** Members without a value are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** For errors: verb and object. */
  readonly operation: string;
  /** Text of the `Authorization` header after `Bearer`; default is the one of the properties. */
  readonly token?: string;
  /** Default is true, but not for POST. */
  readonly isRepeatable?: boolean;
}

/** Sends requests with the token that the properties give; without one, as a user who is not logged in. */
export class GithubClient {
  readonly #context: Pick<WorkContext, "properties" | "http" | "signal">;

  constructor(context: Pick<WorkContext, "properties" | "http" | "signal">) {
    this.#context = context;
  }

  /** Whether a token is given. */
  get hasToken(): boolean {
    return this.#token !== undefined;
  }

  get #token(): string | undefined {
    const { oauthToken, appInstallationToken, jwtToken } = this.#context.properties;
    return optionalText(oauthToken) ?? optionalText(appInstallationToken) ?? optionalText(jwtToken);
  }

  get #endpoint(): string {
    return (optionalText(this.#context.properties.endpoint) ?? DEFAULT_ENDPOINT).replace(/(?<!\/)\/+$/, "");
  }

  /** The body of the response, an object. @throws Error no response, or one that refuses the request */
  async call({ path, query = {}, ...request }: GithubRequest): Promise<JsonObject> {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]]
    );
    const search = new URLSearchParams(given).toString();
    return await this.#send(`${this.#endpoint}${path}${search && `?${search}`}`, request);
  }

  /** The data of a query of GraphQL. @throws Error as {@link call}, or the query is refused */
  async query(query: string, variables: JsonObject, operation: string): Promise<JsonObject> {
    const url = `${this.#endpoint.replace(/\/api\/v3$/, "/api")}/graphql`;
    const { data, errors } = await this.#send(url, {
      method: "POST",
      json: { query, variables },
      operation,
      isRepeatable: true,
    });
    const [error] = objectsOf(errors);
    if (error) {
      throw new Error(
        `Cannot ${operation} at "${new URL(url).host}": ${optionalText(error.message) ?? "error"}`,
      );
    }
    return isJsonObject(data) ? data : {};
  }

  async #send(url: string, request: Omit<GithubRequest, "path" | "query">): Promise<JsonObject> {
    const { method = request.json === undefined ? "GET" : "POST", json, operation, isRepeatable } = request;
    const token = request.token ?? this.#token;
    const response = await callRepeatedly(this.#context, () => ({
      url,
      method,
      headers: {
        Accept: "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
        ...token === undefined ? {} : { Authorization: `Bearer ${token}` },
      },
      json,
    }), { isRepeatable: isRepeatable ?? method !== "POST" });
    const body = await tryParseLongJson(response.text);
    if (response.status < 300) return body !== undefined && isJsonObject(body) ? body : {};
    throw refusalOf({ operation, url, status: response.status, words: wordsOf(response) });
  }
}

/** What GitHub says in an error: `message`, and the fields that are wrong. */
function wordsOf({ text }: TaskResponse): string {
  const body = tryParseShortJson(text);
  if (body === undefined || !isJsonObject(body)) return text;
  const details = objectsOf(body.errors).map(({ resource, field, code, message }) =>
    optionalText(message) ?? [resource, field, code].filter(Boolean).join(" ")
  );
  const words = optionalText(body.message) ?? text;
  return details.length === 0 ? words : `${words} (${details.join(", ")})`;
}

/** The path of a repository. @throws Error it is not `owner/name` */
export function repositoryPath(repository: string): string {
  const [owner, name, ...more] = repository.split("/");
  if (owner && name && more.length === 0) {
    return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  }
  throw new Error(`Invalid repository: "${repository}" is not owner/name`);
}

/** The texts of a list; no list for one without elements. */
export function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined;
}
