/** Script languages: how their scripts run and how packages are installed. */
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import { shellWord } from "../../base/text/shell_word.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { EnvironmentLanguage } from "./environment/script_environment.ts";
import { namedImage } from "./known_images.ts";

/** Commands by which a shell script uses a language. */
const MENTIONS: Readonly<Record<EnvironmentLanguage, RegExp>> = {
  python: /(?<![\w$-])(?:python[\d.]*|pip3?|uvx?)(?!\w)/,
  node: /(?<![\w$-])(?:node|npm|npx|yarn|pnpm)(?!\w)/,
};

/** A language or the shell. */
export interface ScriptProgram {
  /** Default container image. */
  readonly image: string;
  /** File that the script is written to; absent if the script is run as commands. */
  readonly fileName?: string;
  /** True if a script finds modules in its own folder: its file must be in the working directory itself. */
  readonly importsFromItsFolder?: boolean;
  /** Command that runs the file. */
  readonly command?: string;
  /** Commands that install packages in the working directory. */
  readonly install?: (packages: readonly string[]) => readonly string[];
  /** Name of the installer in messages. */
  readonly installer?: string;
  /** Folders that the installation creates in the working directory. */
  readonly packageFolders?: readonly string[];
  /** Folders of these that must exist in the directory of the task. */
  readonly linkedFolders?: readonly string[];
  /** Files that affect the installation; if the task has one, packages are installed beside it and not shared. */
  readonly packageFiles?: readonly string[];
  /** Folder of installed programs, relative to the working directory. */
  readonly packageBin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Languages of the environment that a task gets on this machine; absent: it gets none. */
  readonly environment?: (properties: JsonObject, context: RunContext) => readonly EnvironmentLanguage[];
}

/** Commands of a POSIX shell. */
export const SHELL: ScriptProgram = Object.freeze({ image: "ubuntu", environment: languagesOf });

/** What the commands mention, and the image promises. Files may contain anything. */
function languagesOf(properties: JsonObject, { workingDirectory }: RunContext): EnvironmentLanguage[] {
  const { beforeCommands, commands, script, inputFiles, namespaceFiles } = properties;
  const hasFiles = (inputFiles ?? namespaceFiles ?? workingDirectory) !== undefined;
  const text = stringifyJson([beforeCommands ?? null, commands ?? null, script ?? null]);
  const image = namedImage(properties);
  return (["python", "node"] as const).filter((language) =>
    hasFiles || image?.language === language || MENTIONS[language].test(text)
  );
}

/** Node.js; resolves packages from `node_modules` in the working directory. */
export const NODE: ScriptProgram = Object.freeze<ScriptProgram>({
  image: "node",
  fileName: "script.js",
  importsFromItsFolder: true,
  command: "node",
  installer: "npm",
  install: (packages: readonly string[]) => [
    `npm install --no-save --no-audit --no-fund --loglevel=error ${packages.map(shellWord).join(" ")}`,
  ],
  packageFolders: ["node_modules"],
  linkedFolders: ["node_modules"],
  packageFiles: ["node_modules", "package.json", ".npmrc"],
  packageBin: "node_modules/.bin",
  environment: () => ["node"],
});

/** Deno; scripts import their packages themselves. */
export const DENO: ScriptProgram = Object.freeze({
  image: "denoland/deno",
  fileName: "script.ts",
  importsFromItsFolder: true,
  command: "deno run --quiet --no-prompt --allow-all",
});
