import { assertEquals } from "@std/assert";
import { type HtmlPart, markup } from "../../src/ui/markup.ts";

const CASES: readonly (readonly [string, HtmlPart, string])[] = [
  [
    "escapes what could be markup",
    `<script>alert("1")</script>`,
    "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;",
  ],
  ["escapes quotes of attributes", `' onload='x`, "&#39; onload=&#39;x"],
  ["escapes entities", "&lt;", "&amp;lt;"],
  ["keeps markup", markup`<b>${"<"}</b>`, "<b>&lt;</b>"],
  ["joins lists", ["<", markup`<i></i>`, 1, undefined], "&lt;<i></i>1"],
  ["leaves out what is not there", undefined, ""],
  ["leaves out what does not hold", false, ""],
  ["shows zero", 0, "0"],
];
for (const [what, part, expected] of CASES) {
  Deno.test(`markup() ${what}`, () => assertEquals(markup`<p>${part}</p>`.text, `<p>${expected}</p>`));
}
