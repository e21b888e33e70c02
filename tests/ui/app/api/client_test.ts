/** What pages get to know of responses. */
import { assertEquals, assertRejects } from "../../../support/assert.ts";
import { ApiError, get, isAway } from "../../../../src/ui/app/api/client.ts";

const NGINX = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>nginx</body></html>";
const HTML = { "content-type": "text/html" };

/** The error of a request that gets this response. */
async function errorOf(body: string, init: ResponseInit): Promise<ApiError> {
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.resolve(new Response(body, init));
  try {
    return await assertRejects(() => get("/api/v1/main/flows"), ApiError);
  } finally {
    globalThis.fetch = fetch;
  }
}

Deno.test("the HTML page of a proxy is not used as a message", async () => {
  // Without loaded texts, the text is its name.
  for (
    const [body, headers] of [[NGINX, HTML], [` \n<!DOCTYPE html>${NGINX}`, {}], [
      "Bad Gateway",
      HTML,
    ]] as const
  ) {
    const error = await errorOf(body, { status: 502, headers });
    assertEquals([error.message, error.status, isAway(error)], ["error.status", 502, true]);
  }
});

Deno.test("a message of the server is shown, whatever the content type", async () => {
  const body = JSON.stringify({ message: "Internal error" });
  for (const headers of [HTML, { "content-type": "application/json" }]) {
    assertEquals((await errorOf(body, { status: 500, headers })).message, "Internal error");
  }
  assertEquals((await errorOf("broken", { status: 500 })).message, "broken");
});

Deno.test("an HTML page in place of data counts as an unreachable server", async () => {
  const error = await errorOf(NGINX, { status: 200, headers: HTML });
  assertEquals([error.status, isAway(error)], [0, true]);
});

Deno.test("isAway() is false for a refusal", () => {
  const away = [0, 400, 404, 409, 429, 500, 502, 503].filter((status) => isAway(new ApiError("", status)));
  assertEquals(away, [0, 429, 500, 502, 503]);
});
