/** How a request is cut into writes. */
import { assertEquals, assertRejects } from "@std/assert";
import { HttpError } from "../../../src/model/ports/http.ts";
import { RequestWriter } from "../../../src/machine/http_client/request_writer.ts";

const HEAD = "PUT /a HTTP/1.1\r\nX: y\r\n\r\n";

interface WriteCase {
  readonly name: string;
  readonly parts: readonly string[];
  readonly size?: number;
  readonly expected: readonly string[];
}

const WRITES: readonly WriteCase[] = [
  { name: "a small body with its head", parts: ["abc", "def"], size: 6, expected: [`${HEAD}abcdef`] },
  { name: "an empty body", parts: [], size: 0, expected: [HEAD] },
  {
    name: "a large part on its own, without a copy of it",
    parts: ["x".repeat(20_000), "rest"],
    size: 20_004,
    expected: [HEAD, "x".repeat(20_000), "rest"],
  },
  {
    name: "small parts until they are many",
    parts: ["x".repeat(10_000), "y".repeat(10_000)],
    size: 20_000,
    expected: [`${HEAD}${"x".repeat(10_000)}`, "y".repeat(10_000)],
  },
  {
    name: "chunks of a body whose size is not known",
    parts: ["abc", "", "0123456789"],
    expected: [`${HEAD}3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n`],
  },
];

/** Notes what it is given. */
class NotingSink {
  readonly written: string[] = [];

  write(bytes: Uint8Array): Promise<void> {
    this.written.push(new TextDecoder().decode(bytes));
    return Promise.resolve();
  }
}

/** Each piece is overwritten by the next, as those of a file are. */
async function* bytesOf(parts: readonly string[]): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(32_000);
  for (const part of parts) yield buffer.subarray(0, new TextEncoder().encodeInto(part, buffer).written);
}

for (const { name, parts, size, expected } of WRITES) {
  Deno.test(`RequestWriter.body() writes ${name}`, async () => {
    const sink = new NotingSink();
    const writer = new RequestWriter(sink);
    await writer.head({ method: "PUT", target: "/a" }, [["X", "y"]]);
    await writer.body(bytesOf(parts), size);
    await writer.flush();
    assertEquals(sink.written, expected);
  });
}

for (const size of [2, 4]) {
  Deno.test(`RequestWriter.body() refuses three bytes that were to be ${size}`, async () => {
    const writer = new RequestWriter(new NotingSink());
    await assertRejects(() => writer.body(bytesOf(["abc"]), size), HttpError, "size of the body has changed");
  });
}
