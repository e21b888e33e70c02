/** How the scripts of a language are run. */
import type { JsonObject } from "../../base/json.ts";
import { shellWord } from "../../base/shell_word.ts";
import type { ProcessLine } from "../../model/ports/processes.ts";

/** What a task asks of its program, and how to find out what there is. */
export interface ProgramRequest {
  /** Rendered. */
  readonly properties: JsonObject;
  /** Runs a command where the script is to run; its exit code. Nothing of it is logged. */
  readonly execute: (command: readonly string[], onLine: (line: ProcessLine) => void) => Promise<number>;
  /** Logs a warning, which does not change how the task ends. */
  readonly warn: (message: string) => Promise<void> | void;
}

/** A language, or the shell itself. */
export interface ScriptProgram {
  /** Image for containers, where the flow names none. */
  readonly image: string;
  /** Name of the file that a script is written to; absent where the script is the commands. */
  readonly fileName?: string;
  /** The command that runs that file. */
  readonly command?: string;
  /** Commands that install packages, in the working directory; with another program than the default where one is named. */
  readonly install?: (packages: readonly string[], program?: string) => readonly string[];
  /** What installs, as messages name it. */
  readonly installer?: string;
  /** Folders that installing makes in the working directory. */
  readonly packageFolders?: readonly string[];
  /** Those of them that must be found in the directory of the task. */
  readonly linkedFolders?: readonly string[];
  /** Files of a flow that decide what is installed: where one is given, packages are installed beside it. */
  readonly packageFiles?: readonly string[];
  /** Where installed programs are, relative to the working directory. */
  readonly packageBin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Commands of a shell that stand for another program, with its path. */
  readonly names?: ReadonlyMap<string, string>;
  /** The program as a task asks for it; absent where tasks have no choice. For a process of this machine and a shell alone. */
  readonly fit?: (program: ScriptProgram, request: ProgramRequest) => Promise<ScriptProgram>;
}

/** Commands of a POSIX shell. */
export const SHELL: ScriptProgram = Object.freeze({ image: "ubuntu" });

/** Node.js; packages go to a folder that is found from the working directory. */
export const NODE: ScriptProgram = Object.freeze({
  image: "node",
  fileName: "script.js",
  command: "node",
  installer: "npm",
  install: (packages: readonly string[]) => [
    `npm install --no-save --no-audit --no-fund --loglevel=error ${packages.map(shellWord).join(" ")}`,
  ],
  packageFolders: ["node_modules"],
  linkedFolders: ["node_modules"],
  packageFiles: ["node_modules", "package.json", ".npmrc"],
  packageBin: "node_modules/.bin",
});

/** Deno; a script names its packages itself. */
export const DENO: ScriptProgram = Object.freeze({
  image: "denoland/deno",
  fileName: "script.ts",
  command: "deno run --quiet --no-prompt --allow-all",
});
