/** `scripts.runner.docker.Docker`: commands run in a container. */
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";

/** The task runner of script tasks that want a container; it has no outputs of its own. */
export const dockerRunner: TypeDeclaration = {
  type: "scripts.runner.docker.Docker",
  aliases: ["scripts.runner.docker.DockerTaskRunner", "core.runner.Docker"],
  description: "Runs the commands of a script task in a container, where the `docker` command works. " +
    "The image is the `containerImage` of the task.",
  properties: {
    pullPolicy: {
      type: "string",
      dynamic: true,
      values: ["ALWAYS", "IF_NOT_PRESENT", "NEVER"],
      default: "ALWAYS",
      description: "When the image is fetched.",
    },
    user: { type: "string", dynamic: true, description: "User within the container." },
  },
};
