/** `core.flow.WorkingDirectory`: tasks that share one directory. */
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, stringifyJson } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import { dynamicProperty, type PropertySchemas } from "../../model/flows/schema.ts";
import type { CachedFile } from "../../model/ports/flow_caches.ts";
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { FILE_PROPERTIES, OUTPUT_FILES, textList } from "../file_properties.ts";
import { compileGlobs } from "../../model/namespaces/glob.ts";
import {
  copyNamespaceFiles,
  createFiles,
  findFiles,
  type LocalPlace,
  openLocalFile,
  readTexts,
  storeFiles,
  writeLocalFile,
} from "../local_files.ts";
import { textOf } from "../property_values.ts";
import { HANDLER_PROPERTIES } from "./flowable_properties.ts";

const CACHE: PropertySchemas = Object.freeze({
  patterns: textList("Globs of the files to cache.", { required: true }),
  ttl: dynamicProperty("duration", "How long the cache is valid; default is forever."),
});

/** Output: `outputFiles`. */
export const workingDirectoryTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.WorkingDirectory",
  aliases: ["core.tasks.flows.WorkingDirectory", "core.tasks.flows.Worker"],
  description: "Runs its tasks one after the other in one directory, so that they share files.",
  properties: {
    tasks: {
      type: "tasks",
      required: true,
      description: "Tasks to run, in this order; each must be a runnable task.",
    },
    ...FILE_PROPERTIES,
    cache: dynamicProperty(
      "object",
      "Files that are kept between executions of the same flow, as the last one that changed them has left them.",
      { properties: CACHE },
    ),
    ...HANDLER_PROPERTIES,
  },
  outputs: { outputFiles: OUTPUT_FILES },
  hooks: {
    async before(properties, context) {
      const directory = await context.ports.workingDirectories.make(context.taskRunId);
      const stamp = await restoreCache({ context, directory }, cacheOf(properties));
      await copyNamespaceFiles({ context, directory }, properties.namespaceFiles);
      await createFiles({ context, directory }, properties.inputFiles);
      return stamp;
    },
    async after(properties, context, stamp): Promise<JsonObject> {
      const directory = context.ports.workingDirectories.pathOf(context.taskRunId);
      await context.ports.workingDirectories.whenFree(directory);
      await saveCache({ context, directory }, cacheOf(properties), stamp);
      const files = await storeFiles({ context, directory }, properties.outputFiles);
      return Object.keys(files).length > 0 ? { outputFiles: files } : {};
    },
    async release(context) {
      await context.ports.workingDirectories.remove(context.taskRunId);
    },
  },
};

/** The property `cache`. */
interface DirectoryCache {
  readonly patterns: readonly string[];
  readonly ttlMs?: number;
}

/** Reads the property; `undefined` if it is absent. @throws Error `ttl` is no duration */
function cacheOf({ cache }: JsonObject): DirectoryCache | undefined {
  if (!isJsonObject(cache)) return undefined;
  const ttl = textOf(cache, "ttl");
  const ttlMs = ttl === undefined || ttl === "" ? undefined : readDuration(ttl);
  if (ttl && ttlMs === undefined) {
    throw new Error(
      `Invalid ttl "${ttl}": it must be an ISO 8601 duration such as PT1H, or a number of seconds`,
    );
  }
  return { patterns: readTexts(cache.patterns, "Globs of cached files"), ttlMs };
}

/**
 * Copies the files of a fresh cache into the directory; returns the stamp of the cached files. `undefined`: there is no cache,
 * or it cannot be read, which is logged as a warning.
 */
async function restoreCache(
  place: LocalPlace,
  cache: DirectoryCache | undefined,
): Promise<string | undefined> {
  const { context, directory } = place;
  const { flowCaches } = context.ports;
  if (!cache) return undefined;
  try {
    if (await flowCaches.isFresh(context, cache.ttlMs)) {
      await flowCaches.restore(context, async (name, content) => {
        await writeLocalFile(directory, name, content);
      });
    }
    return await stampOf(place, cache);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    context.log("WARN", `The cache is not used: ${error.message}`);
    return undefined;
  }
}

/** Saves the cached files, unless they still have the stamp that they had before the tasks. */
async function saveCache(
  place: LocalPlace,
  cache: DirectoryCache | undefined,
  stamp: string | undefined,
): Promise<void> {
  if (!cache || await stampOf(place, cache) === stamp) return;
  const { context } = place;
  await context.ports.flowCaches.save(context, cachedFiles(place, cache));
}

/** A text that changes when a cached file is added, changed or removed. Contents are not read: a cache may have thousands of files. */
async function stampOf({ directory }: LocalPlace, { patterns }: DirectoryCache): Promise<string> {
  const files: string[] = [];
  for (const name of await findFiles(directory, compileGlobs(patterns))) {
    const { size, mtime } = await Deno.lstat(`${directory}/${name}`);
    files.push(stringifyJson([name, size, mtime?.getTime() ?? 0]));
  }
  const text = new TextEncoder().encode(files.join());
  return new Uint8Array(await crypto.subtle.digest("SHA-256", text)).toHex();
}

async function* cachedFiles({ directory }: LocalPlace, cache: DirectoryCache): AsyncGenerator<CachedFile> {
  for (const name of await findFiles(directory, compileGlobs(cache.patterns))) {
    yield { name, open: () => openLocalFile(directory, name) };
  }
}
