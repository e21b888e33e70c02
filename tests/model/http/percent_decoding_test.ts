import { assertEquals } from "@std/assert";
import { percentDecoded } from "../../../src/model/http/percent_decoding.ts";

const TEXTS: readonly (readonly [text: string, decoded: string | undefined])[] = [
  ["", ""],
  ["a b", "a b"],
  ["a%20b%c3%a9", "a bé"],
  ["100%", undefined],
  ["%zz", undefined],
  ["%ff", undefined],
  ["%c0%ae", undefined],
];

for (const [text, decoded] of TEXTS) {
  Deno.test(`percentDecoded("${text}") returns ${JSON.stringify(decoded)}`, () => {
    assertEquals(percentDecoded(text), decoded);
  });
}
