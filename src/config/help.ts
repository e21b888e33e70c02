/** The text of `--help`. */
import {
  OPTION_NAMES,
  optionKey,
  type OptionName,
  OPTIONS,
  type OptionSpec,
  optionVariable,
} from "./options.ts";

/** Column and width of the descriptions. */
const COLUMN = 34;
const WIDTH = 66;

/** The text without a final line break. */
export function helpText(): string {
  return [
    "Sluice, a workflow orchestration server",
    "",
    "Usage: sluice [options]",
    "       sluice doctor [options]    checks a data directory; see sluice doctor --help",
    "       sluice backup [options]    makes a backup, also while a server runs; see sluice backup --help",
    "       sluice migrate <source>    checks and imports flows of another server; see sluice migrate --help",
    "       sluice plugin <command>    makes, checks and tries types of your own; see sluice plugin --help",
    "       sluice worker --server <url>  runs scripts for a server; see sluice worker --help",
    "",
    "Options:",
    ...OPTION_NAMES.flatMap(optionLines),
    "",
    `Each option is also an environment variable, such as ${
      optionVariable("dataDir")
    }, and a key of the file`,
    `named by --config, such as "${
      optionKey("dataDir")
    }". A flag wins over a variable, a variable over the file.`,
  ].join("\n");
}

function optionLines(name: OptionName): string[] {
  const spec: OptionSpec<unknown> = OPTIONS[name];
  const flag = `  --${optionKey(name)} ${spec.placeholder}`.trimEnd();
  const fallback = spec.placeholder === "" ? undefined : spec.defaultText ?? spec.otherwise;
  const tail = fallback === undefined ? "" : ` (default: ${fallback})`;
  return wrap(`${spec.description}${tail}`).map((line, index) => (index ? "" : flag).padEnd(COLUMN) + line);
}

function wrap(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1] ?? "";
    if (line.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
