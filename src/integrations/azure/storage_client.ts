/**
 * The REST APIs of Azure Storage. https://learn.microsoft.com/en-us/rest/api/storageservices/
 * Requests are signed with the key of the account, or carry a shared access signature.
 */
import { systemClock } from "../../base/time/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { tryParseShortJson } from "../../base/json_turns.ts";
import { dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import {
  type FileBody,
  optionalText,
  type TaskRequest,
  type TaskResponse,
  type WorkContext,
} from "../../model/tasks/task_definition.ts";
import { readErrorXml, textAt } from "../xml.ts";
import { callRepeatedly, parsedUrl, refusalOf } from "../http_calls.ts";

/** Properties of all types of the storage. */
export const CONNECTION: PropertySchemas = Object.freeze({
  endpoint: dynamicText("URL of the storage, such as `https://account.blob.core.windows.net`."),
  connectionString: dynamicText("Connection string of the account; keep it as a secret."),
  sharedKeyAccountName: dynamicText("Name of the account."),
  sharedKeyAccountAccessKey: dynamicText("Key of the account; keep it as a secret."),
  sasToken: dynamicText("Shared access signature; keep it as a secret."),
});

/** How the storage is reached. */
interface Connection {
  /** Without a slash at the end. */
  readonly endpoint: string;
  readonly key?: { readonly account: string; readonly bytes: Uint8Array<ArrayBuffer> };
  /** Query without a question mark. */
  readonly sas?: string;
}

/** An API of the storage: blobs, tables, and files of Data Lake Storage. */
type StorageService = "blob" | "table" | "dfs";

/** A request to the storage. */
interface ServiceRequest extends Pick<TaskRequest, "method" | "headers" | "saveTo"> {
  readonly body?: string | FileBody;
  /** Without credentials. */
  readonly url: string;
  /** Members without a value are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** For errors: verb and object. */
  readonly operation: string;
  /** Statuses from 300 that are no errors. */
  readonly accepted?: readonly number[];
  /** A second request has the same effect as one; default is true. */
  readonly isRepeatable?: boolean;
}

/** A request about a container or a blob. */
interface StorageRequest extends Omit<ServiceRequest, "url"> {
  readonly container: string;
  /** Absent for a request about the container. */
  readonly name?: string;
}

/** What an address gives. */
interface SharedAccess {
  readonly container: string;
  readonly name: string;
  /** Letters, in the order of the service. */
  readonly permissions: string;
  /** ISO 8601, UTC, in whole seconds. */
  readonly expiry: string;
}

const VERSION = "2021-12-02";
/** A large file that is uploaded in one request is confirmed late. */
const TIMEOUT_MS = 300_000;
/** Of a response in memory, which is parsed in one turn. A page of a table has 4 MiB at most. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

type StorageContext = Pick<WorkContext, "properties" | "http" | "signal">;

/** Sends requests with the credentials that the properties give. */
export class StorageClient {
  readonly #context: StorageContext;
  readonly #service: StorageService;
  readonly #connection: Connection;

  /** @throws Error the properties name no storage, or give no credentials */
  constructor(context: StorageContext, service: StorageService = "blob") {
    this.#context = context;
    this.#service = service;
    this.#connection = connectionOf(context.properties, service);
  }

  /** URL of the storage, without a slash at the end. */
  get endpoint(): string {
    return this.#connection.endpoint;
  }

  /** Address of a blob, without credentials. */
  urlOf(container: string, name?: string): string {
    const path = [container, ...name?.split("/") ?? []].map(encodeURIComponent).join("/");
    if (name !== undefined && /(?:^|\/)\.\.?(?:\/|$)/.test(name)) {
      throw new Error(`Cannot address "${name}": a name with the part "." or ".." has no URL`);
    }
    return `${this.#connection.endpoint}/${path}`;
  }

  /** Address that another request may read a blob by. */
  sourceUrlOf(container: string, name: string): string {
    const { sas } = this.#connection;
    return `${this.urlOf(container, name)}${sas === undefined ? "" : `?${sas}`}`;
  }

  /** Address of a blob with an own signature. @throws Error the properties give no key of the account */
  async sharedUrl({ container, name, permissions, expiry }: SharedAccess): Promise<string> {
    const { key } = this.#connection;
    if (!key) {
      throw new Error(
        "Missing key: an address is signed with the key of the account, not with another signature",
      );
    }
    const text = [
      permissions,
      "", // Begins now.
      expiry,
      `/blob/${key.account}/${container}/${name}`,
      ...["", "", ""], // Policy, addresses, protocols.
      VERSION,
      "b",
      ...["", "", "", "", "", "", ""], // Snapshot, encryption scope, headers of responses.
    ].join("\n");
    const sig = await hmac(key.bytes, text);
    return `${this.urlOf(container, name)}?${new URLSearchParams({
      sv: VERSION,
      se: expiry,
      sr: "b",
      sp: permissions,
      sig,
    })}`;
  }

  /** The response. @throws Error no response, or one that refuses the request */
  async send({ container, name, ...request }: StorageRequest): Promise<TaskResponse> {
    return await this.sendTo({ ...request, url: this.urlOf(container, name) });
  }

  /** As {@link send}. */
  async sendTo(request: ServiceRequest): Promise<TaskResponse> {
    const { operation, accepted = [], method = "GET", body = "", saveTo, isRepeatable = true } = request;
    const url = parsedUrl(request.url);
    for (const [key, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(key, value);
    }
    // The type of a body is signed, also of an empty one.
    const hasBody = method === "PUT" || method === "PATCH" || method === "POST";
    const typeHeader: Record<string, string> = hasBody ? { "Content-Type": "application/octet-stream" } : {};
    const content = typeof body === "string" ? new TextEncoder().encode(body) : undefined;
    const size = typeof body === "string" ? content?.length ?? 0 : body.size;
    const sent = typeof body === "string" ? hasBody ? { body: content } : {} : { bodyFile: body.bodyFile };
    const response = await callRepeatedly(this.#context, async () => ({
      url: this.#withSas(url),
      method,
      headers: await this.#headers({ method, url, size, headers: { ...typeHeader, ...request.headers } }),
      ...sent,
      saveTo,
      followRedirects: false,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
    }), { isRepeatable });
    if (response.status < 300 || accepted.includes(response.status)) return response;
    throw refusalOf({ operation, url: url.href, status: response.status, words: await wordsOf(response) });
  }

  #withSas(url: URL): string {
    const { sas } = this.#connection;
    if (sas === undefined) return url.href;
    return `${url.href}${url.search === "" ? "?" : "&"}${sas}`;
  }

  async #headers(request: SignedRequest): Promise<Record<string, string>> {
    const headers = {
      ...request.headers,
      "x-ms-date": new Date(systemClock.now()).toUTCString(),
      "x-ms-version": VERSION,
    };
    const { key } = this.#connection;
    if (!key) return headers;
    const text = this.#service === "table" ? tableStringToSign : stringToSign;
    const signature = await hmac(key.bytes, text({ ...request, headers }, key.account));
    return { ...headers, Authorization: `SharedKey ${key.account}:${signature}` };
  }
}

