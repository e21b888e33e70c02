/** Functions of values by `name/arity`, and known names that are refused. */
import { COMBINATORS } from "./combinators.ts";
import { DATE_FUNCTIONS } from "./dates.ts";
import type { ValueFunction } from "./entry.ts";
import { LIST_FUNCTIONS } from "./lists.ts";
import { MATH_FUNCTIONS } from "./math.ts";
import { PRELUDE } from "./prelude.ts";
import { REGEX_FUNCTIONS } from "./regex.ts";
import { TEXT_FUNCTIONS } from "./text.ts";
import { VALUE_FUNCTIONS } from "./values.ts";

/** Functions by `name/arity`. */
export const FUNCTIONS: ReadonlyMap<string, ValueFunction> = new Map<string, ValueFunction>([
  ...VALUE_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...MATH_FUNCTIONS,
  ...DATE_FUNCTIONS,
  ...REGEX_FUNCTIONS,
  ["builtins/0", () => builtinNames()],
]);

/** Functions that read input, end the process or load modules: not available here. */
export const UNAVAILABLE: ReadonlySet<string> = new Set(
  ["input/0", "inputs/0", "halt/0", "halt_error/0", "halt_error/1", "get_search_list/0", "modulemeta/0"],
);

function builtinNames(): string[] {
  const keys = [...COMBINATORS.keys(), ...FUNCTIONS.keys(), ...PRELUDE.keys()];
  return keys.filter((key) => !key.startsWith("_"));
}
