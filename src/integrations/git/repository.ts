/**
 * A repository of another server, read and changed as objects, without a working tree: links and names in it can not lead to
 * files of this machine. Loaded by the first task that uses git.
 */
import nodeFs from "node:fs";
import git from "isomorphic-git";
import { letOthersRun } from "../../base/time/turn.ts";
import { optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { withTextFailure } from "./failure.ts";
import type { Transport } from "./http.ts";
import { checkPackSizes } from "./pack_sizes.ts";
import { type Remote, remoteOf } from "./remote.ts";
import { withTransport } from "./transport.ts";
import { treeFiles, writeTree } from "./tree.ts";

/** What is fetched. */
export interface FetchOptions {
  /** A branch or a tag; default is that of the server. */
  readonly branch?: string;
  /** Commits of its history; default is all. */
  readonly depth?: number;
  /** Address of the repository; default is the property `url`. */
  readonly url?: string;
  /** Begins a branch that does not exist from the default one. */
  readonly mayBeNew?: boolean;
}

/** Author of a commit. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

/** Changes of files by path, to be committed; `undefined` deletes. */
export type FileChanges = ReadonlyMap<string, Uint8Array | undefined>;

type Server = { readonly context: TaskContext; readonly remote: Remote };
type Place = { readonly fs: typeof nodeFs; readonly dir: string };

/** A fetched repository. */
export class Repository {
  /** The branch that is fetched and pushed. */
  readonly branch: string;
  /** Id of its last commit; absent in an empty repository. */
  readonly head?: string;
  readonly #place: Place;
  readonly #server: Server;
  readonly #cache = {};

  private constructor(
    { branch, head, place, server }: {
      readonly branch: string;
      readonly head?: string;
      readonly place: Place;
      readonly server: Server;
    },
  ) {
    this.branch = branch;
    this.head = head;
    this.#place = place;
    this.#server = server;
  }

  /** Fetches into `<dir>/.git`. @throws Error with host and words of the server */
  static async fetch(context: TaskContext, dir: string, options: FetchOptions = {}): Promise<Repository> {
    const { properties } = context;
    const remote = remoteOf(options.url === undefined ? properties : { ...properties, url: options.url });
    const server = { context, remote };
    const place = { fs: checkedFiles(context.signal), dir };
    return await withTransport("fetch from", server, async (transport) => {
      await git.init({ ...place, defaultBranch: options.branch ?? "main" });
      await git.addRemote({ ...place, remote: "origin", url: remote.url });
      const found = await fetchBranch(place, transport, options);
      return new Repository({ ...found, place, server });
    });
  }

  /** The regular files of the last commit below a folder (`""` for all), by their paths relative to it. */
  async files(folder: string): Promise<Map<string, string>> {
    if (this.head === undefined) return new Map();
    const prefix = folder === "" ? "" : `${folder}/`;
    const files = new Map<string, string>();
    for (const { path, oid, isFile } of await this.#tree()) {
      if (isFile && path.startsWith(prefix)) files.set(path.slice(prefix.length), oid);
    }
    return files;
  }

  /** The content of a file by its object id. */
  async read(oid: string): Promise<Uint8Array> {
    return (await git.readBlob({ ...this.#place, cache: this.#cache, oid })).blob;
  }

  /** The id that a content has as an object. */
  async idOf(content: Uint8Array): Promise<string> {
    return (await git.hashBlob({ object: content })).oid;
  }

  /** Commits the changes on top of the last commit and pushes the branch; returns the id of the commit. @throws Error with host and words of the server */
  async push(
    changes: FileChanges,
    { message, author }: { message: string; author: Author },
  ): Promise<string> {
    const entries = new Map((await this.#tree()).map((entry) => [entry.path, entry]));
    for (const [path, content] of changes) {
      if (!content) entries.delete(path);
      else {
        const oid = await git.writeBlob({ ...this.#place, blob: content });
        entries.set(path, { path, oid, mode: entries.get(path)?.mode ?? "100644", isFile: true });
      }
    }
    const tree = await writeTree(this.#place, [...entries.values()]);
    const ref = `refs/heads/${this.branch}`;
    const parent = this.head === undefined ? [] : [this.head];
    const id = await git.commit({ ...this.#place, message, tree, parent, ref, author });
    await this.#push(ref);
    return id;
  }

  /** Writes the files of the last commit, or of that commit, beside `.git`. @throws Error there is no such commit */
  async checkOut(commit?: string): Promise<void> {
    const id = commit ?? this.head;
    if (id === undefined) return;
    const place = { ...this.#place, cache: this.#cache };
    await withTextFailure(`check out ${JSON.stringify(commit ?? this.branch)}`, async () => {
      await treeFiles(place, id); // Refuses names that lead out of the directory.
      const isBranch = commit === undefined && (await git.listBranches({ ...place, remote: "origin" }))
        .includes(this.branch);
      await git.checkout({ ...place, remote: "origin", ref: isBranch ? this.branch : id });
    });
  }

  /** The address of a commit, as most servers have it. */
  commitUrl(id: string): string {
    return `${this.#server.remote.page}/commit/${id}`;
  }

  async #push(ref: string): Promise<void> {
    await withTransport("push to", this.#server, async (transport) => {
      const result = await git.push({
        ...this.#place,
        ...transport,
        cache: this.#cache,
        remote: "origin",
        ref,
        remoteRef: ref,
      });
      const refusal = result.error ?? Object.values(result.refs).find(({ ok }) => !ok)?.error;
      if (refusal) throw new Error(refusal);
    });
  }

  async #tree() {
    return this.head === undefined ? [] : await treeFiles({ ...this.#place, cache: this.#cache }, this.head);
  }
}

/** Where the library stores a fetched pack. A file of the repository can have such a name elsewhere. */
const FETCHED_PACK = /\/\.git\/objects\/pack\/[^/]+\.pack$/;

/** The files of the library. Each operation stops when the attempt does; a pack is checked before the library stores and reads it. */
function checkedFiles(signal: AbortSignal): typeof nodeFs {
  const writeFile = async (...args: Parameters<typeof nodeFs.promises.writeFile>) => {
    const [path, content] = args;
    if (FETCHED_PACK.test(String(path))) await checkPackSizes(content as Uint8Array);
    return await nodeFs.promises.writeFile(...args);
  };
  const promises = new Proxy(nodeFs.promises, {
    get(target, name) {
      signal.throwIfAborted();
      return name === "writeFile" ? writeFile : Reflect.get(target, name);
    },
  });
  return { ...nodeFs, promises };
}

async function fetchBranch(
  place: Place,
  transport: Transport,
  { branch, depth, mayBeNew = false }: FetchOptions,
): Promise<{ branch: string; head?: string }> {
  const fetch = (ref?: string) =>
    git.fetch({
      ...place,
      ...transport,
      remote: "origin",
      ref,
      depth,
      singleBranch: true,
      tags: false,
      onProgress: letOthersRun,
    });
  const result = await fetch(branch).catch((error) => {
    if (error?.code === "NotFoundError" && branch !== undefined && !mayBeNew) {
      throw new Error(`there is no branch or tag "${branch}"`);
    }
    if (error?.code === "NotFoundError") return fetch();
    throw error;
  });
  const fallback = result.defaultBranch?.replace(/^refs\/heads\//, "") ?? "main";
  return { branch: branch ?? fallback, head: optionalText(result.fetchHead) };
}
