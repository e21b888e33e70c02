/** What is read of a pack before the library inflates it. */
import { assertEquals, assertRejects } from "@std/assert";
import { deflateSync } from "node:zlib";
import { joinBytes } from "../../../src/base/bytes.ts";
import { checkPackSizes, MAX_OBJECT_BYTES } from "../../../src/integrations/git/pack_sizes.ts";

const BLOB = 3;
const OFS_DELTA = 6;
const REF_DELTA = 7;
const HUGE = `the repository has an object of more than ${MAX_OBJECT_BYTES} bytes`;
const DAMAGED = "the server sent a damaged pack";

/** The type and the declared size of an object. */
function head(type: number, size: number): Uint8Array<ArrayBuffer> {
  const rest = Math.floor(size / 16);
  const first = type << 4 | size % 16;
  return rest === 0 ? Uint8Array.of(first) : joinBytes([Uint8Array.of(first | 128), number(rest)]);
}

/** Seven bits a byte, the lowest ones first. */
function number(value: number): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (let left = value;; left = Math.floor(left / 128)) {
    if (left < 128) return Uint8Array.from([...bytes, left]);
    bytes.push(left % 128 | 128);
  }
}

const packed = (content: Uint8Array) => new Uint8Array(deflateSync(content));
const blob = (content: Uint8Array, size = content.length) => joinBytes([head(BLOB, size), packed(content)]);

/** A delta of a base of 10 bytes, with a result of this size. */
function delta(type: number, base: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const content = joinBytes([number(10), number(size), Uint8Array.of(0x91, 0, 10)]);
  return joinBytes([head(type, content.length), base, packed(content)]);
}

/** Deltas whose results have this size. */
const deltas = (count: number, size: number) =>
  Array.from({ length: count }, () => delta(OFS_DELTA, Uint8Array.of(5), size));
const MEBIBYTE = 1024 * 1024;

/** `trailer`: bytes that follow. */
function pack(
  objects: readonly Uint8Array[],
  count = objects.length,
  trailer = 20,
): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode("PACK\0\0\0\u0002\0\0\0");
  return joinBytes([
    start,
    Uint8Array.of(count),
    ...objects as Uint8Array<ArrayBuffer>[],
    new Uint8Array(trailer),
  ]);
}

const small = new TextEncoder().encode("a small content");

const READ: Readonly<Record<string, Uint8Array>> = {
  "without objects": pack([]),
  "with an empty and a small object": pack([blob(new Uint8Array()), blob(small)]),
  "with an object of 5,000 bytes, behind which others follow": pack([
    blob(new Uint8Array(5_000)),
    blob(small),
  ]),
  "with deltas": pack([
    blob(small),
    delta(OFS_DELTA, Uint8Array.of(0x81, 5), 10),
    delta(REF_DELTA, new Uint8Array(20), 5_000),
    blob(small),
  ]),
  "with deltas whose results have 256 MiB, however few bytes it has": pack(deltas(128, 2 * MEBIBYTE)),
  "with deltas whose results have 200 times its bytes": pack(deltas(10, 99 * MEBIBYTE), 10, 5 * MEBIBYTE),
};

const REFUSED: Readonly<Record<string, readonly [Uint8Array, string]>> = {
  "an object that declares too many bytes": [pack([blob(small), blob(small, MAX_OBJECT_BYTES + 1)]), HUGE],
  "an object that declares more bytes than a number counts": [pack([blob(small, 2 ** 80)]), HUGE],
  "an object with more bytes than it declares": [pack([blob(new Uint8Array(5_000), 5)]), DAMAGED],
  "an object with fewer bytes than it declares": [pack([blob(small, 5_000)]), DAMAGED],
  "a delta whose result has too many bytes": [
    pack([delta(OFS_DELTA, Uint8Array.of(5), MAX_OBJECT_BYTES + 1)]),
    HUGE,
  ],
  "deltas whose results have too many bytes together": [
    pack(deltas(11, 99 * MEBIBYTE), 11, 6 * MEBIBYTE),
    "the changed objects of the repository have more than 1073741824 bytes; fetch fewer commits by `depth`",
  ],
  "a small pack whose deltas have large results": [
    pack(deltas(3, 99 * MEBIBYTE)),
    "bytes have more than 268435456 bytes; fetch fewer commits by `depth`",
  ],
  "a small pack whose objects are large": [
    pack(Array(3).fill(blob(new Uint8Array(99 * MEBIBYTE)))),
    "bytes have more than 268435456 bytes; fetch fewer commits by `depth`",
  ],
  "fewer objects than the pack declares": [pack([blob(small)], 2), DAMAGED],
  "a pack that ends in its head": [pack([]).subarray(0, 9), DAMAGED],
};

Deno.test("checkPackSizes() reads a pack once, also one that is refused: the library writes it again after a failure", async () => {
  for (const bytes of [pack([blob(small)]), pack([blob(small, MAX_OBJECT_BYTES + 1)])]) {
    const first = await checkPackSizes(bytes).catch(({ message }: Error) => message);
    bytes.fill(0xff);
    assertEquals(await checkPackSizes(bytes).catch(({ message }: Error) => message), first);
  }
});

for (const [what, bytes] of Object.entries(READ)) {
  Deno.test(`checkPackSizes() takes a pack ${what}`, async () => {
    assertEquals(await checkPackSizes(bytes), undefined);
  });
}

for (const [what, [bytes, message]] of Object.entries(REFUSED)) {
  Deno.test(`checkPackSizes() refuses ${what}`, async () => {
    await assertRejects(() => checkPackSizes(bytes), Error, message);
  });
}
