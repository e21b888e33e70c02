/** Bodies of responses as they arrive. */
import { assertEquals } from "@std/assert";
import { joinBytes } from "../../../src/base/bytes.ts";
import { ResponseReader } from "../../../src/machine/http_client/response_reader.ts";

const HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** The body of a response whose bytes arrive in these parts. */
async function bodyOf(parts: readonly string[]) {
  const arriving = parts.map((part) => new TextEncoder().encode(part));
  let reads = 0;
  const read = () => Promise.resolve(arriving[reads++]);
  const reader = new ResponseReader({ read });
  const next = reader.body(await reader.head(), "GET");
  return { next, reads: () => reads };
}

Deno.test("ResponseReader.body() joins chunks of one byte that have arrived", async () => {
  const count = 100_000;
  const { next } = await bodyOf([HEAD, "1\r\nx\r\n".repeat(count), "0\r\n\r\n"]);
  const parts: Uint8Array[] = [];
  for (let part = await next(); part; part = await next()) parts.push(part);
  assertEquals(joinBytes(parts), new Uint8Array(count).fill("x".charCodeAt(0)));
  assertEquals(parts.length < 10, true, `${parts.length} parts`);
  assertEquals(await next(), undefined);
});

Deno.test("ResponseReader.body() waits for no further chunk", async () => {
  for (const rest of ["", "\r\n", "\r\n1", "\r\n1\r\n"]) {
    const { next, reads } = await bodyOf([HEAD, `1\r\na\r\n1\r\nb${rest}`, "c\r\n0\r\n\r\n"]);
    assertEquals(new TextDecoder().decode(await next()), "ab");
    assertEquals(reads(), 2, JSON.stringify(rest));
  }
});
