/** `core.runner.Process`: commands run as processes of this machine. */
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";

/** The task runner of script tasks; it has no outputs of its own. */
export const processRunner: TypeDeclaration = {
  type: "core.runner.Process",
  aliases: ["core.models.tasks.runners.types.ProcessTaskRunner"],
  description: "Runs the commands of a script task as processes of the machine on which the server runs.",
  properties: {},
};
