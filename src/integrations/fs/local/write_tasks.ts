/** The types that write, copy, move and delete files of this machine. */
import type { JsonObject } from "../../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { storedFileName } from "../../../model/namespaces/storage_uri.ts";
import type { LocalFiles } from "../../../model/ports/local_files.ts";
import { defineMachineTask, type MachineTaskContext } from "../../../model/tasks/machine_task.ts";
import { optionalText, type TaskDefinition } from "../../../model/tasks/task_definition.ts";
import { pathTest, serverPath } from "../paths.ts";
import { filesBelow, folderOf, nameOf, pathIn, type RemoteFile } from "../remote_files.ts";
import { filesOf, targetOf } from "../write_tasks.ts";
import { filesIn, fileUri, NEEDS_FOLDER, type Place } from "./place.ts";

const OVERWRITE = dynamicFlag(true, "Replaces an existing file; otherwise the task fails.");

/** `fs.local.Upload`. */
export const localUpload: TaskDefinition = defineMachineTask({
  type: "fs.local.Upload",
  title: "Write a file of the machine",
  description:
    `Copies a stored file to a place of the machine. A reader sees the file complete or not at all; missing folders are made. ${NEEDS_FOLDER}`,
  properties: {
    from: dynamicText("Storage URI of the file.", { required: true }),
    to: dynamicText(
      "Absolute path; one that ends in `/` is a folder that the file is put into with its name.",
      { required: true },
    ),
    overwrite: OVERWRITE,
  },
  outputs: {
    uri: { type: "string", description: "URI `file:///…` of the file." },
    size: { type: "integer", description: "Bytes of the file." },
  },
  examples: [{
    title: "Write a file",
    yaml:
      'id: upload\ntype: io.svc.plugin.fs.local.Upload\nfrom: "{{ inputs.file }}"\nto: /data/out/report.csv',
  }],
  async run(context) {
    const from = String(context.properties.from);
    const path = await upload(context, from, serverPath(context.properties.to));
    return { uri: fileUri(path), size: (await context.localFiles().find(path))?.size ?? 0 };
  },
});

/** `fs.local.Uploads`. */
export const localUploads: TaskDefinition = defineMachineTask({
  type: "fs.local.Uploads",
  title: "Write files of the machine",
  description: `Copies stored files into a folder of the machine. ${NEEDS_FOLDER}`,
  properties: {
    from: dynamicProperty(
      "any",
      "Storage URIs of the files: a list, or a map by their names in the folder.",
      {
        required: true,
      },
    ),
    to: dynamicText("Absolute path of the folder.", { required: true }),
    regExp: dynamicText(
      "Regular expression that the whole new path of a file must match; other files are left out.",
    ),
    maxFiles: dynamicProperty("integer", "Most files; the task fails if there are more.", {
      default: 25,
      minimum: 1,
      maximum: 10_000,
    }),
    overwrite: OVERWRITE,
  },
  outputs: { files: { type: "list", description: "URIs `file:///…` of the files." } },
  async run(context) {
    const { properties } = context;
    const folder = serverPath(properties.to);
    const isMeant = pathTest(properties);
    const meant = filesOf(properties.from)
      .map(({ name, uri }) => ({ uri, to: pathIn(folder, name) })).filter(({ to }) => isMeant(to));
    if (meant.length > Number(properties.maxFiles)) {
      throw new Error(`Cannot write ${meant.length} files: maxFiles allows ${properties.maxFiles}`);
    }
    const files: string[] = [];
    for (const { uri, to } of meant) files.push(fileUri(await upload(context, uri, to)));
    return { files };
  },
});

async function upload(context: MachineTaskContext, from: string, to: string): Promise<string> {
  const local = context.localFiles();
  const path = targetOf(to, storedFileName(from));
  await prepareTarget(local, path, context.properties.overwrite === true);
  await local.upload(await context.fetchFile(from), path);
  return path;
}

/** `Copy`. */
export function localCopy(place: Place): TaskDefinition {
  return relocation(place, {
    name: "Copy",
    title: `Copy a file ${filesIn(place)}`,
    description: `Copies a file, or a folder with its files, ${filesIn(place)}`,
    async run(local, from, to) {
      for (const { source, target } of await pairsBelow(local, from, to)) {
        await local.makeFolder(parentOf(target));
        await local.copy(source, target);
      }
    },
  });
}

/** `Move`. */
export function localMove(place: Place): TaskDefinition {
  return relocation(place, {
    name: "Move",
    title: `Move a file ${filesIn(place)}`,
    description: `Renames a file or a folder ${filesIn(place)}`,
    run: (local, from, to) => local.move(from, to),
  });
}

interface Relocation {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly run: (local: LocalFiles, from: string, to: string) => Promise<void>;
}

