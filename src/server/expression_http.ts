/** `http()` of expressions, by the client that tasks use too. */
import { readHttpOptions } from "../model/http/http_options.ts";
import { responseText } from "../model/http/http_text.ts";
import { headerOf, type HttpBody, type HttpClientPort } from "../model/ports/http.ts";
import type { HttpPort } from "../rendering/host_functions/mod.ts";

/** Sends what expressions ask for. */
export function createExpressionHttp(client: HttpClientPort): HttpPort {
  return {
    async call({ method, uri, headers, body, options }) {
      const contentType = headers.get("content-type") ?? "application/json";
      const response = await client.send({
        method,
        uri,
        headers: [...headers],
        body: body === undefined ? undefined : textBody(body, contentType),
        options: readHttpOptions(options),
      });
      return {
        code: response.code,
        contentType: headerOf(response.headers, "content-type") ?? "",
        body: await responseText(response),
      };
    },
  };
}

function textBody(text: string, contentType: string): HttpBody {
  const bytes = new TextEncoder().encode(text);
  const content = async function* () {
    yield bytes;
  };
  return { contentType, size: bytes.length, open: content };
}
