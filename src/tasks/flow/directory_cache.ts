/** Files of a working directory that are kept between executions of the same flow. */
import { parseDuration } from "../../base/duration.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { CachedFile } from "../../model/ports/flow_caches.ts";
import { compileGlobs } from "../glob.ts";
import { findFiles, type LocalPlace, openLocalFile, readTexts, writeLocalFile } from "../local_files.ts";
import { textOf } from "../property_values.ts";

/** What is kept, and for how long. */
interface DirectoryCache {
  readonly patterns: readonly string[];
  readonly ttlMs?: number;
}

/** The property `cache`; `undefined` when it is not given. @throws Error `ttl` is no duration */
export function cacheOf({ cache }: JsonObject): DirectoryCache | undefined {
  if (!isJsonObject(cache)) return undefined;
  const ttl = textOf(cache, "ttl");
  const ttlMs = ttl === undefined || ttl === "" ? undefined : parseDuration(ttl);
  if (ttl && ttlMs === undefined) {
    throw new Error(`Invalid ttl "${ttl}": it must be an ISO 8601 duration such as PT1H`);
  }
  return { patterns: readTexts(cache.patterns, "Globs of cached files"), ttlMs };
}

/** Puts the files of a fresh cache into the directory. One that cannot be read is as good as none. */
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

/** Keeps the files that match, unless there is a fresh cache. */
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
