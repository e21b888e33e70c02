/** The options of `sluice doctor`, from its arguments and the environment. Pure. */
import { readCommandArguments } from "./command_arguments.ts";
import { ConfigProblem, type Environment } from "./given.ts";
import { optionKey, OPTIONS, optionVariable } from "./options.ts";

/** Options of the doctor. */
export interface DoctorOptions {
  readonly dataDir: string;
  /** 32 bytes; absent: the key file of the data directory. */
  readonly encryptionKey?: Uint8Array<ArrayBuffer>;
  readonly isJson: boolean;
  /** Writes again what is derived. */
  readonly isRepair: boolean;
  /** False: a repair makes no copy before. */
  readonly hasCopy: boolean;
}

const VALUES = { "data-dir": "dataDir", "encryption-key": "encryptionKey", "database": "database" } as const;
const SWITCHES = ["json", "repair", "no-copy"] as const;

/** The text of `sluice doctor --help`. */
export const DOCTOR_HELP = `Checks a data directory that no server uses

Usage: sluice doctor [options]

Options:
  --data-dir <folder>         Folder to check (default: ./sluice-data)
  --encryption-key <base64>   Key of the data (default: the key file of the folder)
  --json                      Prints the result as one JSON object
  --repair                    Writes the catalog, indexes and counters again where they are wrong.
                              Copies the database to a folder beside it before
  --no-copy                   Repairs without a copy
  --help                      Prints this text

It reads a file: it refuses --database, and SLUICE_DATABASE without --data-dir.
--data-dir and --encryption-key are also the variables SLUICE_DATA_DIR and SLUICE_ENCRYPTION_KEY.

Exit codes:
  0  nothing is wrong, or all was repaired
  1  something is wrong
  2  the check was not possible`;

/** The options, or the first problem. */
export function parseDoctor(
  args: readonly string[],
  environment: Environment,
): DoctorOptions | ConfigProblem {
  const given = readCommandArguments(args, {
    name: "doctor",
    values: Object.keys(VALUES),
    switches: SWITCHES,
    operands: 0,
  });
  return given instanceof ConfigProblem ? given : optionsOf(given.values, given.switches, environment);
}

function optionsOf(
  texts: ReadonlyMap<string, string>,
  switches: ReadonlySet<string>,
  environment: Environment,
): DoctorOptions | ConfigProblem {
  const given = (key: keyof typeof VALUES) =>
    texts.get(key) || environment[optionVariable(VALUES[key])] || undefined;
  if (texts.has("database") || !texts.has("data-dir") && given("database")) {
    return new ConfigProblem(
      "Cannot check a database server: the doctor reads the file of a data directory; give --data-dir",
    );
  }
  const key = given("encryption-key");
  const encryptionKey = key === undefined ? undefined : OPTIONS.encryptionKey.read(key);
  if (key !== undefined && !encryptionKey) {
    return new ConfigProblem(`Cannot use --encryption-key: it must be ${OPTIONS.encryptionKey.allowed}`);
  }
  return {
    dataDir: given("data-dir") ?? OPTIONS.dataDir.defaultText ?? optionKey("dataDir"),
    encryptionKey,
    isJson: switches.has("json"),
    isRepair: switches.has("repair"),
    hasCopy: !switches.has("no-copy"),
  };
}
