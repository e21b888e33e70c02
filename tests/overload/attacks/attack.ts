/** What every attack has in common. */
import type { Target } from "../target.ts";

/** What an attack may do. */
export interface AttackSettings {
  readonly target: Target;
  /** Of the attacks that open connections and nothing else. */
  readonly connections: number;
  /** Tells what it has done so far, replacing what it told before. */
  readonly report: (text: string) => void;
  /** Aborted at the end. */
  readonly signal: AbortSignal;
}

/** An attack of one client. */
export interface Attack {
  readonly name: string;
  /** Stores what the attack needs, before it is measured. */
  readonly prepare?: (target: Target) => Promise<void>;
  /** Attacks until the signal is aborted; settles soon after it. `ready` is called when it is at its height. */
  readonly run: (settings: AttackSettings, ready: () => void) => Promise<void>;
}

/** Calls `send` from `workers` loops until the signal is aborted; counts what it returns. */
export async function repeat(
  { signal, report }: AttackSettings,
  workers: number,
  send: () => Promise<string>,
): Promise<void> {
  const counts = new Map<string, number>();
  const work = async () => {
    while (!signal.aborted) {
      const result = await send().catch((error) => error instanceof Error ? error.name : String(error));
      counts.set(result, (counts.get(result) ?? 0) + 1);
      report([...counts].map(([name, count]) => `${count} × ${name}`).join(", "));
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
}

/** Settles when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  if (signal.aborted) aborted.resolve();
  signal.addEventListener("abort", () => aborted.resolve());
  return aborted.promise;
}
