import { assertEquals, assertRejects } from "@std/assert";
import { type SseEvent, sseEvents } from "../../../src/base/network/sse_events.ts";

function streamOf(chunks: readonly (string | Uint8Array)[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return ReadableStream.from(
    chunks.map((chunk) => typeof chunk === "string" ? encoder.encode(chunk) : new Uint8Array(chunk)),
  );
}

const EURO = new TextEncoder().encode("data: €\n\n");

const CASES: readonly (readonly [
  name: string,
  chunks: readonly (string | Uint8Array)[],
  events: readonly SseEvent[],
])[] = [
  ["no bytes", [], []],
  ["one line", ["data: a\n\n"], [{ data: "a" }]],
  ["no space after the colon, and only one is removed", ["data:a\ndata:  b\n\n"], [{ data: "a\n b" }]],
  ["a field without a colon", ["data\n\n"], [{ data: "" }]],
  ["all fields", [": note\nid: 1\nevent: e\nretry: 1500\ndata: x\n\n"], [
    { data: "x", id: "1", name: "e", comment: "note", retryMs: 1500 },
  ]],
  ["an event without data", ["event: e\n\ndata: a\n\n"], [{ data: "a" }]],
  ["a retry that is no number, and an unknown field", ["retry: soon\nfoo: 1\ndata: a\n\n"], [{
    data: "a",
  }]],
  ["an id with a null character", ["id: a\0\ndata: a\n\n"], [{ data: "a" }]],
  ["CR, LF and CR LF", ["data: a\r\rdata: b\n\ndata: c\r\n\r\n"], [{ data: "a" }, { data: "b" }, {
    data: "c",
  }]],
  ["CR and LF in two chunks", ["data: a\r", "\n\r", "\ndata: b\r", "\r"], [{ data: "a" }, { data: "b" }]],
  ["a line in pieces", ["da", "ta: ", "a", "b\n", "\n"], [{ data: "ab" }]],
  ["a character in two chunks", [EURO.slice(0, 7), EURO.slice(7)], [{ data: "€" }]],
  ["a last event without a blank line", ["data: a\n\ndata: b"], [{ data: "a" }, { data: "b" }]],
  ["a byte order mark", ["\uFEFFdata: a\n\n"], [{ data: "a" }]],
];

for (const [name, chunks, events] of CASES) {
  Deno.test(`sseEvents() reads ${name}`, async () => {
    assertEquals(await Array.fromAsync(sseEvents(streamOf(chunks))), [...events]);
  });
}

Deno.test("sseEvents() refuses an event that is too large, in one line or in several, before it ends", async () => {
  const read = (chunks: readonly string[]) => Array.fromAsync(sseEvents(streamOf(chunks), 10));
  assertEquals((await read(["data: a\n\n".repeat(9)])).length, 9);
  for (const chunks of [["data: ", "12345"], ["data: a\n", ": bc\n"], ["data: 12345\n\n"]]) {
    await assertRejects(() => read(chunks), Error, "Cannot read an event: it has more than 10 characters");
  }
});

Deno.test("sseEvents() cancels the body when the loop ends", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("data: a\n\n")),
    cancel: () => void (isCancelled = true),
  });
  for await (const { data } of sseEvents(body)) {
    assertEquals(data, "a");
    break;
  }
  assertEquals(isCancelled, true);
});
