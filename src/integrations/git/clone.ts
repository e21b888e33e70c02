/** `git.Clone`. */
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineServerTask } from "../../model/tasks/server_task.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { REPOSITORY_PROPERTIES } from "./properties.ts";

/** Tasks of the same WorkingDirectory find the files. Credentials are not stored with them. */
export const clone = defineServerTask({
  type: "git.Clone",
  title: "Clone a git repository",
  description: "Clones a git repository into the directory of the enclosing WorkingDirectory.",
  properties: {
    ...REPOSITORY_PROPERTIES,
    branch: dynamicText("Branch; default is that of the server."),
    tag: dynamicText("Tag, in place of a branch."),
    commit: dynamicText("Id of a commit of the branch to check out; its whole history is fetched then."),
    directory: dynamicText("Folder for the files, which must be empty; default is the directory itself."),
    depth: dynamicProperty("integer", "Commits of the history; 0 for all.", { default: 1, minimum: 0 }),
    cloneSubmodules: dynamicFlag(false, "Submodules are not cloned; their folders stay empty.", {
      ignored: true,
    }),
  },
  outputs: {
    directory: { type: "string", description: "Path of the files." },
  },
  examples: [{
    title: "Run a script of a repository",
    yaml: `id: build
namespace: company.team
tasks:
  - id: work
    type: io.svc.plugin.core.flow.WorkingDirectory
    tasks:
      - id: clone
        type: io.svc.plugin.git.Clone
        url: https://github.com/acme/scripts
        branch: main
      - id: run
        type: io.svc.plugin.scripts.python.Commands
        commands: [python report.py]`,
  }],
  async run(context) {
    const { branch, tag, commit, directory, depth } = context.properties;
    const path = await context.emptyFolder(optionalText(directory) ?? "");
    const { Repository } = await import("./repository.ts");
    const id = optionalText(commit);
    const repository = await Repository.fetch(context, path, {
      branch: optionalText(tag) ?? optionalText(branch),
      depth: id === undefined && depth !== 0 ? Number(depth) : undefined,
    });
    await repository.checkOut(id);
    return { directory: path };
  },
});
