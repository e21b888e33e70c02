/** Makes an input smaller as long as the same thing is wrong with it. */
import type { Input } from "./target.ts";

/** True when the smaller input shows the same. */
export type StillFails = (input: Input) => Promise<boolean>;

/** Inputs that are tried at most. */
const MAX_TRIES = 2_000;

/** The smallest input that was found: texts lose spans, then their characters become plainer. */
export async function shrink(input: Input, stillFails: StillFails): Promise<Input> {
  let best = input;
  let tries = 0;
  const accepts = async (candidate: Input): Promise<boolean> => {
    if (tries++ >= MAX_TRIES || !await stillFails(candidate)) return false;
    best = candidate;
    return true;
  };
  for (let before = -1; before !== size(best) && tries < MAX_TRIES;) {
    before = size(best);
    for (const index of input.keys()) await shorten(() => best, index, accepts);
  }
  return best;
}

function size(input: Input): number {
  return input.reduce((sum, text) => sum + text.length, 0);
}

/** Takes away halves, quarters, and so on, down to single characters. */
async function shorten(
  current: () => Input,
  index: number,
  accepts: (candidate: Input) => Promise<boolean>,
): Promise<void> {
  for (let span = textAt(current(), index).length; span >= 1; span = Math.floor(span / 2)) {
    for (let at = 0; at < textAt(current(), index).length;) {
      const text = textAt(current(), index);
      const shorter = text.slice(0, at) + text.slice(at + span);
      if (!await accepts(current().with(index, shorter))) at += span;
    }
  }
}

function textAt(input: Input, index: number): string {
  return input[index] ?? "";
}
