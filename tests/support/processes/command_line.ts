/** Options and output of the tasks that run campaigns against real servers. */

/** Prints a line at once, also when the process ends directly after it. */
export function print(line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let offset = 0; offset < bytes.length;) offset += Deno.stdout.writeSync(bytes.subarray(offset));
}

/** The number after an option, or its default. @throws Error when it is no whole number from 1 */
export function readNumber(args: readonly string[], option: string, fallback: number): number {
  const at = args.indexOf(option);
  if (at === -1) return fallback;
  const number = Number(args[at + 1]);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new Error(`Invalid option "${option}": it must be a whole number from 1`);
}
