/** Every built-in function by name. A new function is one entry of a table. */
import type { BuiltInFunction } from "../entry.ts";
import { CONTEXT_FUNCTIONS } from "./context.ts";
import { CRYPTO_FUNCTIONS } from "./crypto.ts";
import { DATA_FUNCTIONS, ION_FUNCTIONS } from "./data.ts";
import { OUTPUT_FUNCTIONS } from "./outputs.ts";
import { RANDOM_FUNCTIONS } from "./random.ts";

/** Functions by name, without `block`, which the compiler handles. */
export const FUNCTIONS: ReadonlyMap<string, BuiltInFunction> = new Map([
  ...DATA_FUNCTIONS,
  ...RANDOM_FUNCTIONS,
  ...CRYPTO_FUNCTIONS,
  ...CONTEXT_FUNCTIONS,
  ...ION_FUNCTIONS,
  ...OUTPUT_FUNCTIONS,
]);

/** The parameter names of every built-in function, `block` included. */
export const BUILT_IN_FUNCTION_PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["block", ["name"]],
  ...[...FUNCTIONS].map(([name, { parameters }]) => [name, parameters] as const),
]);

/** Every built-in function name, `block` included. */
export const BUILT_IN_FUNCTION_NAMES: readonly string[] = [...BUILT_IN_FUNCTION_PARAMETERS.keys()];
