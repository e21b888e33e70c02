/** Walks what grows out of a value, depth first, without a stack of calls. */
import { fail } from "../values/mod.ts";
import type { Item, Machine } from "./code.ts";

/** Values begun and not finished; each holds some 200 bytes. */
const MAX_PENDING = 20_000;

/** The item, then what `grow` makes of it, and of that, and so on. @throws ExpressionError `limit` */
export function* unfold(
  item: Item,
  machine: Machine,
  grow: (item: Item, machine: Machine) => Iterable<Item>,
): Iterable<Item> {
  yield item;
  const pending = [grow(item, machine)[Symbol.iterator]()];
  for (let top = pending.at(-1); top; top = pending.at(-1)) {
    machine.spend(1);
    const next = top.next();
    if (next.done) {
      pending.pop();
      continue;
    }
    yield next.value;
    if (pending.length > MAX_PENDING) fail("limit", `Cannot recurse deeper than ${MAX_PENDING} values in jq`);
    pending.push(grow(next.value, machine)[Symbol.iterator]());
  }
}
