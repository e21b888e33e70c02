import { assertEquals, assertLess } from "@std/assert";
import type { Execution } from "../../../src/model/executions/execution.ts";
import { type PlacedLine, TopLines } from "../../../src/services/logs/top_lines.ts";

const EXECUTION = { id: "1" } as Execution;

function line(key: number, message: string): PlacedLine {
  return {
    key,
    executionId: "1",
    number: key,
    execution: EXECUTION,
    line: { level: "INFO", at: key, message },
  };
}

Deno.test("TopLines keeps messages as they are while they are short together", () => {
  const lines = new TopLines(true, 1_000);
  const message = "m".repeat(8_000);
  for (let n = 0; n < 1_000; n++) lines.offer(line(n, message));
  const kept = lines.take(0, 1_000);
  assertEquals(kept.length, 1_000);
  assertEquals(kept.filter(({ line }) => line.message !== message).length, 0);
});

Deno.test("TopLines shortens the longest messages when all together are too long", () => {
  const lines = new TopLines(true, 10_000);
  for (let n = 0; n < 12_000; n++) {
    lines.offer(line(n, (n % 2 === 0 ? "s" : "l").repeat(n % 2 === 0 ? 400 : 16_000)));
  }
  const kept = lines.take(0, 10_000);
  assertEquals([kept.length, kept[0]?.key, kept.at(-1)?.key], [10_000, 11_999, 2_000]);
  const messages = kept.map(({ line }) => line.message);
  assertEquals(
    messages.filter((message) => message.startsWith("s")).every(({ length }) => length === 400),
    true,
  );
  const long = messages.filter((message) => message.startsWith("l"));
  assertEquals(
    long.filter((message) => message.endsWith("… [shortened, 16000 characters]")).length > 4_000,
    true,
  );
  assertEquals(messages.reduce((sum, { length }) => sum + length, 0) <= 16 * 1024 * 1024, true);
});

for (const descending of [true, false]) {
  Deno.test(`TopLines compares few lines at each call, descending ${descending}`, () => {
    const wanted = 20_000;
    const lines = new TopLines(descending, wanted);
    let reads = 0, mostReads = 0;
    const counted = <T>(call: () => T): T => {
      reads = 0;
      const result = call();
      mostReads = Math.max(mostReads, reads);
      return result;
    };
    const keys = Array.from({ length: 50_000 }, (_, n) => n * 7_919 % 100_003);
    for (const key of keys) {
      const place: PlacedLine = Object.defineProperty(line(key, "m"), "key", {
        get: () => {
          reads++;
          return key;
        },
      });
      counted(() => lines.offer(place));
    }
    const expected = keys.toSorted((a, b) => descending ? b - a : a - b).slice(wanted - 100, wanted);
    assertEquals(counted(() => lines.take(wanted - 100, 1_000)).map(({ key }) => key), expected);
    assertEquals(lines.count, wanted);
    assertLess(mostReads, 20 * wanted);
  });
}