/** What a signature covers. */
interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Bytes of the body. */
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** https://learn.microsoft.com/en-us/rest/api/storageservices/authorize-with-shared-key */
function stringToSign({ method, url, size, headers }: SignedRequest, account: string): string {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const standard = ["content-encoding", "content-language"].map((name) => byName.get(name) ?? "");
  const further = [
    ...["content-md5", "content-type", "date", "if-modified-since", "if-match", "if-none-match"],
    ...["if-unmodified-since", "range"],
  ].map((name) => byName.get(name) ?? "");
  const own = [...byName].filter(([name]) => name.startsWith("x-ms-")).map(([name, value]) =>
    `${name}:${value}`
  );
  const query = [...url.searchParams].map(([name, value]) => `${name.toLowerCase()}:${value}`);
  const resource = `/${account}${url.pathname}`;
  return [
    method,
    ...standard,
    size === 0 ? "" : String(size),
    ...further,
    ...own.sort(),
    [resource, ...query.sort()].join("\n"),
  ].join("\n");
}

/** Of tables: neither other headers nor the query are covered. */
function tableStringToSign({ method, url, headers }: SignedRequest, account: string): string {
  const { "Content-Type": type = "", "x-ms-date": date = "" } = headers;
  return [method, "", type, date, `/${account}${url.pathname}`].join("\n");
}

