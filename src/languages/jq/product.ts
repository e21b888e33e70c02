/** Every way to combine the results of several codes. */
import type { JsonValue } from "../../base/json.ts";
import type { Code, Env, Item } from "./code.ts";

/** One result of each, the last one turning slowest. */
export function* product(codes: readonly Code[], item: Item, env: Env): Iterable<JsonValue[]> {
  const values: JsonValue[] = new Array(codes.length).fill(null);
  if (codes.length === 0) yield values;
  else yield* turn({ codes, values, at: codes.length - 1 }, item, env);
}

interface Wheel {
  readonly codes: readonly Code[];
  readonly values: JsonValue[];
  readonly at: number;
}

function* turn({ codes, values, at }: Wheel, item: Item, env: Env): Iterable<JsonValue[]> {
  for (const { value } of (codes[at] as Code).many(item, env)) {
    values[at] = value;
    if (at > 0) yield* turn({ codes, values, at: at - 1 }, item, env);
    else yield values.slice();
  }
}

/** The results of codes that have one each at most; `undefined` when one has none. */
export function singlesOf(
  codes: readonly Code[],
): ((item: Item, env: Env) => JsonValue[] | undefined) | undefined {
  const singles = codes.map((code) => code.single);
  if (!singles.every((one) => one !== undefined)) return undefined;
  return (item, env) => {
    const values: JsonValue[] = new Array(singles.length);
    for (let at = singles.length - 1; at >= 0; at--) {
      const result = singles[at]?.(item, env);
      if (result === undefined) return undefined;
      values[at] = result.value;
    }
    return values;
  };
}
