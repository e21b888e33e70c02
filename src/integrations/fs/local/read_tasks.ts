/** The types that list and download files of this machine, and the triggers. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { type JsonObject, setOwnProperty } from "../../../base/json.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import type { LocalFiles } from "../../../model/ports/local_files.ts";
import { defineMachineTask } from "../../../model/tasks/machine_task.ts";
import { optionalText, type TaskDefinition, type WorkContext } from "../../../model/tasks/task_definition.ts";
import { defineMachineTrigger } from "../../../model/triggers/machine_trigger.ts";
import type { TriggerDefinition } from "../../../model/triggers/trigger_definition.ts";
import { takeArrived } from "../../arrived_files.ts";
import { identify, takeNew } from "../file_trigger.ts";
import { SELECTION_PROPERTIES, serverPath, SORT_PROPERTIES } from "../paths.ts";
import { ACTION_PROPERTIES, actionOf, selected, storeRemoteFile } from "../read_tasks.ts";
import { nameOf, type RemoteFile } from "../remote_files.ts";
import { filesIn, localOutput, NEEDS_FOLDER, type Place } from "./place.ts";

const SELECTION: PropertySchemas = Object.freeze({
  ...SELECTION_PROPERTIES,
  from: dynamicText("Absolute path of a folder or a file, or its URI `file:///…`.", { required: true }),
  ...SORT_PROPERTIES,
});

const FILE_MEMBERS =
  "each with `name`, `path`, `uri`, `localPath`, `parent`, `size`, `isDirectory` and `modifiedDate`";

const STORED: PropertySchemas = Object.freeze({
  files: {
    type: "list",
    description: `The files, ${FILE_MEMBERS}; \`path\` and \`uri\` are the storage URI.`,
  },
  outputFiles: { type: "map", description: "Storage URIs by name." },
});

/** `List`. */
export function localList(place: Place): TaskDefinition {
  return defineMachineTask({
    type: `fs.${place}.List`,
    title: `List files ${filesIn(place)}`,
    description: `Lists the files of a folder ${filesIn(place)}. ${NEEDS_FOLDER}`,
    properties: {
      ...SELECTION,
      maxFiles: dynamicProperty("integer", "Most files of the list.", {
        default: 25,
        minimum: 1,
        maximum: 10_000,
      }),
    },
    outputs: {
      files: { type: "list", description: `The files, ${FILE_MEMBERS}.` },
      count: { type: "integer", description: "Number of these files." },
    },
    examples: [{
      title: "List CSV files",
      yaml:
        `id: list\ntype: io.svc.plugin.fs.${place}.List\nfrom: /data/in\nregExp: ".*\\\\.csv"\nsort: NAME_ASC`,
    }],
    async run(context) {
      const files = firstFiles(context, await selected(context.localFiles(), context));
      return { files: files.map((file) => localOutput(file)), count: files.length };
    },
  });
}

/** Property of a checksum by its name in `node:crypto`. */
const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ["MD5", "md5"],
  ["SHA1", "sha1"],
  ["SHA256", "sha256"],
  ["SHA512", "sha512"],
]);

/** `fs.local.Download`. */
export const localDownload: TaskDefinition = defineMachineTask({
  type: "fs.local.Download",
  title: "Store a file of the machine",
  description: `Stores a file of the machine. ${NEEDS_FOLDER}`,
  properties: {
    from: dynamicText("Absolute path of the file, or its URI `file:///…`.", { required: true }),
    validateChecksum: dynamicFlag(false, "Fails unless the content has the checksum `checksumExpected`."),
    checksumExpected: dynamicText("Checksum of the content, hexadecimal."),
    checksumAlgorithm: dynamicChoice(["MD5", "SHA-1", "SHA-256", "SHA-512"], "SHA-256", "Its algorithm."),
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the file." },
    size: { type: "integer", description: "Bytes of the file." },
  },
  examples: [{
    title: "Store a file",
    yaml: "id: download\ntype: io.svc.plugin.fs.local.Download\nfrom: /data/in/orders.csv",
  }],
  async run(context) {
    const from = serverPath(context.properties.from);
    const folder = `${await context.directory()}/local`;
    await mkdir(folder);
    const path = `${folder}/${nameOf(from) || "file"}`;
    await context.localFiles().download(from, path);
    const size = await checkContent(path, from, context);
    return { uri: await context.storeFile(path), size };
  },
});

