import { assertEquals } from "@std/assert";
import { pageOfLine } from "../../../../../src/ui/app/views/execution/paged_log.ts";

Deno.test("pageOfLine() counts pages from the nearer end of the log", () => {
  assertEquals(pageOfLine(9_999, 10_000), { page: 1, isFromEnd: true });
  assertEquals(pageOfLine(9_500, 10_000), { page: 1, isFromEnd: true });
  assertEquals(pageOfLine(9_499, 10_000), { page: 2, isFromEnd: true });
  assertEquals(pageOfLine(0, 10_000), { page: 1, isFromEnd: false });
  assertEquals(pageOfLine(500, 10_000), { page: 2, isFromEnd: false });
  assertEquals(pageOfLine(0, 1), { page: 1, isFromEnd: true });
});
