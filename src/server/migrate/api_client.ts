/** Calls the API of a server from the command line. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, tryParseJson } from "../../base/json.ts";
import { fetchFailure } from "../../base/network/fetch_failure.ts";
import type { ServerAddress } from "../../config/mod.ts";

/** A request failed, in one line for people. */
export class ApiError extends Error {
  /** Status of the response; `undefined` when the server was not reached. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

interface ApiRequest {
  readonly method?: "GET" | "POST" | "PUT";
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
}

const TIMEOUT_MS = 60_000;
const PAGE_SIZE = 100;
const MAX_REASON_CHARS = 500;

/** Sends a request; {@link fetch} of the platform. */
export type Send = (request: Request) => Promise<Response>;

/** One server and tenant. */
export class ApiClient {
  readonly #server: ServerAddress;
  readonly #send: Send;
  readonly #base: string;

  private constructor(server: ServerAddress, base: string, send: Send) {
    this.#server = server;
    this.#base = base;
    this.#send = send;
  }

  /** A client of the server, whose paths have a tenant or, of old servers, none. @throws ApiError it has no such API */
  static async connect(server: ServerAddress, send: Send): Promise<ApiClient> {
    const bases = [`${server.url}/api/v1/${encodeURIComponent(server.tenant)}`];
    if (server.tenant === "main") bases.push(`${server.url}/api/v1`);
    for (const base of bases) {
      const client = new ApiClient(server, base, send);
      const page = await client.#find("/flows/search", { page: "1", size: "1" });
      if (isJsonObject(page) && Array.isArray(page.results)) return client;
    }
    throw new ApiError(
      `Cannot use "${server.url}": it has no API for flows of the tenant "${server.tenant}"; give the address that ` +
        "browsers use, without a path of the UI",
    );
  }

  /** Address without credentials. */
  get url(): string {
    return this.#server.url;
  }

  /** The JSON of a path, with number kinds. @throws ApiError */
  async json(path: string, request: ApiRequest = {}): Promise<JsonValue> {
    const response = await this.#call(path, request);
    const text = await this.#bodyOf(() => response.text());
    const value = tryParseJson(text);
    if (value !== undefined) return value;
    throw new ApiError(`Cannot read the response of ${this.url} to ${pathText(path)}: it is not JSON`);
  }

  /** The same; `undefined` for 404, and for 405 and 501: servers without that part. @throws ApiError */
  async find(path: string, query: Readonly<Record<string, string>> = {}): Promise<JsonValue | undefined> {
    return await this.#find(path, query);
  }

  /** Bytes of a path. @throws ApiError */
  async bytes(path: string, query: Readonly<Record<string, string>>): Promise<Uint8Array<ArrayBuffer>> {
    const response = await this.#call(path, { query });
    return await this.#bodyOf(() => response.bytes());
  }

  /** Sends a change. @throws ApiError */
  async send(path: string, request: ApiRequest & { readonly method: "POST" | "PUT" }): Promise<void> {
    const response = await this.#call(path, request);
    await response.body?.cancel();
  }

  /** All rows of a list of pages `{results, total}`; empty where the server has no such list. @throws ApiError */
  async *rows(path: string): AsyncGenerator<JsonObject> {
    let read = 0;
    for (let page = 1;; page++) {
      const body = await this.#find(path, { page: String(page), size: String(PAGE_SIZE) });
      const results = isJsonObject(body) ? objectsOf(body.results) : [];
      yield* results;
      read += results.length;
      if (results.length === 0 || !isJsonObject(body) || read >= Number(body.total)) return;
    }
  }

  async #find(path: string, query: Readonly<Record<string, string>>): Promise<JsonValue | undefined> {
    try {
      return await this.json(path, { query });
    } catch (error) {
      if (error instanceof ApiError && [404, 405, 501].includes(error.status ?? 0)) return undefined;
      throw error;
    }
  }

  async #call(
    path: string,
    { method = "GET", query = {}, headers = {}, body }: ApiRequest,
  ): Promise<Response> {
    const parameters = new URLSearchParams(query).toString();
    const url = `${this.#base}${path}${parameters === "" ? "" : `?${parameters}`}`;
    const { authorization } = this.#server;
    const init = {
      method,
      body,
      headers: { accept: "application/json", ...headers, ...authorization && { authorization } },
      // A redirect could carry the credentials to another server.
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    } as const;
    const response = await this.#bodyOf(() => this.#send(new Request(url, init)));
    if (response.ok) return response;
    throw await this.#refusal(response, method, path);
  }

  async #refusal(response: Response, method: string, path: string): Promise<ApiError> {
    const { status } = response;
    const text = await this.#bodyOf(() => response.text());
    if (status === 401 || status === 403) {
      const way = this.#server.authorization === undefined
        ? "it requires credentials"
        : "the credentials are refused";
      return new ApiError(`Cannot use ${this.url}: ${way} (${status}); see migrate --help`, status);
    }
    const location = response.headers.get("location");
    const reason = location === null ? reasonOf(text) : `it redirects to "${location}"; use that address`;
    return new ApiError(`${method} ${pathText(path)}: ${status}${reason === "" ? "" : ` ${reason}`}`, status);
  }

  async #bodyOf<Result>(read: () => Promise<Result>): Promise<Result> {
    try {
      return await read();
    } catch (error) {
      throw new ApiError(`Cannot reach ${this.url}: ${fetchFailure(error)}`);
    }
  }
}

/** The path of an item, each part encoded. */
export function apiPath(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

function pathText(path: string): string {
  return decodeURIComponent(path);
}

function reasonOf(text: string): string {
  const body = tryParseJson(text);
  const message = isJsonObject(body) ? body.message : undefined;
  return String(message ?? text).trim().slice(0, MAX_REASON_CHARS);
}
