import { assertEquals } from "@std/assert";
import { ansiSpans } from "../../../../src/ui/app/kit/ansi.tsx";

const CASES:
  readonly (readonly [name: string, text: string, spans: readonly (readonly [string, string])[]])[] = [
    ["plain text", "hello", [["hello", ""]]],
    ["colours until the reset", "\x1b[32mok\x1b[0m end", [["ok", "ansi-green"], [" end", ""]]],
    ["several codes in one", "\x1b[1;31mbad", [["bad", "ansi-red ansi-bold"]]],
    ["bright colours by their name", "\x1b[93mwarn", [["warn", "ansi-yellow"]]],
    ["backgrounds", "\x1b[44mblue\x1b[49m-", [["blue", "ansi-on-blue"], ["-", ""]]],
    ["the end of bold alone", "\x1b[1;31ma\x1b[22mb", [["a", "ansi-red ansi-bold"], ["b", "ansi-red"]]],
    ["the end of an underline", "\x1b[4ma\x1b[24mb", [["a", "ansi-underline"], ["b", ""]]],
    ["colours of the palette", "\x1b[38;5;2mgreen", [["green", "ansi-green"]]],
    ["full colours without effect", "\x1b[38;2;1;2;3mx", [["x", ""]]],
    ["moves of the cursor and titles are left out", "a\x1b[2Kb\x1b]0;title\x07c", [["a", ""], ["b", ""], [
      "c",
      "",
    ]]],
    ["a reset without a number", "\x1b[31ma\x1b[mb", [["a", "ansi-red"], ["b", ""]]],
  ];

for (const [name, text, spans] of CASES) {
  Deno.test(`ansiSpans() ${name}`, () => {
    assertEquals(ansiSpans(text).map(({ text, style }) => [text, style]), spans.map((span) => [...span]));
  });
}
