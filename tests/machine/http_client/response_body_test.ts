/** Compressed bodies of responses. */
import { assertEquals, assertRejects } from "@std/assert";
import { deflateSync, gzipSync } from "node:zlib";
import { responseBody } from "../../../src/machine/http_client/response_body.ts";

const MEBIBYTE = new Uint8Array(1024 * 1024);

/** The length of each piece of a body that arrives at once. */
async function pieceLengths(encoding: string, packed: Uint8Array, maxBytes?: number): Promise<number[]> {
  const parts = [packed];
  const options = { encoding, maxBytes, where: () => "GET", close: () => {} };
  const lengths = [];
  for await (const piece of responseBody(() => Promise.resolve(parts.pop()), options)) {
    lengths.push(piece.length);
  }
  return lengths;
}

for (
  const [encoding, packed] of [["gzip", gzipSync(MEBIBYTE)], ["deflate", deflateSync(MEBIBYTE)]] as const
) {
  Deno.test(`responseBody() unpacks ${encoding} in pieces, as far as it is read`, async () => {
    const lengths = await pieceLengths(encoding, packed);
    assertEquals(Math.max(...lengths), 16_384);
    assertEquals(lengths.reduce((sum, length) => sum + length), MEBIBYTE.length);
    await assertRejects(
      () => pieceLengths(encoding, packed, 100_000),
      Error,
      "GET: the response is larger than 100000 bytes",
    );
    await assertRejects(
      () => pieceLengths(encoding, packed.subarray(0, 500)),
      Error,
      "GET: the response cannot be decompressed",
    );
  });
}
