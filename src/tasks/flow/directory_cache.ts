/** Files of a working directory that are cached between executions of the same flow. */
import { parseDuration } from "../../base/duration.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { CachedFile } from "../../model/ports/flow_caches.ts";
import { compileGlobs } from "../glob.ts";
import { findFiles, type LocalPlace, openLocalFile, readTexts, writeLocalFile } from "../local_files.ts";
import { textOf } from "../property_values.ts";

/** The property `cache`. */
interface DirectoryCache {
  readonly patterns: readonly string[];
  readonly ttlMs?: number;
}

/** Reads the property; `undefined` if it is absent. @throws Error `ttl` is no duration */
export function cacheOf({ cache }: JsonObject): DirectoryCache | undefined {
  if (!isJsonObject(cache)) return undefined;
  const ttl = textOf(cache, "ttl");
  const ttlMs = ttl === undefined || ttl === "" ? undefined : parseDuration(ttl);
  if (ttl && ttlMs === undefined) {
    throw new Error(`Invalid ttl "${ttl}": it must be an ISO 8601 duration such as PT1H`);
  }
  return { patterns: readTexts(cache.patterns, "Globs of cached files"), ttlMs };
}

/** Copies the files of a fresh cache into the directory. A cache that cannot be read is ignored with a warning. */
export async function restoreCache(
  { context, directory }: LocalPlace,
  cache: DirectoryCache | undefined,
): Promise<void> {
  const { flowCaches } = context.ports;
  if (!cache || !await flowCaches.isFresh(context, cache.ttlMs)) return;
  try {
    await flowCaches.restore(context, async (name, content) => {
      await writeLocalFile(directory, name, content);
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    context.log("WARN", `The cache is not used: ${error.message}`);
  }
}

/** Saves the matching files unless the cache is fresh. */
export async function saveCache(place: LocalPlace, cache: DirectoryCache | undefined): Promise<void> {
  const { context } = place;
  const { flowCaches } = context.ports;
  if (!cache || await flowCaches.isFresh(context, cache.ttlMs)) return;
  await flowCaches.save(context, cachedFiles(place, cache));
}

async function* cachedFiles({ directory }: LocalPlace, cache: DirectoryCache): AsyncGenerator<CachedFile> {
  for (const name of await findFiles(directory, compileGlobs(cache.patterns))) {
    yield { name, open: () => openLocalFile(directory, name) };
  }
}
