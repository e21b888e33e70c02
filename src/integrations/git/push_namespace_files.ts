/** `git.PushNamespaceFiles`. */
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { compileNamespaceGlobs } from "../../model/namespaces/glob.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import { commitFiles, PushedFiles, type WantedFiles } from "./commit_files.ts";
import { folderOf } from "./places.ts";
import {
  BRANCH_PROPERTY,
  COMMIT_PROPERTIES,
  commitOutputs,
  DRY_RUN_PROPERTY,
  REPOSITORY_PROPERTIES,
} from "./properties.ts";
import { globsOf } from "./push_flows.ts";

/** A branch that does not exist begins at the default one. */
export const pushNamespaceFiles = defineServerTask({
  type: "git.PushNamespaceFiles",
  title: "Push namespace files to a git repository",
  description: "Commits files of a namespace to a folder of a git repository and pushes the branch.",
  properties: {
    ...REPOSITORY_PROPERTIES,
    ...BRANCH_PROPERTY,
    ...COMMIT_PROPERTIES,
    ...DRY_RUN_PROPERTY,
    namespace: dynamicText("Namespace of the files.", { default: "{{ flow.namespace }}" }),
    files: dynamicProperty("any", "Globs of paths, a text or a list; default is all."),
    gitDirectory: dynamicText("Folder of the files.", { default: "_files" }),
    delete: dynamicFlag(true, "Deletes files that the namespace does not have."),
    errorOnMissing: dynamicFlag(false, "Fails if no file matches."),
  },
  outputs: commitOutputs("files"),
  async run(context) {
    return await commitFiles(context, await wantedFiles(context), {
      message: `Add files from ${context.properties.namespace} namespace`,
      output: "files",
    });
  },
});

async function wantedFiles(context: ServerTaskContext): Promise<WantedFiles> {
  const { namespace, files: globs, gitDirectory, delete: isDeleting, errorOnMissing } = context.properties;
  const isSelected = compileNamespaceGlobs(globsOf(globs));
  const files = new PushedFiles();
  for (const path of await context.namespaceFiles.list(String(namespace))) {
    const content = isSelected(path) ? await context.namespaceFiles.read(String(namespace), path) : undefined;
    if (content) files.set(path, content);
  }
  if (files.size === 0 && errorOnMissing === true) {
    throw new Error(`Nothing to push: no file of the namespace "${namespace}" matches`);
  }
  return {
    folder: folderOf(gitDirectory),
    files,
    isDeleted: (path) => isDeleting !== false && isSelected(path),
  };
}
