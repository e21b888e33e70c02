import { assertEquals } from "@std/assert";
import { ClockSkew, MAX_SKEW_MS } from "../../src/store/clock_skew.ts";

/** Each row: when the read was sent and done, what it found, and the difference after it. */
const CASES: Readonly<Record<string, readonly (readonly [number, number, number, number])[]>> = {
  "a clock that is ahead, after three values": [
    [0, 10, 9_000, 0],
    [1_000, 1_010, 10_000, 0],
    [2_000, 2_010, 11_000, 0],
    [3_000, 3_010, 12_000, 12_000 - 3_010],
  ],
  "a clock that is behind, from the read before": [
    [10_000, 10_010, 1_000, 0],
    [11_000, 11_010, 2_000, 0],
    [12_000, 12_010, 3_000, 0],
    [13_000, 13_010, 4_000, 4_000 - 12_000],
  ],
  "a value that was not written anew shows nothing": [
    [0, 10, 9_000, 0],
    [1_000, 1_010, 9_000, 0],
    [2_000, 2_010, 9_000, 0],
    [3_000, 3_010, 9_000, 0],
    [4_000, 4_010, 9_000, 0],
  ],
  "clocks that agree, up to the bound": [
    [0, 10, 0, 0],
    [1_000, 1_010, 1_010 + MAX_SKEW_MS, 0],
    [2_000, 2_010, 2_010 + MAX_SKEW_MS, 0],
    [3_000, 3_010, 3_010 + MAX_SKEW_MS, 0],
  ],
  "a commit that took long": [
    [0, 10, 0, 0],
    [1_000, 1_010, 500, 0],
    [9_000, 9_010, 1_000, 0],
    [10_000, 10_010, 1_500, 0],
    [11_000, 11_010, 10_500, 0],
    [12_000, 12_010, 1_600, 0],
  ],
};

for (const [name, reads] of Object.entries(CASES)) {
  Deno.test(`ClockSkew.skewMs: ${name}`, () => {
    const skew = new ClockSkew();
    const found = reads.map(([sentAt, doneAt, written]) => {
      skew.note(written, { sentAt, doneAt });
      return skew.skewMs;
    });
    assertEquals(found, reads.map(([, , , expected]) => expected));
  });
}
