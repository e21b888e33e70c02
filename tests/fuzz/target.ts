/** What the fuzzer knows of a part of the product: how to make inputs, and what must hold of each. */
import type { Chance } from "../crash/chance.ts";

/** The texts of one input, each of which may be made shorter on its own. */
export type Input = readonly string[];

/** A part of the product that is given inputs. */
export interface Target {
  readonly name: string;
  /** The same draws give the same input. */
  generate(chance: Chance): Input;
  /** Throws whatever is found wrong: an error of this module, or one that the product should not have thrown. */
  check(input: Input): void | Promise<void>;
}

/** Something that must hold does not. */
class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant";
}

/** Ends a check. @throws BrokenInvariant always */
function broken(message: string): never {
  throw new BrokenInvariant(message);
}

/** @throws BrokenInvariant when `holds` is false */
export function expect(holds: boolean, message: () => string): asserts holds {
  if (!holds) broken(message());
}

/** What `run` gives; `undefined` when it refuses with an error of the product's own. @throws whatever else it throws */
export function attempt<T>(run: () => T, isOwn: (error: unknown) => boolean): T | undefined {
  try {
    return run();
  } catch (error) {
    if (isOwn(error)) return undefined;
    throw error;
  }
}

/** Start of a text, as messages show it. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text);
}