/** Bytes of a file whose checksum is as expected. @throws Error it is another one */
async function checkContent(
  path: string,
  from: string,
  { properties, signal }: Pick<WorkContext, "properties" | "signal">,
): Promise<number> {
  const expected = optionalText(properties.checksumExpected)?.trim().toLowerCase();
  const isChecked = properties.validateChecksum === true;
  if (isChecked && expected === undefined) {
    throw new Error("Missing checksumExpected: validateChecksum is true");
  }
  const algorithm = String(properties.checksumAlgorithm);
  const hash = createHash(ALGORITHMS.get(algorithm.replace("-", "")) ?? "sha256");
  let size = 0;
  for await (const piece of createReadStream(path, { signal })) {
    size += piece.length;
    if (isChecked) hash.update(piece);
  }
  const actual = isChecked ? hash.digest("hex") : undefined;
  if (actual === undefined || actual === expected) return size;
  throw new Error(`Cannot store "${from}": its ${algorithm} is ${actual}, not ${expected}`);
}

/** `fs.local.Downloads`. */
export const localDownloads: TaskDefinition = defineMachineTask({
  type: "fs.local.Downloads",
  title: "Store files of the machine",
  description:
    `Stores the files of a folder of the machine, then moves or deletes them there if that is wanted. ${NEEDS_FOLDER}`,
  properties: { ...SELECTION, ...ACTION_PROPERTIES },
  outputs: STORED,
  examples: [{
    title: "Store files and archive them",
    yaml:
      "id: downloads\ntype: io.svc.plugin.fs.local.Downloads\nfrom: /data/in\naction: MOVE\nmoveDirectory: /data/done",
  }],
  async run(context) {
    const local = context.localFiles();
    const taken = firstFiles(context, await selected(local, context));
    const finish = actionOf(context);
    const outputs = await storeLocal(local, context, taken);
    for (const file of taken) await finish(local, file);
    return outputs;
  },
});

/** `fs.local.Trigger`, which stores the files, and `fs.nfs.Trigger`, which only names them. */
export function localTrigger(place: Place): TriggerDefinition {
  const isStoring = place === "local";
  return defineMachineTrigger({
    type: `fs.${place}.Trigger`,
    title: `Start when files ${filesIn(place)} arrive`,
    description: `Starts an execution for new and changed files of a folder ${
      filesIn(place)
    }. At most some hundred files may stay in the folder. ${NEEDS_FOLDER}`,
    properties: {
      ...SELECTION,
      ...isStoring ? ACTION_PROPERTIES : { maxFiles: ACTION_PROPERTIES.maxFiles ?? dynamicText("") },
      on: dynamicChoice(
        ["CREATE", "UPDATE", "CREATE_OR_UPDATE"],
        "CREATE_OR_UPDATE",
        "Which files start an execution: new ones, changed ones, or both. Files that are moved or deleted then are always new ones.",
      ),
      stateKey: dynamicText("Has no effect: the state belongs to the trigger.", { ignored: true }),
      stateTtl: dynamicText("Has no effect: files that are gone are forgotten.", { ignored: true }),
    },
    outputs: isStoring ? STORED : { files: { type: "list", description: `The files, ${FILE_MEMBERS}.` } },
    examples: [{
      title: "Start for new files",
      yaml: `id: watch\ntype: io.svc.plugin.fs.${place}.Trigger\nfrom: /data/in\ninterval: PT10S`,
    }],
    async poll(context) {
      const local = context.localFiles();
      const found = await selected(local, context);
      const store = (fresh: readonly RemoteFile[]) =>
        isStoring
          ? storeLocal(local, context, fresh)
          : Promise.resolve({ files: fresh.map((file) => localOutput(file)) });
      if (!isStoring || context.properties.action === "NONE") return await takeNew(context, found, store);
      const finish = actionOf(context);
      return await takeArrived(context, found, {
        identify,
        store,
        finishing: (work) => work((file) => finish(local, file)),
      });
    },
  });
}

function firstFiles(
  { properties: { maxFiles }, log }: Pick<WorkContext, "properties" | "log">,
  found: readonly RemoteFile[],
): readonly RemoteFile[] {
  const max = Number(maxFiles);
  if (found.length > max) log("WARN", `${found.length} files match; the first ${max} are taken (maxFiles)`);
  return found.slice(0, max);
}

async function storeLocal(
  local: LocalFiles,
  context: WorkContext,
  taken: readonly RemoteFile[],
): Promise<JsonObject> {
  const outputFiles: JsonObject = {};
  const files: JsonObject[] = [];
  for (const [index, file] of taken.entries()) {
    const uri = await storeRemoteFile(local, context, { path: file.path, index });
    setOwnProperty(outputFiles, file.name, uri);
    files.push(localOutput(file, uri));
  }
  return { files, outputFiles };
}
