import { assert, assertEquals, assertThrows } from "@std/assert";
import { idPrefix, IdSource } from "../../../../src/base/id.ts";
import {
  compareIds,
  durationOf,
  encodeRow,
  FLAG,
  hashLabel,
  isSameRow,
  packId,
  ROW_BYTES,
  ROW_WORDS,
  setBloomBits,
  shortHash,
  shortHashAt,
  tombstoneRow,
  unpackId,
  WORD,
} from "../../../../src/store/catalog/rows/row.ts";
import { RowBlock, wordsOf } from "../../../../src/store/catalog/rows/row_block.ts";
import { seeded } from "../fixture.ts";

const PLAIN = {
  id: `${idPrefix(1_768_473_000_000)}zzzzzzzzzzz`,
  flowNo: 7,
  startMs: 1_768_473_000_123,
  durationMs: 5,
  state: "SUCCESS",
  kind: "NORMAL",
  labels: [],
} as const;

Deno.test("packId() preserves every id and the order of ids", () => {
  const random = seeded(7);
  const source = new IdSource((buffer) => buffer.forEach((_, i) => buffer[i] = Math.floor(random() * 256)));
  const ids = Array.from({ length: 2_000 }, () => source.next(1_768_473_000_000 + Math.floor(random() * 5)));
  ids.push(`${idPrefix(0)}00000000000`, `${idPrefix(2 ** 45, 65_535)}zzzzzzzzzzz`, PLAIN.id);
  // Ids with the same millisecond and counter differ only in their random digits; every digit must count.
  for (let digit = 0; digit < 11; digit++) {
    ids.push(`${idPrefix(5)}${"0".repeat(digit)}z${"0".repeat(10 - digit)}`);
  }
  const words = ids.map((id) => {
    const packed = new Uint32Array(4);
    packId(id, packed, 0);
    return packed;
  });
  assertEquals(words.map((packed) => unpackId(packed, 0)), ids);
  const byWords = words.toSorted((a, b) => compareIds(a, 0, b, 0)).map((packed) => unpackId(packed, 0));
  assertEquals(byWords, ids.toSorted());
});

for (
  const id of [
    "",
    "abc",
    "main",
    PLAIN.id.toLowerCase(),
    `${idPrefix(0)}0000000000-`,
    `Azzzzzzzzzz${"0".repeat(11)}`,
  ]
) {
  Deno.test(`packId() refuses "${id}"`, () => {
    assertThrows(() => packId(id, new Uint32Array(4), 0), Error, "Cannot pack the id");
  });
}

Deno.test("encodeRow() writes 56 bytes that decode to the same facts", () => {
  const bytes = encodeRow(PLAIN);
  assertEquals(bytes.length, ROW_BYTES);
  const words = wordsOf(bytes);
  assertEquals(words.length, ROW_WORDS);
  assertEquals(unpackId(words, 0), PLAIN.id);
  assertEquals(durationOf(words, 0), 5);
  assertEquals(new RowBlock(words).doubles[3], PLAIN.startMs);
});

for (
  const [durationMs, expected] of [
    [undefined, undefined],
    [0, 0],
    [2 ** 32 - 2, 2 ** 32 - 2],
    [2 ** 32 - 1, 4_294_967_000],
    [100 * 86_400_000, 100 * 86_400_000],
  ] as const
) {
  Deno.test(`durationOf() gives ${expected} for ${durationMs} ms`, () => {
    assertEquals(durationOf(wordsOf(encodeRow({ ...PLAIN, durationMs })), 0), expected);
  });
}

Deno.test("encodeRow() omits a correlation label that equals the id", () => {
  const own = { key: "system.correlationId", value: PLAIN.id };
  assertEquals(encodeRow({ ...PLAIN, labels: [own] }), encodeRow(PLAIN));
  assert(encodeRow({ ...PLAIN, labels: [{ ...own, value: "other" }] }).join() !== encodeRow(PLAIN).join());
});

Deno.test("hashLabel() separates key and value and is never 0", () => {
  const hashes = new Set(
    [["a", "bc"], ["ab", "c"], ["", ""], ["a", ""]].map(([key = "", value = ""]) =>
      hashLabel({ key, value })
    ),
  );
  assertEquals(hashes.size, 4);
  assert(!hashes.has(0));
});

Deno.test("hashLabel() never changes: hashes are stored", () => {
  assertEquals(hashLabel({ key: "env", value: "prod" }), 2436212171);
});

Deno.test("tombstoneRow() keeps the id", () => {
  assertEquals(unpackId(wordsOf(tombstoneRow(PLAIN.id)), 0), PLAIN.id);
});

const FIVE_LABELS = Array.from({ length: 5 }, (_, index) => ({ key: `key${index}`, value: `${index}` }));

Deno.test("encodeRow() stores a hash of each of five labels", () => {
  const words = wordsOf(encodeRow({ ...PLAIN, labels: FIVE_LABELS }));
  const hashes = FIVE_LABELS.map((_, index) => shortHashAt(words, WORD.labels, index));
  assertEquals(hashes, FIVE_LABELS.map((label) => shortHash(hashLabel(label))));
  assertEquals((words[WORD.facts] as number) & (FLAG.shortHashes | FLAG.moreLabels), FLAG.shortHashes);
});

Deno.test("isSameRow() accepts the Bloom filter that earlier versions wrote for five labels, and no other difference", () => {
  const expected = wordsOf(encodeRow({ ...PLAIN, labels: FIVE_LABELS }));
  const earlier = expected.slice();
  earlier.fill(0, WORD.labels);
  for (const label of FIVE_LABELS) setBloomBits(hashLabel(label), earlier, WORD.labels);
  earlier[WORD.facts] = (expected[WORD.facts] as number) & ~FLAG.shortHashes | FLAG.moreLabels;
  assert(isSameRow(expected, expected));
  assert(isSameRow(earlier, expected));
  for (const word of [0, WORD.flow, WORD.duration, WORD.facts]) {
    const other = earlier.slice();
    other[word] = (other[word] as number) ^ 1;
    assert(!isSameRow(other, expected), `word ${word}`);
  }
  const relabelled = expected.slice();
  relabelled[WORD.labels] = (relabelled[WORD.labels] as number) ^ 1;
  assert(!isSameRow(relabelled, expected));
});
