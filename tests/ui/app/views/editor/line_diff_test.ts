/** The differences of two texts. */
import { assert, assertEquals } from "@std/assert";
import { innerChange, lineDiff } from "../../../../../src/ui/app/views/editor/line_diff.ts";

/** The parts as signs: `=` the lines stay, `-` they go, `+` they come. */
function signs(before: string, after: string): string[] {
  return lineDiff(before.split("").join("\n"), after.split("").join("\n")).map((part) =>
    part.isSame ? `=${part.before.join("")}` : `-${part.before.join("")}+${part.after.join("")}`
  );
}

Deno.test("lineDiff() has the fewest changed lines", () => {
  assertEquals(signs("abc", "abc"), ["=abc"]);
  assertEquals(signs("abc", "axc"), ["=a", "-b+x", "=c"]);
  assertEquals(signs("abc", "ac"), ["=a", "-b+", "=c"]);
  assertEquals(signs("ac", "abc"), ["=a", "-+b", "=c"]);
  assertEquals(signs("abcabba", "cbabac"), ["-ab+", "=c", "-+b", "=ab", "-b+", "=a", "-+c"]);
  assertEquals(signs("abc", "xyz"), ["-abc+xyz"]);
  assertEquals(signs("abcd", "bcda"), ["-a+", "=bcd", "-+a"]);
});

Deno.test("lineDiff() gives both texts back, whatever they are", () => {
  // All pairs of texts of up to four lines of three kinds.
  const texts = [""];
  for (const text of texts) if (text.length < 4) texts.push(...["a", "b", "c"].map((line) => text + line));
  for (const before of texts) {
    for (const after of texts) {
      const parts = lineDiff(before.split("").join("\n"), after.split("").join("\n"));
      const joined = (side: "before" | "after") => parts.flatMap((part) => part[side]).join("");
      assertEquals([joined("before"), joined("after")], [before, after]);
      assert(parts.every(({ isSame, before, after }) => !isSame || before.join() === after.join()));
    }
  }
});

Deno.test("lineDiff() shows texts that differ in too many lines as one change", () => {
  const lines = (prefix: string) =>
    Array.from({ length: 3000 }, (_, index) => `${prefix}${index}`).join("\n");
  const parts = lineDiff(`first\n${lines("a")}\nlast`, `first\n${lines("b")}\nlast`);
  assertEquals(parts.map(({ isSame, before }) => [isSame, before.length]), [[true, 1], [false, 3000], [
    true,
    1,
  ]]);
});

Deno.test("innerChange() finds what differs within a line, by whole characters", () => {
  assertEquals(innerChange("team: core", "team: mine"), { start: 6, end: 1 });
  assertEquals(innerChange("aa", "aaa"), { start: 2, end: 0 });
  assertEquals(innerChange("x😀y", "x😁y"), { start: 1, end: 1 });
  assertEquals(innerChange("", "abc"), { start: 0, end: 0 });
});
