/** The requests of git by the client of the server, which applies its address policy. */
import type {
  AuthCallback,
  AuthFailureCallback,
  GitHttpRequest,
  GitHttpResponse,
  HttpClient,
} from "isomorphic-git";
import { joinBytes } from "../../base/bytes.ts";
import type { TaskContext } from "../../model/tasks/task_definition.ts";

/** The library keeps a pack in memory. */
export const MAX_PACK_BYTES = 256 * 1024 * 1024;
/** A server may work for long before it sends a pack. */
export const TIMEOUT_MS = 120_000;
/** Characters of a refusal in a message. */
export const MAX_SHOWN_CHARS = 200;

/** Options of operations of the library. */
export interface Transport {
  readonly url: string;
  readonly http: HttpClient;
  readonly onAuth?: AuthCallback;
  readonly onAuthFailure?: AuthFailureCallback;
}

/** The plugin of the library. */
interface GitHttp {
  /** Sends a request. @throws Error no response */
  request(request: GitHttpRequest): Promise<GitHttpResponse>;
  /** Status and words of the last refusal. */
  refusal?: string;
}

/** Sends requests as the attempt. */
export function gitHttp(context: TaskContext): GitHttp {
  const http: GitHttp = {
    async request({ url, method = "GET", headers = {}, body }) {
      const response = await context.http({
        url,
        method,
        headers,
        body: body && joinBytes(await Array.fromAsync(body)),
        maxBytes: MAX_PACK_BYTES,
        timeoutMs: TIMEOUT_MS,
      });
      if (response.status >= 400) {
        const words = response.text.trim().slice(0, MAX_SHOWN_CHARS);
        http.refusal = `the response was ${response.status}${words && `: ${words}`}`;
      }
      return {
        url,
        method,
        headers: response.headers,
        body: partsOf(response.bytes),
        statusCode: response.status,
        statusMessage: "",
      };
    },
  };
  return http;
}

/** A body of one part. */
export async function* partsOf(bytes: Uint8Array): AsyncIterableIterator<Uint8Array> {
  yield bytes;
}
