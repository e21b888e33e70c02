/** Properties that Python tasks have beside those of all script tasks. */
import type { PropertySchemas } from "../../model/schema.ts";
import { DEPENDENCY_PROPERTIES } from "./dependencies.ts";

/** Packages and the version of Python. */
export const PYTHON_PROPERTIES: PropertySchemas = Object.freeze({
  ...DEPENDENCY_PROPERTIES,
  pythonVersion: {
    type: "string",
    dynamic: true,
    ignored: true,
    description: "Version of Python for which the packages are installed.",
  },
  packageManager: {
    type: "string",
    dynamic: true,
    values: ["PIP", "UV"],
    ignored: true,
    description: "Program that installs the packages.",
  },
});
