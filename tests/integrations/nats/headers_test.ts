/** The text form of headers of NATS. */
import { assertEquals } from "@std/assert";
import { parseHeaders } from "../../../src/integrations/nats/headers.ts";

Deno.test("parseHeaders() takes a name any number of times, in order", () => {
  const values = Array.from({ length: 300_000 }, (_, index) => String(index));
  const text = `NATS/1.0 404 none\r\n${values.map((value) => `a: ${value}\r\n`).join("")}b: c\r\n`;
  assertEquals(parseHeaders(text), { headers: { a: values, b: ["c"] }, status: 404, description: "none" });
});
