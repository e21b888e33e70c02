/** HTTP as a crash test needs it: each request ends acknowledged, refused, or unanswered because the server is gone. */

/** How a request ended. */
export type Outcome =
  | { readonly type: "acknowledged"; readonly body: Uint8Array }
  | { readonly type: "refused"; readonly status: number; readonly text: string }
  | { readonly type: "unanswered" };

/** Talks to one process; of no use once that is gone. */
export class Client implements Disposable {
  readonly #url: string;
  readonly #authorization: string;
  readonly #http = Deno.createHttpClient({ poolMaxIdlePerHost: 64 });
  readonly #gone = new AbortController();

  /** `authorization` is the header of requests that bring none. */
  constructor(url: string, authorization: string) {
    this.#url = url;
    this.#authorization = authorization;
  }

  /** True once the process was killed. */
  get isGone(): boolean {
    return this.#gone.signal.aborted;
  }

  /** Sends a request; the path begins below `/api/v1`. Never rejects. */
  async send(method: string, path: string, init: RequestInit = {}): Promise<Outcome> {
    if (this.isGone) return { type: "unanswered" };
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", this.#authorization);
    const request = { ...init, method, headers, signal: this.#gone.signal, client: this.#http };
    let response;
    try {
      response = await fetch(`${this.#url}/api/v1${path}`, request);
    } catch {
      return { type: "unanswered" };
    }
    const body = await response.bytes().catch(() => new Uint8Array());
    if (response.ok) return { type: "acknowledged", body };
    return { type: "refused", status: response.status, text: new TextDecoder().decode(body) };
  }

  /** The answer as JSON. @throws Error for anything but a complete 2xx answer */
  async json<T>(method: string, path: string, init: RequestInit = {}): Promise<T> {
    const outcome = await this.send(method, path, init);
    if (outcome.type !== "acknowledged") {
      throw new Error(`${method} ${path}: ${JSON.stringify(outcome).slice(0, 500)}`);
    }
    return readJson(outcome.body) as T;
  }

  /** The process is gone: requests under way end unanswered. */
  [Symbol.dispose](): void {
    if (this.isGone) return;
    this.#gone.abort();
    this.#http.close();
  }
}

/** The JSON of a body; `undefined` for a body that was cut off. */
export function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Calls `work` for each item, at most `width` at the same time. */
export async function forEachOf<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
