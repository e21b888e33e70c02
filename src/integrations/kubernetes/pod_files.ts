/** Files of the task in its pod: they travel as a tar through containers that have `sh`, `tar` and `head`. */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { isJsonObject, type JsonObject, setOwnProperty } from "../../base/json.ts";
import { normalizeFileName, parentPath } from "../../model/namespaces/file_path.ts";
import { compileGlobs } from "../../model/namespaces/glob.ts";
import { limitedContent } from "../../model/ports/storage.ts";
import type { MachineTaskContext } from "../../model/tasks/machine_task.ts";
import { filesOfTar } from "../compress/archive_reader.ts";
import { type LocalFile, tarOf } from "../compress/archive_writer.ts";
import type { Cluster } from "./cluster.ts";
import { executeInPod, runInPod } from "./pod_exec.ts";
import { ENDED_FILE, INPUT_CONTAINER, OUTPUT_CONTAINER, POD_DIRECTORY, READY_FILE } from "./pod_manifest.ts";

const TAR = "inputs.tar";
/** Some programs refuse to make a tar of no files: it is two empty blocks. */
const PACKING = `cd ${POD_DIRECTORY} && if [ -z "$(find . -type f)" ]; then head -c 1024 /dev/zero; ` +
  "else find . -type f | tar -cf - -T -; fi";

/** A pod and how it is reached. */
interface PodPlace {
  readonly context: MachineTaskContext;
  readonly cluster: Cluster;
  /** Path in the API. */
  readonly path: string;
}

/** Writes the input files into a tar; returns its path. @throws Error a file is missing, or its value is empty */
export async function packedInputs(context: MachineTaskContext): Promise<string | undefined> {
  const { inputFiles } = context.properties;
  if (!isJsonObject(inputFiles)) return undefined;
  const directory = await context.workingDirectory();
  const folder = (await mkdtemp(`${directory}/.pod-`)).slice(directory.length + 1);
  const path = `${await context.directory()}/${TAR}`;
  try {
    const files: LocalFile[] = [];
    for (const [given, content] of Object.entries(inputFiles)) {
      if (content === null || content === "") {
        throw new Error(`Invalid inputFiles: the file "${given}" has no content; is an output missing?`);
      }
      const name = normalizeFileName(given);
      await context.createFiles({ [`${folder}/${name}`]: content });
      files.push({ name, path: `${directory}/${folder}/${name}` });
    }
    await pipeline(
      tarOf(async function* () {
        yield* files;
      }()),
      createWriteStream(path),
    );
    return path;
  } finally {
    await context.removeFile(folder);
  }
}

/** Sends the input files, and lets the containers of the task begin. @throws Error the container cannot unpack them */
export async function sendInputs({ context, cluster, path }: PodPlace, tar: string): Promise<void> {
  const { size } = await stat(tar);
  // The input has no end of its own.
  const script = `head -c ${size} | tar -xf - -C ${POD_DIRECTORY} && touch ${READY_FILE}`;
  await runInPod(context, cluster, {
    path,
    container: INPUT_CONTAINER,
    command: ["sh", "-c", script],
    input: contentOf(tar),
    operation: "send the input files",
  });
}

/** Opens the file when it is read: there may be no connection. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** Stores the files that match `outputFiles`; returns their URIs by name. @throws Error the container cannot pack them */
export async function storedOutputs({ context, cluster, path }: PodPlace): Promise<JsonObject> {
  const { outputFiles } = context.properties;
  const isWanted = compileGlobs(Array.isArray(outputFiles) ? outputFiles.map(String) : []);
  const folder = await mkdtemp(`${await context.directory()}/outputs-`);
  const chunks = await executeInPod(context, cluster, {
    path,
    container: OUTPUT_CONTAINER,
    command: ["sh", "-c", PACKING],
    operation: "read the output files",
  });
  const uris: JsonObject = {};
  for await (const { name: packed, content } of filesOfTar(chunks)) {
    const name = normalizeFileName(packed);
    if (!isWanted(name)) {
      for await (const _chunk of content);
      continue;
    }
    await mkdir(`${folder}/${parentPath(name)}`, { recursive: true });
    await pipeline(
      limitedContent(content, context.maxFileBytes),
      createWriteStream(`${folder}/${name}`),
    );
    setOwnProperty(uris, name, await context.storeFile(`${folder}/${name}`));
  }
  return uris;
}

/** Lets the container that keeps output files end, and with it the pod. */
export async function releaseOutputs({ context, cluster, path }: PodPlace): Promise<void> {
  await runInPod(context, cluster, {
    path,
    container: OUTPUT_CONTAINER,
    command: ["touch", ENDED_FILE],
    operation: "end the container of the output files",
  });
}
