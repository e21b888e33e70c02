/**
 * The REST API of Azure Cosmos DB for NoSQL. https://learn.microsoft.com/en-us/rest/api/cosmos-db/
 * Requests carry a signature with the key of the account, or a token of Microsoft Entra.
 */
import { systemClock } from "../../../base/time/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../../../base/json.ts";
import { tryParseLongJson, tryParseShortJson } from "../../../base/json_turns.ts";
import { dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import { optionalText, type TaskContext, type TaskResponse } from "../../../model/tasks/task_definition.ts";
import { callRepeatedly, parsedUrl, refusalOf } from "../../http_calls.ts";
import { connectionParts, hmac } from "../storage_client.ts";

/** Properties of all types of Cosmos DB. */
export const COSMOS: PropertySchemas = Object.freeze({
  endpoint: dynamicText("URL of the account, such as `https://account.documents.azure.com`."),
  connectionString: dynamicText(
    "`AccountEndpoint=…;AccountKey=…`, instead of an application; keep it as a secret.",
  ),
  tenantId: dynamicText("Id of the tenant of Microsoft Entra."),
  clientId: dynamicText("Id of the application."),
  clientSecret: dynamicText("Secret of the application; keep it as a secret."),
  databaseId: dynamicText("Name of the database.", { required: true }),
  containerId: dynamicText("Name of the container.", { required: true }),
});

/** A request about a container. */
interface CosmosRequest {
  readonly method: string;
  /** Below the container: `docs`, or nothing. */
  readonly feed?: "docs";
  /** Of an item. */
  readonly id?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For errors: verb and object. */
  readonly operation: string;
  readonly isRepeatable: boolean;
  /** Statuses from 400 that are no errors. */
  readonly accepted?: readonly number[];
}

/** Where the token of an application comes from. */
const LOGIN = "https://login.microsoftonline.com";
const VERSION = "2018-12-31";
const TIMEOUT_MS = 120_000;
/** Of a page, which is parsed in one turn. Cosmos DB gives 4 MB at most. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** Sends requests about one container with the credentials that the properties give. */
export class CosmosClient {
  readonly #context: TaskContext;
  readonly #endpoint: string;
  readonly #key: Uint8Array<ArrayBuffer> | undefined;
  #token: string | undefined;

  /** @throws Error the properties name no account, or give no credentials */
  constructor(context: TaskContext) {
    const { endpoint, connectionString, tenantId, clientId, clientSecret } = context.properties;
    const parts = connectionParts(optionalText(connectionString) ?? "");
    const found = optionalText(endpoint) ?? parts.get("AccountEndpoint");
    if (found === undefined) {
      throw new Error("Missing endpoint: neither it nor connectionString names the account");
    }
    const key = parts.get("AccountKey");
    const hasApplication = [tenantId, clientId, clientSecret].every((each) =>
      optionalText(each) !== undefined
    );
    if (key === undefined && !hasApplication) {
      throw new Error(
        "Missing credentials: give connectionString, or tenantId, clientId and clientSecret; the identity of the server " +
          "is not used",
      );
    }
    this.#context = context;
    this.#endpoint = found.replace(/(?<!\/)\/+$/, "");
    this.#key = key === undefined ? undefined : keyBytes(key);
  }

  /** The response. @throws Error no response, or one that refuses the request */
  async send(request: CosmosRequest): Promise<TaskResponse> {
    const { method, body, operation, isRepeatable, accepted = [] } = request;
    const { databaseId, containerId } = this.#context.properties;
    // A signature covers the names as they are, the path has them encoded.
    const names = ["dbs", String(databaseId), "colls", String(containerId)];
    const item = request.id === undefined ? [] : ["docs", request.id];
    const feed = request.id === undefined && request.feed ? [request.feed] : [];
    const path = [...names, ...item, ...feed].map(encodeURIComponent).join("/");
    const url = `${this.#endpoint}/${path}`;
    const resource = { type: request.feed ?? "colls", link: [...names, ...item].join("/") };
    const response = await callRepeatedly(this.#context, async () => ({
      url,
      method,
      headers: { ...await this.#headers(method, resource), ...request.headers },
      ...body === undefined ? {} : { body },
      followRedirects: false,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
    }), { isRepeatable });
    if (response.status < 300 || accepted.includes(response.status)) return response;
    throw refusalOf({ operation, url, status: response.status, words: wordsOf(response.text) });
  }

  async #headers(
    method: string,
    { type, link }: { readonly type: string; readonly link: string },
  ): Promise<Record<string, string>> {
    const date = new Date(systemClock.now()).toUTCString();
    const text = [method.toLowerCase(), type, link, date.toLowerCase(), "", ""].join("\n");
    const authorization = this.#key
      ? `type=master&ver=1.0&sig=${await hmac(this.#key, text)}`
      : `type=aad&ver=1.0&sig=${this.#token ??= await this.#newToken()}`;
    return {
      Accept: "application/json",
      Authorization: encodeURIComponent(authorization),
      "x-ms-date": date,
      "x-ms-version": VERSION,
    };
  }

  /** https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
  async #newToken(): Promise<string> {
    const { tenantId, clientId, clientSecret } = this.#context.properties;
    const url = `${LOGIN}/${encodeURIComponent(String(tenantId))}/oauth2/v2.0/token`;
    const { status, text } = await callRepeatedly(this.#context, () => ({
      url,
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: String(clientId),
        client_secret: String(clientSecret),
        scope: `${parsedUrl(this.#endpoint).origin}/.default`,
      }).toString(),
      followRedirects: false,
    }), { isRepeatable: true });
    const body = tryParseShortJson(text);
    const token = isJsonObject(body) ? optionalText(body.access_token) : undefined;
    if (status === 200 && token !== undefined) return token;
    const words = isJsonObject(body) ? optionalText(body.error_description) : undefined;
    throw refusalOf({
      operation: "get a token for Cosmos DB",
      url,
      status,
      words: words ?? "there is no token",
    });
  }
}

/** What responses tell of a request. */
export function chargeOf({ status, headers }: TaskResponse): JsonObject {
  return {
    statusCode: status,
    requestCharge: Number(headers["x-ms-request-charge"] ?? 0),
    activityId: headers["x-ms-activity-id"] ?? null,
    sessionToken: headers["x-ms-session-token"] ?? null,
  };
}

