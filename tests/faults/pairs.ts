/** KV pairs that a test stores in a server with a fault, to compare them with what is there afterwards. */
import { assertEquals } from "@std/assert";
import type { ServerProcess } from "../support/processes/server_process.ts";

const PATH = "/api/v1/main/namespaces/faults/kv";
/** Longest time until a server accepts writes again; it tries each second. */
const RECOVERY_MS = 60_000;
const RETRY_MS = 100;

/** What the server replied to a write. */
export interface PutResponse {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

/** The pairs of one data directory. */
export class Pairs {
  readonly #acknowledged = new Map<string, string>();

  /** Stores a pair; remembers it when that is acknowledged. */
  async put(server: ServerProcess, key: string, value: string): Promise<PutResponse> {
    const response = await fetch(`${server.url}${PATH}/${key}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(value),
    });
    const text = await response.text();
    if (response.status === 200) this.#acknowledged.set(key, value);
    return { status: response.status, text, retryAfter: response.headers.get("retry-after") };
  }

  /** Repeats a write until it is acknowledged. */
  async putUntilStored(server: ServerProcess, key: string, value: string): Promise<void> {
    const deadline = performance.now() + RECOVERY_MS;
    for (;;) {
      const { status, text } = await this.put(server, key, value);
      if (status === 200) return;
      if (performance.now() > deadline) {
        throw new Error(`no write was accepted in ${RECOVERY_MS} ms: ${text}`);
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Everything that was acknowledged is there, and what was refused is not. */
  async verify(server: ServerProcess, refused: readonly string[] = []): Promise<void> {
    for (const [key, value] of this.#acknowledged) assertEquals(await this.get(server, key), value, key);
    for (const key of refused) assertEquals(await this.get(server, key), undefined, key);
  }

  /** The value of a pair. */
  async get(server: ServerProcess, key: string): Promise<string | undefined> {
    const response = await fetch(`${server.url}${PATH}/${key}`);
    const body = await response.json();
    if (response.status === 404) return undefined;
    assertEquals(response.status, 200, JSON.stringify(body));
    return body.value;
  }
}

/** Status and body of `/health`. */
export async function healthOf(
  server: ServerProcess,
): Promise<[status: number, body: Record<string, string>]> {
  const response = await fetch(`${server.url}/health`);
  return [response.status, await response.json()];
}

/** How often a text stands in the log. */
export function countInLog(server: ServerProcess, text: string): number {
  return server.log.split(text).length - 1;
}
