/** The variables that templates and programs of the fuzzer see. */
import { type JsonObject, stringifyJson } from "../../../src/base/json.ts";
import { ExpressionError, type HostFunction, type Scope } from "../../../src/expr/mod.ts";
import { kinded, scopeOf } from "../../expr/support.ts";
import { expect, shown } from "../target.ts";

const DATA = `{
  "a": "Ada", "b": true, "i": 42, "d": -12.50, "n": null, "neg": -7, "z": 0, "t": "2024-02-29T23:59:59.123456789+05:30",
  "big": 9007199254740993, "huge": 123456789012345678901234567890, "s": "{{ a }} {% if b %}x{% endif %}",
  "l": [3, 1, 2.5, null, "x", [1, [2]], {"k": "v"}], "m": {"k": "v", "n": null, "1": 2, "a b": {"x": [1]}},
  "mixed": [1, "1", 1.0, true, null, [], {}], "uni": "e\\u0301 \\u6f22\\ud83d\\ude00\\u0130\\u00df \\ud800",
  "dates": ["2024-01-01", "10:11:12", 1714979289123, "2024-W05", ""], "json": "{\\"a\\": [1, 2.0, {\\"b\\": null}]}",
  "ion": "{a: 1, b: [x, 2024T]}", "html": "<a href='x'>&amp;</a>", "outputs": {"t": {"value": 1}, "__proto__": {"x": 1}},
  "inputs": {"name": "n", "list": ["a", "b"], "file": "store:///x"}, "constructor": "own",
  "long": "${"0123456789 aAbB,;".repeat(100)}", "deep": ${"[".repeat(60)}${"]".repeat(60)}
}`;

/** Variables of every kind, with names that prototypes have too. */
export const VARIABLES: JsonObject = kinded(DATA);

const BEFORE = stringifyJson(VARIABLES);

const FUNCTIONS: ReadonlyMap<string, HostFunction> = new Map([
  ["secret", { parameters: ["key"], call: (args) => `<${args.size}>` }],
  ["kv", { parameters: ["key", "namespace", "errorOnMissing"], call: (args) => args.get("key") ?? null }],
]);

/** The scope of one evaluation: the same each time. */
export function fuzzScope(): Scope {
  return scopeOf(VARIABLES, { functions: FUNCTIONS });
}

/** True for the one error that expressions may end with. */
export function isExpressionError(error: unknown): error is ExpressionError {
  return error instanceof ExpressionError;
}

/** @throws BrokenInvariant when an evaluation changed what it was given */
export function expectSameVariables(): void {
  expect(stringifyJson(VARIABLES) === BEFORE, () => "The variables have been changed");
}

/** Messages quote what they speak of, cut. */
const MAX_MESSAGE_LENGTH = 3_000;

/** @throws BrokenInvariant when an error has a place outside its source, or speaks too much */
export function expectPlace({ offset, line, column, message }: ExpressionError, source: string): void {
  const isInside = offset >= 0 && offset <= source.length && line >= 1 && column >= 1 &&
    line <= source.split("\n").length;
  expect(isInside, () => `${offset}, ${line}:${column} is no place in ${shown(source)}: ${message}`);
  expect(
    message.length <= MAX_MESSAGE_LENGTH,
    () => `A message of ${message.length} characters: ${shown(message)}`,
  );
}
