/**
 * Runs one input and says what is wrong with it, rejections that nobody handles included. Its time is that of the
 * processor, so that a busy machine makes no findings.
 */
import { cpuUsage } from "node:process";
import { detailOf, type Finding, kindOf, MAX_INPUT_MS } from "./finding.ts";
import { shrink } from "./shrink.ts";
import type { Input, Target } from "./target.ts";

/** What one input showed: its mistake, else nothing. */
export type Mistake = Pick<Finding, "kind" | "detail"> | undefined;

const MAX_SLOW_RUNS = 3;

const CALIBRATION_ROUNDS = 5e7;
/** What the rounds take on a machine that does nothing else. */
const CALIBRATION_MS = 100;

/** How many times slower than alone the machine is now: neighbours take caches and clock from the processor too. */
function slowness(): number {
  const before = cpuUsage();
  let sum = 0;
  for (let round = 0; round < CALIBRATION_ROUNDS; round++) sum = (sum * 31 + round) | 0;
  // The sum is used, so that the loop is not left out.
  return sum === 0.5 ? 1 : cpuUsage(before).user / 1_000 / CALIBRATION_MS;
}

/** Runs inputs one after the other. */
export class Trials {
  readonly #unhandled: unknown[] = [];

  /** Begins to listen for rejections that nobody handles. */
  start(): void {
    globalThis.addEventListener("unhandledrejection", (event) => {
      event.preventDefault();
      this.#unhandled.push(event.reason);
    });
  }

  /** The mistake that an input shows. A slow one is run again and again: the machine may have been busy. */
  async run(target: Target, input: Input): Promise<Mistake> {
    let mistake = await this.#once(target, input);
    for (let again = 0; again < MAX_SLOW_RUNS && mistake?.kind === "slow"; again++) {
      mistake = await this.#once(target, input);
    }
    return mistake;
  }

  /** A smaller input with the same mistake. */
  async shrink(target: Target, input: Input, kind: string): Promise<Input> {
    return await shrink(input, async (candidate) => (await this.#once(target, candidate))?.kind === kind);
  }

  async #once(target: Target, input: Input): Promise<Mistake> {
    const before = cpuUsage();
    try {
      await target.check(input);
    } catch (error) {
      return { kind: kindOf(error), detail: detailOf(error) };
    }
    const { user, system } = cpuUsage(before);
    const ms = Math.round((user + system) / 1_000);
    if (ms > MAX_INPUT_MS && ms > MAX_INPUT_MS * slowness()) {
      return { kind: "slow", detail: `It takes ${ms} ms of the processor` };
    }
    const [unhandled] = this.#unhandled.splice(0);
    if (unhandled === undefined) return undefined;
    return { kind: `unhandled ${kindOf(unhandled)}`, detail: detailOf(unhandled) };
  }
}
