/** How the scripts of a language are run. */
import { shellWord } from "../../base/shell_word.ts";

/** A language, or the shell itself. */
export interface ScriptProgram {
  /** Image for containers, where the flow names none. */
  readonly image: string;
  /** Name of the file that a script is written to; absent where the script is the commands. */
  readonly fileName?: string;
  /** The command that runs that file. */
  readonly command?: string;
  /** Commands that install packages, in the working directory. */
  readonly install?: (packages: readonly string[]) => readonly string[];
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
}

/** Commands of a POSIX shell. */
export const SHELL: ScriptProgram = Object.freeze({ image: "ubuntu" });

/** Python; packages go to a virtual environment. */
export const PYTHON: ScriptProgram = Object.freeze({
  image: "python:3.13-slim",
  fileName: "script.py",
  command: "python3",
  installer: "python3 with venv and pip",
  install: (packages: readonly string[]) => [
    "python3 -m venv .venv",
    `.venv/bin/python -m pip install --quiet --disable-pip-version-check ${
      packages.map(shellWord).join(" ")
    }`,
  ],
  packageFolders: [".venv"],
  packageBin: ".venv/bin",
  // Otherwise lines come when the script has ended.
  env: { PYTHONUNBUFFERED: "1" },
});

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
