/** The files that dbt writes to the folder `target` of its project. */
import type { JsonObject } from "../../../../base/json.ts";
import {
  nodeCounters,
  nodeLine,
  nodeOutputs,
  readRunResults,
} from "../../../../integrations/dbt/run_results.ts";
import { normalizeFilePath } from "../../../../model/namespaces/file_path.ts";
import { hasFile, type LocalPlace, openLocalFile, storeFile } from "../../../local_files.ts";
import { flagOf, textOf } from "../../../property_values.ts";
import type { HookWork, ScriptFindings } from "../../script_hooks.ts";

/** Largest file that is parsed. */
const MAX_PARSED_BYTES = 128 * 1024 * 1024;

/** Name of the manifest, and of its output file. */
export const MANIFEST = "manifest.json";
const RUN_RESULTS = "run_results.json";

/** Name of a file of the folder `target`, relative to the working directory. @throws DomainError `projectDir` leads out of it */
export function targetName({ properties, directory }: HookWork, file: string): string {
  return normalizeFilePath(`${projectFolder(properties, directory)}/target/${file}`);
}

/** `projectDir`, relative to the working directory. @throws DomainError it leads out of it */
export function projectFolder(properties: JsonObject, directory: string): string {
  const given = textOf(properties, "projectDir") ?? "";
  return normalizeFilePath(given.startsWith(directory) ? given.slice(directory.length) : given);
}

/** Reads a file of the directory as text. @throws Error it is too large to be parsed */
export async function readText({ directory }: LocalPlace, name: string): Promise<string> {
  const { size } = await Deno.lstat(`${directory}/${name}`);
  if (size > MAX_PARSED_BYTES) {
    throw new Error(`Cannot read "${name}": it is larger than ${MAX_PARSED_BYTES} bytes`);
  }
  return await new Response(await openLocalFile(directory, name)).text();
}

/** Stores the files, and reports what dbt has run as log lines, metrics and the output `nodes`. */
export async function collectArtifacts(work: HookWork): Promise<ScriptFindings> {
  const { properties, directory } = work;
  const files: JsonObject = {};
  const manifest = targetName(work, MANIFEST);
  if (await hasFile(directory, manifest)) files[MANIFEST] = await storeFile(work, manifest);
  const results = targetName(work, RUN_RESULTS);
  const isParsed = flagOf(properties, "parseRunResults", true) && await hasFile(directory, results);
  if (!isParsed) return { files };
  files[RUN_RESULTS] = await storeFile(work, results);
  return { files, outputs: { nodes: await reportNodes(work, await readText(work, results)) } };
}

async function reportNodes({ context }: HookWork, text: string): Promise<JsonObject[]> {
  const nodes = await readNodes(text, (message) => context.log("WARN", message));
  for (const node of nodes) {
    const { level, message } = nodeLine(node);
    context.log(level, message);
    await context.logged();
  }
  for (const [name, value] of nodeCounters(nodes)) context.metric({ name, type: "counter", value });
  return nodeOutputs(nodes);
}

/** A file that a stopped dbt has written in part is no failure of its own. */
async function readNodes(text: string, warn: (message: string) => void) {
  try {
    return await readRunResults(text);
  } catch (error) {
    warn((error as Error).message);
    return [];
  }
}
