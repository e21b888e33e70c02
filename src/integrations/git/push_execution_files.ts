/** `git.PushExecutionFiles`. */
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { normalizeFileName } from "../../model/namespaces/file_path.ts";
import { compileNamespaceGlobs } from "../../model/namespaces/glob.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import { readWhole } from "../whole_file.ts";
import { commitFiles, PushedFiles } from "./commit_files.ts";
import { folderOf } from "./places.ts";
import {
  BRANCH_PROPERTY,
  COMMIT_PROPERTIES,
  commitOutputs,
  DRY_RUN_PROPERTY,
  REPOSITORY_PROPERTIES,
} from "./properties.ts";
import { globsOf } from "./push_flows.ts";

/** A branch that does not exist begins at the default one. Files of earlier executions stay. */
export const pushExecutionFiles = defineServerTask({
  type: "git.PushExecutionFiles",
  title: "Push files of the execution to a git repository",
  description:
    "Commits files that tasks of the execution have stored to a folder of a git repository and pushes the branch.",
  properties: {
    ...REPOSITORY_PROPERTIES,
    ...BRANCH_PROPERTY,
    ...COMMIT_PROPERTIES,
    ...DRY_RUN_PROPERTY,
    gitDirectory: dynamicText("Folder of the files.", { default: "_outputs" }),
    files: dynamicProperty(
      "any",
      "Globs of names, a text or a list: of files of the working directory, else of the outputs `outputFiles` of all tasks. Default is all of these outputs.",
    ),
    filesMap: dynamicProperty(
      "map",
      "Storage URIs of files by their names in the folder; instead of files.",
      {
        orText: true,
      },
    ),
    errorOnMissing: dynamicFlag(false, "Fails if there is no file."),
  },
  outputs: commitOutputs("files"),
  examples: [{
    title: "Push the report of a script",
    yaml: `id: push
type: io.svc.plugin.git.PushExecutionFiles
url: https://github.com/acme/reports
username: git
password: "{{ secret('GITHUB_TOKEN') }}"
gitDirectory: reports
filesMap:
  report.csv: "{{ outputs.report.outputFiles['report.csv'] }}"`,
  }],
  async run(context) {
    const { gitDirectory, errorOnMissing } = context.properties;
    const files = await filesOf(context);
    if (files.size === 0) {
      const message = "Nothing to push: the execution has no such file";
      if (errorOnMissing === true) throw new Error(message);
      context.log("WARN", message);
      return {};
    }
    return await commitFiles(context, { folder: folderOf(gitDirectory), files, isDeleted: () => false }, {
      message: `Add files from execution ${context.attempt.executionId}`,
      output: "files",
    });
  },
});

async function filesOf(context: ServerTaskContext): Promise<Map<string, Uint8Array>> {
  const { filesMap, files: globs } = context.properties;
  const given = typeof filesMap === "string" ? tryParseJson(filesMap) : filesMap;
  if (given !== undefined && given !== null && !isJsonObject(given)) {
    throw new Error("Invalid filesMap: it must be a map of storage URIs by names");
  }
  if (given) return await stored(context, Object.entries(given));
  const isMatch = compileNamespaceGlobs(globsOf(globs));
  if (globs !== undefined) {
    const names = await context.findFiles(globsOf(globs));
    const files = new PushedFiles();
    for (const name of names) files.set(name, await context.readFile(name));
    if (files.size > 0) return files;
  }
  const outputs = await context.render("{{ outputs }}");
  return await stored(context, [...outputFiles(outputs)].filter(([name]) => isMatch(name)));
}

async function stored(
  context: ServerTaskContext,
  uris: readonly (readonly [name: string, uri: JsonValue])[],
): Promise<Map<string, Uint8Array>> {
  const files = new PushedFiles();
  for (const [name, uri] of uris) {
    const bytes = await readWhole(await context.fetchFile(String(uri)), { name: String(uri) });
    files.set(normalizeFileName(name), bytes);
  }
  return files;
}

/** The entries of `outputFiles` in the outputs of tasks, and of tasks within loops. */
function* outputFiles(outputs: JsonValue): Generator<readonly [string, JsonValue]> {
  if (!isJsonObject(outputs)) return;
  for (const [name, value] of Object.entries<JsonValue>(outputs)) {
    if (name === "outputFiles" && isJsonObject(value)) yield* Object.entries(value as JsonObject);
    else yield* outputFiles(value);
  }
}
