/** Random sources: whatever is written, a template renders or fails as one of ours. */
import fc from "fast-check";
import { assert } from "@std/assert";
import { compileTemplate, ExpressionError, FILTER_NAMES, renderValue } from "../../src/expr/mod.ts";
import { kinded, scopeOf } from "./support.ts";

const RUNS = 5000;
const TOKENS = [
  ..."{{ }} {% %} {# #} {{- -}} ( ) [ ] { } , : . = | ~ + - * / % < > == != ?? ??? ? .. ' \" #{ \\".split(
    " ",
  ),
  ..."and or not is contains isIn defined empty null true 1 2.5 10L 'a' \"b\" a l m z loop in".split(" "),
  ..."if elseif else endif for endfor set macro endmacro filter endfilter block endblock raw endraw verbatim"
    .split(" "),
  ..."max range render fromJson yaml now randomInt f".split(" "),
  "'{{ a }}'",
  "'(a*)+'",
  "'yyyy'",
  "\n",
  "é",
  ...FILTER_NAMES,
];
const data = kinded({ a: 1, l: [1, "x", null], m: { k: "v", n: null } });

function evaluate(source: string): void {
  try {
    renderValue(
      compileTemplate(source),
      scopeOf(data, { limits: { maxSteps: 20_000, maxOutputLength: 100_000 } }),
    );
  } catch (error) {
    assert(
      error instanceof ExpressionError,
      `${String(error)}\n${error instanceof Error ? error.stack : ""}`,
    );
    assert(error.offset >= 0 && error.line >= 1, "an error without a place");
  }
}

/** fast-check puts the seed and the path of a failure into the error it throws. */
function check(sources: fc.Arbitrary<string>): void {
  fc.assert(fc.property(sources, evaluate), { numRuns: RUNS, verbose: 1 });
}

const soup = fc.array(fc.constantFrom(...TOKENS), { maxLength: 25 }).map((tokens) => tokens.join(" "));
const operand = fc.constantFrom(
  "1",
  "2.5",
  "'a'",
  "''",
  "null",
  "true",
  "a",
  "l",
  "m",
  "z",
  "[1]",
  "{'k': 1}",
  "(1..3)",
  "m.k",
);
const chain = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constantFrom(
        "+",
        "-",
        "*",
        "/",
        "%",
        "~",
        "==",
        "<",
        "and",
        "or",
        "contains",
        "isIn",
        "??",
        "..",
        "is",
      ),
      operand,
    ),
    fc.tuple(
      fc.constant("|"),
      fc.tuple(fc.constantFrom(...FILTER_NAMES), operand, operand).map(([name, a, b]) =>
        `${name}(${a}, ${b})`
      ),
    ),
    fc.tuple(
      fc.constant("|"),
      fc.tuple(fc.constantFrom(...FILTER_NAMES), operand).map(([name, a]) => `${name}(${a})`),
    ),
    fc.tuple(fc.constant("|"), fc.constantFrom(...FILTER_NAMES)),
  ),
  { maxLength: 6 },
).map((steps) => steps.map(([operator, right]) => `${operator} ${right}`).join(" "));

Deno.test("compileTemplate() throws only ExpressionError for random tokens", () => check(soup));

Deno.test("renderValue() throws only ExpressionError for random tokens inside a print", () => {
  check(soup.map((text) => `{{ ${text} }}`));
});

Deno.test("renderValue() throws only ExpressionError on chains of operators and filters", () => {
  check(fc.tuple(operand, chain).map(([first, rest]) => `{{ ${first} ${rest} }}`));
});

Deno.test("renderValue() throws only ExpressionError on random regular expressions and date patterns", () => {
  const regex = fc.stringMatching(/^[ab()[\]{}*+?|.^$\\dwsbpLQE12,&-]{0,14}$/);
  const letters = fc.stringMatching(/^[yMdHhmsSnaEXxZzVODQwGeuf'[\] :.-]{0,10}$/);
  const quote = (text: string) => `"${text.replaceAll("#", "").replaceAll('"', "")} "`;
  check(
    fc.tuple(regex, letters).map(([pattern, format]) =>
      `{{ 'aab12' | regexReplace(${quote(pattern)}, '-') }}{{ '2024-05-06T07:08:09Z' | date(${
        quote(format)
      }) | date(existingFormat=${quote(format)}) }}`
    ),
  );
});
