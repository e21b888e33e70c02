import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { cursorText, readCursor } from "../../../src/http/filters/log_cursor.ts";
import { Harness } from "../../support/harness.ts";
import { logFlow, search } from "../log_flow.ts";

/** Seven executions of two lines each; some begin at the same time. */
async function startTalking(): Promise<Harness> {
  const server = await Harness.start();
  await server.save(logFlow("talk"));
  for (const word of ["a", "b", "c", "d", "e", "f", "g"]) {
    await server.start("talk", { word });
    if (word > "c") await server.advance(1_000);
  }
  return server;
}

/** Follows cursors to the end; the messages, and how many pages there were. */
async function follow(server: Harness, query: string): Promise<[messages: string[], pages: number]> {
  const messages: string[] = [];
  let cursor = "";
  for (let pages = 1;; pages++) {
    assert(pages < 50, "the pages do not end");
    const page = await search(server, `${query}&cursor=${cursor}`);
    messages.push(...page.results.map(({ message = "" }) => message));
    if (page.cursor === undefined) return [messages, pages];
    cursor = encodeURIComponent(page.cursor);
  }
}

for (const sort of ["timestamp:desc", "timestamp:asc"]) {
  for (const size of [1, 3, 4, 7, 14, 100]) {
    Deno.test(`GET /logs/search?sort=${sort}&size=${size} reaches every line once by cursors`, async () => {
      await using server = await startTalking();
      const all = await search(server, `sort=${sort}&size=100`);
      const [messages, pages] = await follow(server, `sort=${sort}&size=${size}`);
      assertEquals(messages, all.results.map(({ message }) => message));
      assertEquals([all.total, pages], [14, Math.floor(14 / size) + 1]);
    });
  }
}

Deno.test("GET /logs/search by cursors is not disturbed by lines that come meanwhile", async () => {
  await using server = await startTalking();
  const first = await search(server, "size=4&q=begins");
  await server.start("talk", { word: "late" });
  const second = await search(server, `size=100&q=begins&page=9&cursor=${first.cursor}`);
  const messages = [...first.results, ...second.results].map(({ message }) => message);
  assertEquals(messages.toSorted(), ["a", "b", "c", "d", "e", "f", "g"].map((word) => `${word} begins`));
  assertEquals(second.total, 3);
});

for (const cursor of ["x", "1-2", "1-2-3 4", "-1-2-A", `1-1-${"a".repeat(65)}`, "1e3-1-A", "Infinity-0-"]) {
  Deno.test(`GET /logs/search?cursor=${cursor.slice(0, 20)} is refused`, async () => {
    await using server = await Harness.start();
    const response = await server.request("GET", `/logs/search?cursor=${encodeURIComponent(cursor)}`);
    assertEquals(response.status, 400);
    assertStringIncludes(
      (await response.json()).message,
      '"cursor" must be the one of the previous response',
    );
  });
}

Deno.test("readCursor() reads what cursorText() writes", () => {
  for (const place of [{ key: 0, executionId: "", number: 0 }, { key: 1e13, executionId: "~", number: 7 }]) {
    assertEquals(readCursor(new URLSearchParams({ cursor: cursorText(place) })), place);
  }
  assertEquals(readCursor(new URLSearchParams("cursor=")), undefined);
});
