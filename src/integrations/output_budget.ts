/** How much a task may write that converts files: a few bytes of a source may stand for any number of rows. */
import { stat } from "node:fs/promises";

/** Characters and bytes of the files that a task writes; and for each byte of its sources, if that is more. */
const MAX_OUTPUT = 4 * 1024 * 1024 * 1024;
const MAX_OUTPUT_PER_BYTE = 100;

/** Characters and bytes that the files of a task may have, and that it may still write. */
export interface OutputBudget {
  readonly max: number;
  left: number;
}

/** The budget of a task that converts these files. */
export async function outputBudget(...sources: readonly string[]): Promise<OutputBudget> {
  const stats = await Promise.all(sources.map((path) => stat(path)));
  const max = Math.max(MAX_OUTPUT, MAX_OUTPUT_PER_BYTE * stats.reduce((sum, { size }) => sum + size, 0));
  return { max, left: max };
}

/** Takes what is to be written from the budget. @throws Error it is spent */
export function spend(budget: OutputBudget, { length }: string | Uint8Array): void {
  budget.left -= length;
  if (budget.left >= 0) return;
  throw new Error(
    `Cannot write the rows: they have more than ${budget.max} characters, the limit for a source of this size; split the source`,
  );
}
