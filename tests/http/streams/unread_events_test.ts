import { assertEquals } from "@std/assert";
import { UnreadEvents } from "../../../src/http/streams/unread_events.ts";

function create(maxBytes: number) {
  const unread = new UnreadEvents(maxBytes);
  const stalled: string[] = [];
  const stream = (name: string) => ({ stall: () => void stalled.push(name) });
  return { unread, stalled, stream };
}

Deno.test("UnreadEvents counts bytes that streams share once, until the last one lets go", () => {
  const { unread, stalled, stream } = create(100);
  const [shared, own] = [new Uint8Array(60), new Uint8Array(30)];
  const streams = Array.from({ length: 50 }, (_, index) => stream(String(index)));
  for (const each of streams) unread.hold(each, [shared]);
  assertEquals([unread.bytes, stalled], [60, []]);
  for (const each of streams.slice(1)) unread.release(each);
  unread.hold(streams[1] ?? stream(""), [own, own]);
  assertEquals(unread.bytes, 90);
  for (const each of streams) unread.release(each);
  assertEquals(unread.bytes, 0);
});

/** Sizes that streams hold one after the other, those of which the client reads then, and the streams that end. */
const HELD: readonly [number[], number[], string[]][] = [
  [[50, 50], [], []],
  [[50, 50, 50], [], ["0"]],
  [[50, 50, 50], [0], ["1"]],
  [[50, 50, 50], [1, 0], ["1"]],
  [[30, 30, 30, 80], [], ["0", "1", "2"]],
  [[500], [], []],
  [[10, 500], [], ["0"]],
];
for (const [sizes, read, expected] of HELD) {
  Deno.test(`UnreadEvents ends ${expected.length} streams if ${sizes} of 100 bytes are held and ${read} are read`, () => {
    const { unread, stalled, stream } = create(100);
    const streams = sizes.map((_, index) => stream(String(index)));
    for (const [index, each] of streams.entries()) {
      if (index === streams.length - 1) { for (const reads of read) unread.moved(streams[reads] ?? each); }
      unread.hold(each, [new Uint8Array(sizes[index] ?? 0)]);
    }
    assertEquals(stalled, expected);
  });
}
