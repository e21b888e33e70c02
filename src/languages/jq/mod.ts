/**
 * jq programs in templates. No library: `jq-wasm` 1.0 is asynchronous, while rendering is synchronous; it has no limit on
 * steps and memory, and loses number kinds (`1.0` → 1) and digits of 64-bit integers. A filter over 20 items takes 15 µs
 * here and 5.9 ms there (mean of 5,000 and 200 runs, 2 cores).
 */
import { Double, isJsonObject, type JsonValue } from "../../base/json.ts";
import { RecentCache } from "../../base/lru.ts";
import { fail, measureValue, type StepBudget } from "../values/mod.ts";
import { type Code, Env, Machine } from "./code.ts";
import { compileNode } from "./compile.ts";
import { BreakSignal, JqError } from "./errors.ts";
import { quoted } from "./lexer.ts";
import { parseJq } from "./parser.ts";
import { finite, toDisplay } from "./values.ts";

/** Longest program, in characters. */
const MAX_PROGRAM_LENGTH = 20_000;
/** Characters of the cached programs; a compiled one takes some 30 bytes per character. */
const MAX_KEPT_LENGTH = 400_000;
/** Longest message of an error of a program. */
const MAX_MESSAGE_LENGTH = 500;

/** A compiled program; stateless. */
class JqProgram {
  readonly source: string;
  readonly #code: Code;

  /** @throws ExpressionError `syntax`, `argument`, `limit` */
  constructor(source: string) {
    if (source.length > MAX_PROGRAM_LENGTH) {
      fail("limit", `Cannot use a jq program of more than ${MAX_PROGRAM_LENGTH} characters`);
    }
    this.source = source;
    this.#code = compileNode(parseJq(source));
  }

  /** All results, in order. @throws ExpressionError `argument` when the program fails, `limit` */
  run(value: JsonValue, context: StepBudget): JsonValue[] {
    const machine = new Machine(context);
    const results: JsonValue[] = [];
    try {
      for (const item of this.#code.many({ value, path: undefined }, Env.of(machine))) {
        machine.spend(1);
        results.push(settled(item.value, value, machine));
      }
    } catch (error) {
      return this.#refuse(error);
    }
    return results;
  }

  #refuse(error: unknown): never {
    if (error instanceof JqError) {
      const message = toDisplay(error.value).slice(0, MAX_MESSAGE_LENGTH);
      return fail("argument", `Cannot run the jq program "${quoted(this.source)}": ${message}`);
    }
    if (error instanceof BreakSignal) {
      return fail(
        "argument",
        `Cannot run the jq program "${quoted(this.source)}": break outside of its label`,
      );
    }
    if (error instanceof RangeError && error.message.includes("call stack")) {
      return fail("limit", `Cannot run the jq program "${quoted(this.source)}": it nests too deeply`);
    }
    throw error;
  }
}

/** A result whose size is checked, without NaN and infinity. */
function settled(result: JsonValue, input: JsonValue, machine: Machine): JsonValue {
  if (typeof result !== "object" || result === null || result === input) return result;
  machine.spend(measureValue(result).size >>> 5);
  return hasOddNumber(result) ? finite(result) : result;
}

function hasOddNumber(value: JsonValue): boolean {
  if (value instanceof Double) return !Number.isFinite(value.value);
  if (Array.isArray(value)) return value.some(hasOddNumber);
  return isJsonObject(value) && Object.values(value).some(hasOddNumber);
}

const kept = new RecentCache<string, JqProgram>(MAX_KEPT_LENGTH, ({ source }) => source.length + 100);

/** The compiled program of a source, from a cache. @throws ExpressionError `syntax`, `argument`, `limit` */
export function jqProgram(source: string): JqProgram {
  const known = kept.get(source);
  if (known) return known;
  const program = new JqProgram(source);
  kept.set(source, program);
  return program;
}
