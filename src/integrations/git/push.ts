/** `git.Push`. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { compileNamespaceGlobs } from "../../model/namespaces/glob.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { commitFiles, PushedFiles } from "./commit_files.ts";
import { folderOf } from "./places.ts";
import { COMMIT_PROPERTIES, commitOutputs, REPOSITORY_PROPERTIES } from "./properties.ts";
import { globsOf } from "./push_flows.ts";

const text = (description: string) => ({ type: "string", description }) as const;

/** The older form of `git.PushFlows` and `git.PushNamespaceFiles`; it also pushes files of the working directory. */
export const push = defineServerTask({
  type: "git.Push",
  title: "Push files and flows to a git repository",
  description:
    "Commits files of the working directory, files of the namespace and flows, and pushes the branch. Without `url` it changes the repository that `git.Clone` has cloned into the same WorkingDirectory. With `url` the branch has exactly these files afterwards: others are deleted.",
  properties: {
    ...REPOSITORY_PROPERTIES,
    url: dynamicText(
      "Address of the repository; default is that of the repository in the working directory, to which the password is then sent.",
    ),
    branch: dynamicText("Branch; one that does not exist begins at the default one.", { required: true }),
    ...COMMIT_PROPERTIES,
    commitMessage: dynamicText("Message of the commit.", { required: true }),
    author: dynamicProperty("object", "Who commits.", {
      properties: {
        name: dynamicText("Name; default is the user of the repository."),
        email: dynamicText("Mail address."),
      },
    }),
    directory: dynamicText("Folder of the working directory that holds the files of the repository."),
    inputFiles: dynamicProperty(
      "map",
      "Files to create in the working directory, by relative name: a storage URI is fetched, any other text is the content.",
      { orText: true },
    ),
    namespaceFiles: dynamicProperty("object", "Which files of the namespace of the flow are pushed.", {
      properties: {
        enabled: dynamicFlag(true, "Whether files of the namespace are pushed."),
        include: dynamicProperty("list", "Globs of the files; default is all.", {
          orText: true,
          items: text("A glob."),
        }),
        exclude: dynamicProperty("list", "Globs of the files that are not pushed.", {
          orText: true,
          items: text("A glob."),
        }),
      },
    }),
    flows: dynamicProperty(
      "object",
      "Which flows are pushed; default is all of the namespace and those below.",
      {
        properties: {
          enabled: dynamicFlag(true, "Whether flows of the namespace of the flow are pushed."),
          childNamespaces: dynamicFlag(true, "Whether flows of namespaces below are pushed, too."),
          gitDirectory: dynamicText("Folder of the flows.", { default: "_flows" }),
        },
      },
    ),
    addFilesPattern: dynamicProperty("list", "Files and folders to commit; `.` is all.", {
      orText: true,
      default: ["."],
      items: text("A path."),
    }),
    cloneSubmodules: dynamicFlag(false, "Has no effect.", { ignored: true }),
  },
  outputs: commitOutputs("files"),
  examples: [{
    title: "Push a file to the repository that was cloned",
    yaml: `id: publish
namespace: company.team
tasks:
  - id: work
    type: io.svc.plugin.core.flow.WorkingDirectory
    tasks:
      - id: clone
        type: io.svc.plugin.git.Clone
        url: https://github.com/acme/reports
      - id: push
        type: io.svc.plugin.git.Push
        username: git
        password: "{{ secret('GITHUB_TOKEN') }}"
        branch: main
        flows:
          enabled: false
        inputFiles:
          reports/today.txt: "All is well."
        addFilesPattern: [reports]
        commitMessage: Add the report`,
  }],
  async run(context) {
    const { url, directory, addFilesPattern } = context.properties;
    const folder = folderOf(directory);
    const isAdded = pathTest(globsOf(addFilesPattern));
    const given = optionalText(url);
    const remoteUrl = given ?? await clonedUrl(context, folder);
    const files = await workingFiles(context, folder, isAdded);
    for (const [path, content] of await namespaceFiles(context)) files.set(path, content);
    for (const [path, content] of await flowFiles(context)) files.set(path, content);
    for (const path of [...files.keys()]) if (!isAdded(path)) files.delete(path);
    return await commitFiles(context, { folder: "", files, isDeleted: () => given !== undefined }, {
      message: "Push files",
      output: "files",
      url: remoteUrl,
    });
  },
});

/** Paths that are one of these files, or within one of these folders. */
function pathTest(patterns: readonly string[]): (path: string) => boolean {
  const paths = patterns.map((pattern) => folderOf(pattern.replace(/^\.\/?/, "")));
  return (path) => paths.some((each) => each === "" || path === each || path.startsWith(`${each}/`));
}

/** The address that the configuration of the clone names. @throws Error there is no clone */
async function clonedUrl(context: ServerTaskContext, folder: string): Promise<string> {
  const name = `${folder === "" ? "" : `${folder}/`}.git/config`;
  const config = (await context.findFiles([name])).includes(name)
    ? new TextDecoder().decode(await context.readFile(name))
    : "";
  const found = /^[ \t]*\[remote "origin"\][^[]*?^[ \t]*url[ \t]*=[ \t]*(\S+)\s*$/m.exec(config)?.[1];
  if (found !== undefined) return found;
  throw new Error(
    `Cannot find a repository in the working directory: clone one before with git.Clone, or give url`,
  );
}

/** The files of the working directory that are added; neither links nor those of git itself. */
async function workingFiles(
  context: ServerTaskContext,
  folder: string,
  isAdded: (path: string) => boolean,
): Promise<PushedFiles> {
  await context.createFiles(context.properties.inputFiles);
  const prefix = folder === "" ? "" : `${folder}/`;
  const files = new PushedFiles();
  for (const name of await context.findFiles(["**"])) {
    const path = name.slice(prefix.length);
    const isOfGit = `/${path}`.includes("/.git/");
    if (!name.startsWith(prefix) || isOfGit || !isAdded(path)) continue;
    files.set(path, await context.readFile(name));
  }
  return files;
}

async function namespaceFiles(context: ServerTaskContext): Promise<Map<string, Uint8Array>> {
  const files = new PushedFiles();
  const { namespaceFiles: given } = context.properties;
  if (!isJsonObject(given) || given.enabled === false) return files;
  const isIncluded = compileNamespaceGlobs(globsOf(given.include));
  const isExcluded = compileNamespaceGlobs(given.exclude === undefined ? [] : globsOf(given.exclude));
  const { namespace } = context.attempt;
  for (const path of await context.namespaceFiles.list(namespace)) {
    if (!isIncluded(path) || isExcluded(path)) continue;
    const content = await context.namespaceFiles.read(namespace, path);
    if (content) files.set(path, content);
  }
  return files;
}

/** The flows, each with its namespace in the name of its file. */
async function flowFiles(context: ServerTaskContext): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const { enabled, childNamespaces, gitDirectory } = objectOf(context.properties.flows);
  if (enabled === false) return files;
  const folder = folderOf(gitDirectory ?? "_flows");
  const flows = await context.flows.list(context.attempt.namespace, {
    withChildren: childNamespaces !== false,
  });
  for (const { namespace, id, source } of flows) {
    const name = `${namespace}.${id}.yml`;
    files.set(folder === "" ? name : `${folder}/${name}`, new TextEncoder().encode(source));
  }
  return files;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
