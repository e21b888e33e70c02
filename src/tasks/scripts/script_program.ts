/** Script languages: how their scripts run and how packages are installed. */
import type { JsonObject } from "../../base/json.ts";
import { shellWord } from "../../base/shell_word.ts";
import type { ProcessLine } from "../../model/ports/processes.ts";

/** Inputs of {@link ScriptProgram.fit}. */
export interface ProgramRequest {
  /** Rendered properties. */
  readonly properties: JsonObject;
  /** Runs a command in the environment of the script, without logging; returns its exit code. */
  readonly execute: (command: readonly string[], onLine: (line: ProcessLine) => void) => Promise<number>;
  /** Logs a warning that does not affect the state of the task. */
  readonly warn: (message: string) => Promise<void> | void;
}

/** A language or the shell. */
export interface ScriptProgram {
  /** Default container image. */
  readonly image: string;
  /** File that the script is written to; absent if the script is run as commands. */
  readonly fileName?: string;
  /** Command that runs the file. */
  readonly command?: string;
  /** Commands that install packages in the working directory, optionally with another program than the default. */
  readonly install?: (packages: readonly string[], program?: string) => readonly string[];
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
  /** Shell commands redirected to the program of that path. */
  readonly names?: ReadonlyMap<string, string>;
  /** Adapts the program to the properties of a task. Called only for local processes with a shell. */
  readonly fit?: (program: ScriptProgram, request: ProgramRequest) => Promise<ScriptProgram>;
}

/** Commands of a POSIX shell. */
export const SHELL: ScriptProgram = Object.freeze({ image: "ubuntu" });

/** Node.js; resolves packages from `node_modules` in the working directory. */
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

/** Deno; scripts import their packages themselves. */
export const DENO: ScriptProgram = Object.freeze({
  image: "denoland/deno",
  fileName: "script.ts",
  command: "deno run --quiet --no-prompt --allow-all",
});
