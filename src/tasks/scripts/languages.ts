/** Further script languages: those that need no more than a program that runs a file. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicFlag, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { textList } from "../file_properties.ts";
import { flagOf, textOf } from "../property_values.ts";
import { listOf } from "./script_commands.ts";
import type { ScriptProgram } from "./script_program.ts";

/** A language with the descriptions of its two types. */
export interface ScriptLanguage {
  /** Names its types: `scripts.<name>.Commands` and `scripts.<name>.Script`. */
  readonly name: string;
  /** The program, which may depend on the rendered properties. */
  readonly program: ScriptProgram | ((properties: JsonObject) => ScriptProgram);
  /** Further properties of both types. */
  readonly properties?: PropertySchemas;
  /** Further properties of `Script`. */
  readonly scriptProperties?: PropertySchemas;
  /** Completes the rendered properties. */
  readonly complete?: (properties: JsonObject) => JsonObject;
  readonly commands: string;
  readonly commandsAliases?: readonly string[];
  readonly script: string;
}

const POWERSHELL: ScriptLanguage = {
  name: "powershell",
  program: { image: "ghcr.io/kestra-io/powershell:latest", fileName: "script.ps1", command: "&" },
  properties: {
    interpreter: textList("Command that receives the commands as its last argument.", {
      orText: true,
      default: ["pwsh", "-NoProfile", "-NonInteractive", "-Command"],
    }),
  },
  complete: stopAtErrors,
  commands: "Runs PowerShell commands.",
  script: "Runs a PowerShell script.",
};

const JBANG: ScriptLanguage = {
  name: "jbang",
  program: jbang,
  scriptProperties: {
    extension: dynamicText(
      "Extension of the file that the script is written to, which decides its language: `.java`, `.jsh`, `.kt`, `.groovy` or `.md`.",
      { default: ".java" },
    ),
    quiet: dynamicFlag(true, "Whether JBang prints only errors."),
  },
  commands: "Runs commands in an environment with JBang.",
  script: "Runs a script in Java, JShell, Kotlin, Groovy or Markdown with JBang.",
};

/** In the order of their names. */
export const FURTHER_LANGUAGES: readonly ScriptLanguage[] = Object.freeze([
  {
    ...language("bun", "Bun", { image: "oven/bun", command: "bun run", ...importing("script.ts") }),
    script: "Runs a TypeScript or JavaScript script with Bun.",
  },
  language("go", "Go", { image: "golang", fileName: "script.go", command: "go run" }),
  language("groovy", "Groovy", { image: "groovy", fileName: "script.groovy", command: "groovy" }),
  JBANG,
  language("julia", "Julia", { image: "julia", command: "julia", ...importing("script.jl") }),
  language("lua", "Lua", { image: "nickblah/lua", fileName: "script.lua", command: "lua" }),
  language("perl", "Perl", { image: "perl", fileName: "script.pl", command: "perl" }),
  language("php", "PHP", { image: "php", fileName: "script.php", command: "php" }),
  POWERSHELL,
  {
    ...language("r", "R", { image: "r-base", fileName: "script.R", command: "Rscript" }),
    script: "Runs an R script.",
  },
  language("ruby", "Ruby", { image: "ruby", command: "ruby", ...importing("script.rb") }),
]);

function importing(fileName: string): Pick<ScriptProgram, "fileName" | "importsFromItsFolder"> {
  return { fileName, importsFromItsFolder: true };
}

function language(name: string, title: string, program: ScriptProgram): ScriptLanguage {
  return {
    name,
    program,
    commands: `Runs commands in an environment with ${title}.`,
    script: `Runs a ${title} script.`,
  };
}

/** Makes PowerShell end at the first error, as `set -e` does in a shell. */
function stopAtErrors(properties: JsonObject): JsonObject {
  if (!flagOf(properties, "failFast", true)) return properties;
  const beforeCommands = ["$ErrorActionPreference = 'Stop'", ...listOf(properties, "beforeCommands")];
  return { ...properties, beforeCommands };
}

/** @throws Error an extension with characters that are not letters and digits */
function jbang(properties: JsonObject): ScriptProgram {
  const extension = textOf(properties, "extension")?.trim() || ".java";
  if (!/^\.?[A-Za-z0-9]+$/.test(extension)) {
    throw new Error(`Invalid extension "${extension}": it must be letters and digits, such as .java`);
  }
  return {
    image: "jbangdev/jbang-action",
    fileName: `script.${extension.replace(".", "")}`,
    command: flagOf(properties, "quiet", true) ? "jbang --quiet" : "jbang",
  };
}
