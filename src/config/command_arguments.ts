/** Reads the arguments of commands such as `doctor`: flags with a value, switches and operands. Pure. */
import { nearestName } from "../base/text/nearest_name.ts";
import { ConfigProblem } from "./given.ts";

/** What a command accepts. */
interface CommandSpec {
  readonly name: string;
  /** Flags with a value, without dashes. */
  readonly values: readonly string[];
  /** Those of `values` whose values are joined by commas when they are given several times. */
  readonly repeatable?: readonly string[];
  readonly switches: readonly string[];
  /** Largest number of arguments that are no flags. */
  readonly operands: number;
}

/** The arguments of a command. Of a flag that is given twice the last value counts, unless it can be repeated. */
interface CommandArguments {
  readonly values: ReadonlyMap<string, string>;
  readonly switches: ReadonlySet<string>;
  readonly operands: readonly string[];
}

/** The arguments, or the first problem. */
export function readCommandArguments(
  args: readonly string[],
  spec: CommandSpec,
): CommandArguments | ConfigProblem {
  const values = new Map<string, string>();
  const switches = new Set<string>();
  const operands: string[] = [];
  const refuse = (reason: string) => new ConfigProblem(`${reason}; see ${spec.name} --help`);
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? "";
    if (!argument.startsWith("-") && operands.length < spec.operands) {
      operands.push(argument);
      continue;
    }
    const [flag = "", ...rest] = argument.split("=");
    const name = flag.startsWith("--") ? flag.slice(2) : "";
    if (spec.values.includes(name)) {
      const text = rest.length > 0 ? rest.join("=") : args[++index];
      if (text === undefined) return refuse(`Cannot use ${flag} without a value`);
      const before = spec.repeatable?.includes(name) ? values.get(name) : undefined;
      values.set(name, before === undefined ? text : `${before},${text}`);
    } else if (spec.switches.includes(name)) {
      if (rest.length > 0) return refuse(`Cannot use ${flag} with a value`);
      switches.add(name);
    } else return unknownArgument(flag, spec);
  }
  return { values, switches, operands };
}

function unknownArgument(flag: string, { name, values, switches }: CommandSpec): ConfigProblem {
  if (!flag.startsWith("-")) {
    return new ConfigProblem(`Unexpected argument "${flag}" of ${name}; see ${name} --help`);
  }
  const nearest = nearestName(flag.replace(/^-+/, ""), [...values, ...switches, "help"]);
  const suggestion = nearest ? `: did you mean "--${nearest}"?` : "";
  return new ConfigProblem(`Unknown option "${flag}" of ${name}${suggestion}; see ${name} --help`);
}
