/** How scripts of Python are run. */
import { shellWord } from "../../base/shell_word.ts";
import { fitPython } from "./python_version.ts";
import type { ScriptProgram } from "./script_program.ts";

/** Python; packages go to a virtual environment. */
export const PYTHON: ScriptProgram = Object.freeze({
  image: "python:3.13-slim",
  fileName: "script.py",
  command: "python3",
  installer: "python3 with venv and pip",
  install: (packages: readonly string[], program = "python3") => [
    `${program} -m venv .venv`,
    `.venv/bin/python -m pip install --quiet --disable-pip-version-check ${
      packages.map(shellWord).join(" ")
    }`,
  ],
  packageFolders: [".venv"],
  packageBin: ".venv/bin",
  // Otherwise lines come when the script has ended, and pip writes advice to the error stream, which is a warning.
  env: { PYTHONUNBUFFERED: "1", PIP_ROOT_USER_ACTION: "ignore", PIP_DISABLE_PIP_VERSION_CHECK: "1" },
  fit: fitPython,
});
