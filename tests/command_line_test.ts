/** How tasks of this project read their command line. */
import { assertEquals, assertThrows } from "@std/assert";
import {
  flag,
  names,
  positiveNumber,
  readOptions,
  seedNumber,
  text,
  usageOf,
  wholeNumber,
} from "./support/processes/command_line.ts";

const OPTIONS = {
  "cycles": wholeNumber("kills", 20, 1_000),
  "hours": positiveNumber("length", 1, 200),
  "minutes": positiveNumber("length", undefined),
  "csv": text("samples", "<path>", "a.csv"),
  "only": names("attacks", ["idle", "lists"]),
  "no-fail": flag("exit code 0"),
};
const DEFAULTS = { cycles: 20, hours: 1, minutes: undefined, csv: "a.csv", only: [], "no-fail": false };

/** Command lines, and what differs from the defaults. */
const READ: readonly (readonly [args: string, values: Partial<Record<keyof typeof OPTIONS, unknown>>])[] = [
  ["", {}],
  ["--cycles 40 --hours 0.5 --minutes 3", { cycles: 40, hours: 0.5, minutes: 3 }],
  ["--cycles=1_000", { cycles: 1_000 }],
  ["--cycles 1 --cycles 2", { cycles: 2 }],
  ["--csv b.csv --no-fail", { csv: "b.csv", "no-fail": true }],
  ["--only idle,lists", { only: ["idle", "lists"] }],
  ["--only lists --only idle", { only: ["lists", "idle"] }],
];

for (const [args, values] of READ) {
  Deno.test(`readOptions() reads "${args}"`, () => {
    assertEquals(readOptions(OPTIONS, wordsOf(args)), { ...DEFAULTS, ...values } as typeof DEFAULTS);
  });
}

/** Command lines that are refused, and words of the reason. */
const REFUSED: readonly (readonly [args: string, reason: string])[] = [
  ["--cycle 40", "--cycle"],
  ["40", "40"],
  ["--cycles", "--cycles"],
  ["--cycles x", 'Invalid option "--cycles": it must be a whole number from 1 to 1000, but is "x"'],
  ["--cycles 0", "from 1"],
  ["--cycles 1.5", "whole number"],
  ["--cycles=", 'but is ""'],
  ["--hours 201", 'Invalid option "--hours": it must be a number above 0, at most 200'],
  ["--minutes 0", "above 0"],
  ["--minutes Infinity", "above 0"],
  ["--only nothing", 'Invalid option "--only": there is no "nothing": give idle, lists'],
  ["--no-fail=1", "--no-fail"],
];

for (const [args, reason] of REFUSED) {
  Deno.test(`readOptions() refuses "${args}"`, () => {
    assertThrows(() => readOptions(OPTIONS, wordsOf(args)), Error, reason);
  });
}

Deno.test("usageOf() names each option, its default and what it is about", () => {
  assertEquals(usageOf("soak", { ...OPTIONS, seed: seedNumber("of the load") }).split("\n"), [
    "deno task soak [options]",
    "  --cycles <n>        kills (20)",
    "  --hours <n>         length (1)",
    "  --minutes <n>       length",
    "  --csv <path>        samples (a.csv)",
    "  --only <name,name>  attacks: idle, lists",
    "  --no-fail           exit code 0",
    "  --seed <n>          of the load (by chance)",
  ]);
});

function wordsOf(args: string): string[] {
  return args.split(" ").filter((word) => word !== "");
}
