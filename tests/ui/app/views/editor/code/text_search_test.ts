/** Finding a text in a source. */
import { assertEquals } from "@std/assert";
import {
  matchesIn,
  MAX_MATCHES,
  patternOf,
  type Query,
  replacementAt,
} from "../../../../../../src/ui/app/views/editor/code/text_search.ts";

const PLAIN: Query = { text: "", isRegExp: false, isCaseSensitive: false, isWholeWord: false };

function found(source: string, query: Partial<Query>): string[] | undefined {
  const pattern = patternOf({ ...PLAIN, ...query });
  return pattern && matchesIn(source, pattern).map(({ from, to }) => source.slice(from, to));
}

Deno.test("patternOf() takes a text as it is, and expressions as such", () => {
  assertEquals(found("a.b a-b A.B", { text: "a.b" }), ["a.b", "A.B"]);
  assertEquals(found("a.b a-b A.B", { text: "a.b", isRegExp: true }), ["a.b", "a-b", "A.B"]);
  assertEquals(found("a.b a-b A.B", { text: "a.b", isCaseSensitive: true }), ["a.b"]);
  assertEquals(found("{{ x }} [1] c:\\d", { text: "}} [1] c:\\" }), ["}} [1] c:\\"]);
  assertEquals(found("id grid id_ ïd id", { text: "id", isWholeWord: true }), ["id", "id"]);
  assertEquals(found("one\ntwo", { text: "^t", isRegExp: true }), ["t"]);
  assertEquals(found("a", { text: "" }), undefined);
  assertEquals(found("a", { text: "(", isRegExp: true }), undefined);
});

Deno.test("matchesIn() ends, also for an expression that matches nothing, and for very many matches", () => {
  assertEquals(found("abc", { text: "x*", isRegExp: true }), []);
  assertEquals(found("a".repeat(MAX_MATCHES + 10), { text: "a" })?.length, MAX_MATCHES);
});

Deno.test("replacementAt() puts in what the groups of an expression found", () => {
  const pattern = patternOf({ ...PLAIN, text: "(r)(e)d", isRegExp: true });
  if (!pattern) throw new Error("no pattern");
  assertEquals(replacementAt("a Red", { from: 2, to: 5 }, pattern, "$2$1-$&-$$1-$3"), "eR-Red-$1-$3");
});
