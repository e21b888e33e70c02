/** All task runners, which script tasks name in `taskRunner`. */
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";
import { dockerRunner } from "./docker.ts";
import { processRunner } from "./process.ts";

/** In alphabetical order of their names. */
export const TASK_RUNNERS: readonly TypeDeclaration[] = Object.freeze([processRunner, dockerRunner]);