function relocation(place: Place, { name, title, description, run }: Relocation): TaskDefinition {
  return defineMachineTask({
    type: `fs.${place}.${name}`,
    title,
    description: `${description}; missing folders are made. ${NEEDS_FOLDER}`,
    properties: {
      from: dynamicText("Absolute path of the file or folder.", { required: true }),
      to: dynamicText("New path; one that ends in `/` is a folder, in which the name is kept.", {
        required: true,
      }),
      overwrite: dynamicFlag(place === "nfs", "Replaces an existing file; otherwise the task fails."),
    },
    outputs: {
      from: { type: "string", description: "URI `file:///…` before." },
      to: { type: "string", description: "URI `file:///…` after." },
    },
    async run(context) {
      const local = context.localFiles();
      const from = serverPath(context.properties.from).replace(/(?<=^\/|[^/])\/+$/, "");
      const to = targetOf(serverPath(context.properties.to), nameOf(from));
      if (await local.find(from) === undefined) {
        throw new Error(`Cannot use "${from}": there is no such file`);
      }
      if (to === from || to.startsWith(`${from}/`)) {
        throw new Error(`Cannot put "${from}" to "${to}": it is the same place, or a place in it`);
      }
      await prepareTarget(local, to, context.properties.overwrite === true);
      await run(local, from, to);
      return { from: fileUri(from), to: fileUri(to) };
    },
  });
}

async function pairsBelow(
  local: LocalFiles,
  from: string,
  to: string,
): Promise<{ readonly source: string; readonly target: string }[]> {
  const found = await filesBelow(local, from, { recursive: true, matches: () => true });
  return found.map(({ path }) => ({ source: path, target: to + path.slice(from.length) }));
}

/** Makes the folder of a path. @throws Error there is something that must not be replaced */
async function prepareTarget(local: LocalFiles, path: string, overwrite: boolean): Promise<void> {
  await local.makeFolder(parentOf(path));
  const existing = await local.find(path);
  if (existing === undefined || overwrite && existing.isFile) return;
  throw new Error(`Cannot write "${path}": it exists already${existing.isFolder ? " as a folder" : ""}`);
}

function parentOf(path: string): string {
  return folderOf(path).replace(/(.)\/$/, "$1");
}

/** `fs.local.Delete`, which names the file in `from`, and `fs.nfs.Delete`, which does so in `uri`. */
export function localDelete(place: Place): TaskDefinition {
  const property = place === "local" ? "from" : "uri";
  return defineMachineTask({
    type: `fs.${place}.Delete`,
    title: `Delete a file ${filesIn(place)}`,
    description: `Deletes a file or a folder ${
      filesIn(place)
    }, or the files of a folder that match an expression. ${NEEDS_FOLDER}`,
    properties: {
      [property]: dynamicText("Absolute path of the file or folder, or its URI `file:///…`.", {
        required: true,
      }),
      errorOnMissing: dynamicFlag(place === "nfs", "Fails if there is no such file."),
      recursive: dynamicFlag(
        false,
        "Also deletes a folder that is not empty; with `regExp` also files of folders below.",
      ),
      regExp: dynamicText(
        "Regular expression that the whole path of a file must match: only such files of the folder are deleted.",
      ),
    },
    outputs: {
      uri: { type: "string", description: "URI `file:///…` of what was named." },
      deleted: { type: "boolean", description: "Whether something was deleted." },
      uris: { type: "list", description: "URIs of the deleted files, with `regExp`." },
    },
    examples: [{
      title: "Delete old files",
      yaml: `id: delete\ntype: io.svc.plugin.fs.${place}.Delete\n${property}: /data/in\nregExp: ".*\\\\.tmp"`,
    }],
    async run(context) {
      const local = context.localFiles();
      const path = serverPath(context.properties[property]).replace(/(?<=^\/|[^/])\/+$/, "");
      const found = await local.find(path);
      if (found === undefined && context.properties.errorOnMissing === true) {
        throw new Error(`Cannot delete "${path}": there is no such file`);
      }
      return { uri: fileUri(path), ...await deleteFound(local, context, path, found) };
    },
  });
}

async function deleteFound(
  local: LocalFiles,
  { properties, signal }: MachineTaskContext,
  path: string,
  found: Pick<RemoteFile, "isFolder"> | undefined,
): Promise<JsonObject> {
  const recursive = properties.recursive === true;
  const isMatching = optionalText(properties.regExp) !== undefined;
  if (found === undefined) return { deleted: false, ...isMatching && { uris: [] } };
  if (isMatching) {
    const files = await filesBelow(local, path, { recursive, matches: pathTest(properties) });
    for (const file of files) {
      signal.throwIfAborted();
      await local.delete(file.path);
    }
    return { deleted: files.length > 0, uris: files.map((file) => fileUri(file.path)) };
  }
  if (found.isFolder && recursive) await deleteContent(local, path, signal);
  await local.delete(path);
  return { deleted: true };
}

/** Deletes what a folder contains, folders after their content; links are deleted, not followed. */
async function deleteContent(local: LocalFiles, folder: string, signal: AbortSignal): Promise<void> {
  const open = [folder], folders: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next !== folder) folders.push(next);
    for (const { path, isFolder } of await local.list(next)) {
      signal.throwIfAborted();
      if (isFolder) open.push(path);
      else await local.delete(path);
    }
  }
  for (const path of folders.reverse()) await local.delete(path);
}