/** Outputs of {@link chargeOf}. */
export const CHARGE_OUTPUTS: PropertySchemas = Object.freeze({
  statusCode: { type: "integer", description: "Status of the response." },
  requestCharge: { type: "number", description: "Request units that were charged." },
  activityId: { type: "string", description: "Id of the request at Azure." },
  sessionToken: { type: "string", description: "Session token of the response." },
});

/** The header that names a partition: JSON in ASCII. */
export function partitionHeader(values: readonly JsonValue[]): Record<string, string> {
  const json = stringifyJson(values).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return { "x-ms-documentdb-partitionkey": json };
}

/** The paths of the partition key of the container. @throws Error it cannot be read */
export async function partitionPaths(client: CosmosClient): Promise<string[]> {
  const { text } = await client.send({ method: "GET", operation: "read the container", isRepeatable: true });
  const container = await tryParseLongJson(text);
  const key = isJsonObject(container) ? container.partitionKey : undefined;
  return isJsonObject(key) && Array.isArray(key.paths) ? key.paths.map(String) : [];
}

/** The values of an item at the paths of a partition key, such as `/a/b`. Azure writes `{}` for a missing one. */
export function partitionValues(item: JsonObject, paths: readonly string[]): JsonValue[] {
  return paths.map((path) => {
    let value: JsonValue | undefined = item;
    for (const name of path.split("/").filter((part) => part !== "")) {
      value = isJsonObject(value) ? value[name.replace(/^"(.*)"$/, "$1")] : undefined;
    }
    return value ?? (value === null ? null : {});
  });
}

/** The cause is left out, since it may show parts of the key. */
function keyBytes(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    throw new Error("Invalid connectionString: its AccountKey is no Base64");
  }
}

/** `message` of an error; its further lines are ids of the request. */
function wordsOf(text: string): string {
  const body = tryParseShortJson(text);
  const message = isJsonObject(body) ? optionalText(body.message) : undefined;
  return message?.split(/\r?\n/)[0] ?? text;
}
