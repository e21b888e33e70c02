/** `docker.cli.Compose`. https://docs.docker.com/reference/cli/docker/compose/ */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { shellWord } from "../../../base/text/shell_word.ts";
import { isStorageUri } from "../../../model/namespaces/storage_uri.ts";
import { dynamicText } from "../../../model/flows/schema.ts";
import { textList } from "../../file_properties.ts";
import { createFiles, hasFile } from "../../local_files.ts";
import { textOf } from "../../property_values.ts";
import { listOf } from "../script_commands.ts";
import type { HookWork } from "../script_hooks.ts";
import { cliTask } from "./cli_type.ts";

/** It has the rights of scripts: without access to a container runtime it fails. */
export const dockerComposeTask = cliTask({
  type: "docker.cli.Compose",
  aliases: ["docker.Compose"],
  title: "Run Docker Compose",
  description:
    "Runs `docker compose` with files and arguments, where scripts run and with their rights: as a process of the machine, or in a container that has the socket of Docker as a volume.",
  image: "docker:27.5.1-cli",
  hasOwnCommands: true,
  properties: {
    composeFile: dynamicText(
      "The file: its content, its name in the working directory, or the storage URI of one.",
    ),
    composeFiles: textList("Several files, in place of one; later ones change earlier ones."),
    composeArgs: textList("Arguments after `docker compose -f …`, such as `up` and `-d`.", {
      required: true,
      orText: true,
    }),
  },
  examples: [{
    title: "Start services",
    yaml: `id: up
type: io.kestra.plugin.docker.cli.Compose
composeFile: |
  services:
    web:
      image: nginx:alpine
composeArgs: [up, -d]`,
  }],
  hooks: { prepare },
});

async function prepare(work: HookWork): Promise<JsonObject> {
  const { properties } = work;
  const several = listOf(properties, "composeFiles");
  const one = textOf(properties, "composeFile");
  const given = several.length > 0 ? several : one ? [one] : [];
  const words = ["docker", "compose"];
  for (const [index, file] of given.entries()) words.push("-f", shellWord(await nameOf(work, file, index)));
  const args = listOf(properties, "composeArgs").map(shellWord);
  return { ...properties, commands: [[...words, ...args].join(" ")] };
}

/** The name of a file in the working directory, which is written if it is not there. */
async function nameOf(work: HookWork, file: string, index: number): Promise<string> {
  if (!isStorageUri(file.trim()) && await isFileName(work, file)) return file;
  const name = `compose-${index + 1}.yaml`;
  const content: JsonValue = isStorageUri(file.trim()) ? file.trim() : file;
  await createFiles(work, { [name]: content });
  return name;
}

async function isFileName({ directory }: HookWork, text: string): Promise<boolean> {
  const isName = /^[\w./-]+$/.test(text) && !text.startsWith("/") && !text.split("/").includes("..");
  return isName && await hasFile(directory, text);
}
