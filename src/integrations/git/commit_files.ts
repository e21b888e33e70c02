/** Commits texts and files into a repository, for all types that push. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { MAX_PACK_BYTES } from "./http.ts";
import { storeDifferences } from "./differences.ts";
import type { FileChanges, Repository } from "./repository.ts";

/** Most bytes of all files that are pushed at a time: they are in memory, and a pack has no more. */
const MAX_PUSHED_BYTES = MAX_PACK_BYTES;

/** Contents of files to push by path. */
export class PushedFiles extends Map<string, Uint8Array> {
  #bytes = 0;

  /** Adds a file, or replaces its content. @throws Error they have too many bytes */
  override set(path: string, content: Uint8Array): this {
    this.#bytes += content.length - (this.get(path)?.length ?? 0);
    if (this.#bytes <= MAX_PUSHED_BYTES) return super.set(path, content);
    throw new Error(`Cannot push "${path}": the files have more than ${MAX_PUSHED_BYTES} bytes together`);
  }
}

/** What a folder of the repository shall hold. */
export interface WantedFiles {
  /** Folder of the repository. */
  readonly folder: string;
  /** Contents by path below it. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Whether a file that is not wanted is deleted. */
  readonly isDeleted: (path: string) => boolean;
}

interface CommitOptions {
  /** Message where none is given. */
  readonly message: string;
  /** Name of the output with the differences. */
  readonly output: string;
  /** Default is the property `url`. */
  readonly url?: string;
}

/** Fetches the branch `branch`, commits and pushes the differences, unless it is a dry run; returns the outputs. */
export async function commitFiles(
  context: TaskContext,
  wanted: WantedFiles | readonly WantedFiles[],
  options: CommitOptions,
): Promise<JsonObject> {
  const repository = await fetchBranch(context, options);
  return await commitTo(context, repository, [wanted].flat(), options);
}

/** As {@link commitFiles}, to a branch that was fetched. */
export async function commitTo(
  context: TaskContext,
  repository: Repository,
  wanted: readonly WantedFiles[],
  { message, output }: Pick<CommitOptions, "message" | "output">,
): Promise<JsonObject> {
  const changes = new Map<string, Uint8Array | undefined>();
  const differences: JsonObject[] = [];
  for (const each of wanted) await addChanges(repository, each, { changes, differences });
  const uri = await storeDifferences(context, differences);
  if (changes.size === 0) context.log("INFO", "Nothing to commit: the repository has these files already");
  if (changes.size === 0 || context.properties.dryRun === true) return { [output]: uri };
  const commitId = await pushChanges(context, repository, { changes, message });
  return { commitId, commitURL: repository.commitUrl(commitId), [output]: uri };
}

/** Fetches the branch `branch`, which begins at the default one if it does not exist. */
export async function fetchBranch(
  context: TaskContext,
  { url }: Pick<CommitOptions, "url"> = {},
): Promise<Repository> {
  const { Repository } = await import("./repository.ts");
  const directory = `${await context.directory()}/repository`;
  const branch = String(context.properties.branch);
  return await Repository.fetch(context, directory, { branch, depth: 1, mayBeNew: true, url });
}

async function addChanges(
  repository: Repository,
  { folder, files, isDeleted }: WantedFiles,
  { changes, differences }: {
    readonly changes: Map<string, Uint8Array | undefined>;
    readonly differences: JsonObject[];
  },
): Promise<void> {
  const prefix = folder === "" ? "" : `${folder}/`;
  const existing = await repository.files(folder);
  for (const [name, content] of files) {
    const before = existing.get(name);
    existing.delete(name);
    if (before === await repository.idOf(content)) continue;
    changes.set(prefix + name, content);
    const after = linesOf(content);
    const removed = before === undefined ? 0 : linesOf(await repository.read(before));
    differences.push(
      difference(prefix + name, before === undefined ? "ADDED" : "CHANGED", { after, removed }),
    );
  }
  for (const [name, oid] of existing) {
    if (!isDeleted(name)) continue;
    changes.set(prefix + name, undefined);
    const removed = linesOf(await repository.read(oid));
    differences.push(difference(prefix + name, "DELETED", { after: 0, removed }));
  }
}

/** Counts whole files: all lines of a changed file count as removed and added. */
function difference(
  file: string,
  changeType: string,
  { after, removed }: { readonly after: number; readonly removed: number },
): JsonObject {
  return {
    file,
    changeType,
    additions: `+${after}`,
    deletions: `-${removed}`,
    changes: `${after + removed}`,
  };
}

function linesOf(content: Uint8Array): number {
  let count = content.length > 0 && content.at(-1) !== 10 ? 1 : 0;
  for (const byte of content) if (byte === 10) count++;
  return count;
}

async function pushChanges(
  { properties }: TaskContext,
  repository: Repository,
  { changes, message }: { readonly changes: FileChanges; readonly message: string },
): Promise<string> {
  const { commitMessage, authorName, authorEmail, author, username } = properties;
  const given = isJsonObject(author) ? author : {};
  const name = optionalText(authorName ?? given.name) ?? optionalText(username) ?? "Sluice";
  const email = optionalText(authorEmail ?? given.email) ?? `${name.replace(/[^\w.-]/g, "-")}@localhost`;
  return await repository.push(changes, {
    message: optionalText(commitMessage) ?? message,
    author: { name, email },
  });
}
