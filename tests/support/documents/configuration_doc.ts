/** Writes the option table of `docs/CONFIGURATION.md` from `src/config/options.ts`. */
import {
  OPTION_NAMES,
  optionKey,
  type OptionName,
  OPTIONS,
  type OptionSpec,
  optionVariable,
} from "../../../src/config/options.ts";

const PATH = "docs/CONFIGURATION.md";
const BEGIN = "<!-- options: written by `deno task docs:config` -->";
const END = "<!-- end of options -->";
const HEADER = ["Flag", "Variable", "Key in the file", "Default", "Valid values", "What it does"];

/** The document with a new table between the markers. */
export function withOptionTable(document: string): string {
  const [before = "", rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`"${PATH}" lacks the markers of the option table`);
  return `${before}${BEGIN}\n\n${optionTable()}\n\n${END}${after}`;
}

/** Formatted as by `deno fmt`: cells padded to the width of their column. */
function optionTable(): string {
  const rows = [HEADER, ...OPTION_NAMES.map(optionRow)].map((cells) =>
    cells.map((cell) => cell.replaceAll("|", "\\|"))
  );
  const widths = HEADER.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[], filler = " ") =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, filler)).join(" | ")} |`;
  const [header = [], ...body] = rows;
  return [line(header), line(header.map(() => ""), "-"), ...body.map((cells) => line(cells))].join("\n");
}

function optionRow(name: OptionName): string[] {
  const spec: OptionSpec<unknown> = OPTIONS[name];
  const flag = `--${optionKey(name)} ${spec.placeholder}`.trim();
  const variable = spec.only === "flag" ? "" : `\`${optionVariable(name)}\``;
  const key = spec.only === undefined ? `\`${optionKey(name)}\`` : "";
  const fallback = spec.defaultText === undefined ? spec.otherwise ?? "" : `\`${spec.defaultText}\``;
  return [`\`${flag}\``, variable, key, fallback, spec.allowed, spec.description];
}

if (import.meta.main) await Deno.writeTextFile(PATH, withOptionTable(await Deno.readTextFile(PATH)));
