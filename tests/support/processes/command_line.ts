/** Options and output of the tasks of this project: campaigns, simulations, measurements. */
import { parseArgs } from "node:util";

/** An option of a task. */
export interface TaskOption<Value> {
  /** For `--help`, with the default. */
  readonly about: string;
  /** Of its value, such as `<n>`; absent for a flag. */
  readonly form?: string;
  /** The value of the given texts; without any, the default. @throws UsageError with what it must be */
  read(given: readonly string[]): Value;
}

/** Options by name. */
type TaskOptions = Readonly<Record<string, TaskOption<unknown>>>;
/** Their values. */
export type ValuesOf<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends TaskOption<infer Value> ? Value : never;
};

/** The command line is not understood. */
export class UsageError extends Error {}

/** Prints a line at once, also when the process ends directly after it. */
export function print(line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let offset = 0; offset < bytes.length;) offset += Deno.stdout.writeSync(bytes.subarray(offset));
}

/** An option with a whole number from 1. */
export function wholeNumber(about: string, fallback: number, most = Infinity): TaskOption<number> {
  const must = most === Infinity ? "a whole number from 1" : `a whole number from 1 to ${most}`;
  const isRight = (number: number) => Number.isSafeInteger(number) && number >= 1 && number <= most;
  return numberOption(about, fallback, { must, isRight });
}

/** An option with a seed; by default one by chance. */
export function seedNumber(about: string): TaskOption<number> {
  const option = wholeNumber(about, 1 + Math.floor(Math.random() * 1_000_000));
  return { ...option, about: `${about} (by chance)` };
}

/** An option with a number above 0. */
export function positiveNumber<Fallback extends number | undefined>(
  about: string,
  fallback: Fallback,
  most = Infinity,
): TaskOption<number | Fallback> {
  const must = most === Infinity ? "a number above 0" : `a number above 0, at most ${most}`;
  const isRight = (number: number) => number > 0 && number <= most && Number.isFinite(number);
  return numberOption(about, fallback, { must, isRight });
}

function numberOption<Fallback extends number | undefined>(
  about: string,
  fallback: Fallback,
  { must, isRight }: { readonly must: string; readonly isRight: (number: number) => boolean },
): TaskOption<number | Fallback> {
  return {
    about: withFallback(about, fallback),
    form: "<n>",
    read(given) {
      const text = given.at(-1);
      if (text === undefined) return fallback;
      const number = Number(text.replaceAll("_", ""));
      if (text !== "" && isRight(number)) return number;
      throw new UsageError(`it must be ${must}, but is "${text}"`);
    },
  };
}

/** An option with a text. */
export function text<Fallback extends string | undefined>(
  about: string,
  form: string,
  fallback: Fallback,
): TaskOption<string | Fallback> {
  return { about: withFallback(about, fallback), form, read: (given) => given.at(-1) ?? fallback };
}

function withFallback(about: string, fallback: string | number | undefined): string {
  return fallback === undefined ? about : `${about} (${fallback})`;
}

/** An option with names, separated by commas or given one by one; empty by default. */
export function names(about: string, known?: readonly string[]): TaskOption<readonly string[]> {
  return {
    about: known ? `${about}: ${known.join(", ")}` : about,
    form: "<name,name>",
    read(given) {
      const list = given.flatMap((each) => each.split(",")).map((name) => name.trim()).filter((name) =>
        name !== ""
      );
      const unknown = known && list.find((name) => !known.includes(name));
      if (unknown === undefined) return list;
      throw new UsageError(`there is no "${unknown}": give ${known?.join(", ")}`);
    },
  };
}

/** An option without a value. */
export function flag(about: string): TaskOption<boolean> {
  return { about, read: (given) => given.length > 0 };
}

/** Reads a command line. @throws UsageError that names the option */
export function readOptions<Options extends TaskOptions>(
  options: Options,
  args: readonly string[],
): ValuesOf<Options> {
  const given = givenTexts(options, args);
  const values = Object.entries(options).map(([name, option]) => {
    try {
      return [name, option.read(given[name] ?? [])];
    } catch (error) {
      if (error instanceof UsageError) error.message = `Invalid option "--${name}": ${error.message}`;
      throw error;
    }
  });
  return Object.fromEntries(values);
}

/** The texts given for each option; an empty one for a flag. */
function givenTexts(
  options: TaskOptions,
  args: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const parsed = Object.entries(options).map(([name, { form }]) =>
    [name, { type: form === undefined ? "boolean" : "string", multiple: true }] as const
  );
  try {
    const { values } = parseArgs({ args: [...args], options: Object.fromEntries(parsed) });
    const given = Object.entries(values).map(([name, list]) => [name, [list].flat().map(textOf)]);
    return Object.fromEntries(given);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function textOf(value: string | boolean | undefined): string {
  return typeof value === "string" ? value : "";
}

/** The text of `--help`. */
export function usageOf(task: string, options: TaskOptions): string {
  const rows = Object.entries(options).map(([name, { form, about }]) =>
    [`--${name}${form === undefined ? "" : ` ${form}`}`, about] as const
  );
  const width = Math.max(0, ...rows.map(([option]) => option.length));
  const lines = rows.map(([option, about]) => `  ${option.padEnd(width)}  ${about}`);
  return [`deno task ${task} [options]`, ...lines].join("\n");
}

/** Runs a task with the options of the command line and ends the process: with the code of `run`, or 2 if they are wrong. */
export async function runTask<Options extends TaskOptions>(
  task: string,
  options: Options,
  run: (values: ValuesOf<Options>) => Promise<number>,
): Promise<never> {
  if (Deno.args.includes("--help")) {
    print(usageOf(task, options));
    Deno.exit(0);
  }
  try {
    Deno.exit(await run(readOptions(options, Deno.args)));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    print(`${error.message}\n\n${usageOf(task, options)}`);
    Deno.exit(2);
  }
}
