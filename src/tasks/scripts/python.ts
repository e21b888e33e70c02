/** How Python scripts are run. */
import { shellWord } from "../../base/text/shell_word.ts";
import type { ScriptProgram } from "./script_program.ts";

/** Python; a task has an environment of its own. In a container packages are installed in a folder of the task. */
export const PYTHON: ScriptProgram = Object.freeze<ScriptProgram>({
  image: "python:3.13-slim",
  fileName: "script.py",
  importsFromItsFolder: true,
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
  // Unbuffered, so that lines arrive while the script runs. pip writes advice to stderr, which would end the task in WARNING.
  env: { PYTHONUNBUFFERED: "1", PIP_ROOT_USER_ACTION: "ignore", PIP_DISABLE_PIP_VERSION_CHECK: "1" },
  environment: () => ["python"],
});