/** Base64 of HMAC-SHA-256. */
export async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text)))
    .toBase64();
}

/** Parts of a connection string; that of blobs names the account of files, too. */
const ENDPOINTS = { blob: "BlobEndpoint", dfs: "BlobEndpoint", table: "TableEndpoint" } as const;

/** Properties come before the parts of the connection string. */
function connectionOf(properties: JsonObject, service: StorageService): Connection {
  const parts = connectionParts(optionalText(properties.connectionString) ?? "");
  const account = optionalText(properties.sharedKeyAccountName) ?? parts.get("AccountName");
  const accountKey = optionalText(properties.sharedKeyAccountAccessKey) ?? parts.get("AccountKey");
  const sas = (optionalText(properties.sasToken) ?? parts.get("SharedAccessSignature"))?.replace(/^\?/, "");
  const endpoint = optionalText(properties.endpoint) ?? parts.get(ENDPOINTS[service]) ??
    standardEndpoint(parts, account);
  if (endpoint === undefined) {
    throw new Error("Missing endpoint: neither it nor connectionString names the storage");
  }
  // Each service has a host of its own, and flows often name that of blobs.
  const base = endpoint.replace(/(?<!\/)\/+$/, "").replace(
    /^(https?:\/\/[^./]+)\.(?:blob|dfs|table)\./,
    `$1.${service}.`,
  );
  if (account !== undefined && accountKey !== undefined) {
    return { endpoint: base, key: { account, bytes: keyBytes(accountKey) } };
  }
  if (sas !== undefined) return { endpoint: base, sas };
  throw new Error(
    "Missing credentials: give connectionString, sharedKeyAccountName and sharedKeyAccountAccessKey, or sasToken; " +
      "the identity of the server is not used",
  );
}

/** The parts of `Name=value;Name=value`; values may have equals signs. */
export function connectionParts(text: string): Map<string, string> {
  return new Map(
    text.split(";").flatMap((part): [string, string][] => {
      const at = part.indexOf("=");
      return at < 1 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim()]];
    }),
  );
}

function standardEndpoint(
  parts: ReadonlyMap<string, string>,
  account: string | undefined,
): string | undefined {
  if (account === undefined) return undefined;
  const suffix = parts.get("EndpointSuffix") ?? "core.windows.net";
  return `${parts.get("DefaultEndpointsProtocol") ?? "https"}://${account}.blob.${suffix}`;
}

/** The cause is left out, since it may show parts of the key. */
function keyBytes(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    throw new Error("Invalid sharedKeyAccountAccessKey: it is no Base64");
  }
}

/** What the storage says in an error: XML, or JSON with the error of tables or files; responses to HEAD have a header only. */
async function wordsOf({ text, headers }: TaskResponse): Promise<string> {
  const json = tryParseShortJson(text);
  if (isJsonObject(json)) return storageWords(json) ?? text;
  const code = headers["x-ms-error-code"];
  const xml = await readErrorXml(text);
  return worded(textAt(xml, "Error", "Message"), textAt(xml, "Error", "Code") ?? code) ?? text;
}

/** What an error in JSON says. */
export function storageWords(json: JsonObject): string | undefined {
  const error = json["odata.error"] ?? json.error;
  if (!isJsonObject(error)) return undefined;
  const message = isJsonObject(error.message) ? error.message.value : error.message;
  return worded(optionalText(message), optionalText(error.code));
}

function worded(message: string | undefined, code: string | undefined): string | undefined {
  const [line] = message?.split("\n") ?? [];
  return line === undefined ? code : `${line.trim()} (${code})`;
}

/** Dates of HTTP as ISO 8601. */
export function isoOf(date: string | undefined): JsonValue {
  const time = Date.parse(date ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
