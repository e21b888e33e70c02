/** Inputs by number: the same seed, target and number give the same input, on every machine. */
import { Chance } from "../crash/chance.ts";
import type { Input, Target } from "./target.ts";

/** The input of that number. */
export function inputAt(target: Target, seed: number, index: number): Input {
  return target.generate(chanceAt(target.name, seed, index));
}

/** The chance of the input of that number; `name` separates the inputs of different targets. */
export function chanceAt(name: string, seed: number, index: number): Chance {
  return new Chance(mix(mix(seed, hash(name)), index));
}

function mix(a: number, b: number): number {
  const bits = Math.imul(a ^ (b + 0x9e3779b9), 0x85ebca6b);
  return (bits ^ (bits >>> 13)) >>> 0;
}

function hash(text: string): number {
  let hash = 0x811c9dc5;
  for (const sign of text) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
