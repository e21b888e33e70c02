/** Properties that Python tasks have beside those of all script tasks. */
import type { PropertySchemas } from "../../model/flows/schema.ts";
import { DEPENDENCY_PROPERTIES } from "./dependencies.ts";

/** Packages and the version of Python. */
export const PYTHON_PROPERTIES: PropertySchemas = Object.freeze({
  ...DEPENDENCY_PROPERTIES,
  pythonVersion: {
    type: "string",
    dynamic: true,
    description:
      "Version of Python that runs, such as 3.12: where the commands run as a process that finds `python3.12`, else the default one with a warning.",
  },
  packageManager: {
    type: "string",
    dynamic: true,
    values: ["PIP", "UV"],
    ignored: true,
    description: "Program that installs the packages.",
  },
});
