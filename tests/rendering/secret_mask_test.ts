import { assertEquals } from "@std/assert";
import { SecretMask } from "../../src/rendering/secret_mask.ts";
import { masked } from "../support/masked.ts";

const PEM = "-----BEGIN KEY-----\nAAAABBBBCCCC\nDDDDEEEEFFFF\nx\n-----END KEY-----\n";

/** Secrets, text, masked text. */
const CASES: readonly [string, readonly string[], string, string][] = [
  ["no secret", [], "password", "password"],
  ["an empty secret", [""], "password", "password"],
  ["a secret", ["password"], "my password, password!", "my ********, ********!"],
  ["a secret with characters of patterns", ["a.b*c"], "a.b*c axbbc", "***** axbbc"],
  ["a secret that holds another", ["pass", "password"], "password pass", "******** ****"],
  ["a secret that another one holds, added later", ["password", "pass"], "password pass", "******** ****"],
  ["three characters", ["abc"], "xabcx", "x***x"],
  ["two characters within a text", ["on"], "on and on", "on and on"],
  ["two characters as the whole text", ["on"], "on", "**"],
  ["two characters as the whole text, with spaces", ["on"], " on\n", "****"],
  ["one character as the whole text", ["1"], "1", "*"],
  ["a secret of several lines", [PEM], `key: ${PEM}`, `key: ${masked(PEM.length)}`],
  ["a line of a secret", [PEM], "line 2 is AAAABBBBCCCC", "line 2 is **masked****"],
  [
    "a line of a secret, other line ends",
    [PEM],
    "AAAABBBBCCCC\r\nDDDDEEEEFFFF",
    "**masked****\r\n************",
  ],
  ["a short line of a secret", [PEM], "x = 1", "x = 1"],
  ["a secret as it stands in JSON", ['say "hi"'], '{"s":"say \\"hi\\""}', '{"s":"**masked**"}'],
  [
    "a secret of several lines in JSON",
    ["one two\nthree"],
    '{"s":"one two\\nthree"}',
    '{"s":"**masked******"}',
  ],
  ["a secret without the blanks around it", ["  secret \n"], "secret", "******"],
  ["a secret of stars", ["***"], "***", "***"],
  [
    "a secret that a message cuts",
    ["sesame-0815-4711"],
    '"sesame-0815…" is no number',
    '"**masked***…" is no number',
  ],
  ["a secret that a message cuts after its text", ["sesame-0815"], "x sesame-0 …", "x ******** …"],
  ["each secret that is cut", ["sesame-0815", "other-0815"], "sesame-0…, other-08…", "********…, ********…"],
  ["a secret as it stands in JSON, cut", ['say "hi" now'], '{"s":"say \\"hi…', '{"s":"********…'],
  ["no beginning of a secret without a cut", ["sesame-0815"], "sesame-0, …", "sesame-0, …"],
  ["no fewer than eight characters of a cut secret", ["sesame-0815"], "sesame-…", "sesame-…"],
  ["no cut text that goes on otherwise", ["sesame-0815"], "sesame-1…", "sesame-1…"],
  ["letters beyond ASCII", ["Grüße🎉"], "Grüße🎉!", "*******!"],
];

Deno.test("hide() shows nothing of the lengths of secrets", () => {
  const mask = new SecretMask();
  for (const secret of ["on", "long secret", "secret", "***"]) mask.add(secret);
  const texts = ["on", "one", "a long secret, a secret", "***"];
  assertEquals(texts.map((text) => mask.hide(text)), ["******", "one", "a ******, a ******", "******"]);
});

for (const [name, secrets, text, expected] of CASES) {
  Deno.test(`apply() masks ${name}`, () => {
    const mask = new SecretMask();
    for (const secret of secrets) mask.add(secret);
    assertEquals(mask.apply(text), expected);
  });
}

Deno.test("apply() masks secrets that are added after a text was masked, the longest first", () => {
  const mask = new SecretMask();
  mask.add("abcd");
  assertEquals(mask.apply("abcdef"), "****ef");
  mask.add("abcdef");
  assertEquals(mask.apply("abcdef abcd"), "****** ****");
});
