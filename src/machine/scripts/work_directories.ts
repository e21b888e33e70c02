/** Working directories of tasks, below one root directory of this server. Leftovers of a crash are removed before its first use. */
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type {
  SharedDirectory,
  SharedDirectoryRequest,
  WorkingDirectoryPort,
} from "../../model/ports/working_directories.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { removeTree } from "./remove_tree.ts";
import { ScriptCaches } from "./script_caches.ts";
import type { ScriptOwner } from "./script_owner.ts";
import { SharedDirectories } from "./shared_directories.ts";

const PREFIX = "sluice-work-";
/** Within the data directory. */
const CACHE_FOLDER = "script-cache";
const OWNER_ONLY = 0o700;
const OWNER_READS = 0o600;
const TRAVERSE_ONLY = 0o711;

/** The directories of one server. */
export class WorkDirectories implements WorkingDirectoryPort, AsyncDisposable {
  readonly #dataDir: string | undefined;
  #rootPath: string | undefined;
  #rootMade: Promise<void> | undefined;
  readonly #owner: ScriptOwner | undefined;
  readonly #shared = new SharedDirectories(this);
  readonly #caches: ScriptCaches;
  /** By path: a task that is restarted at once makes its directory while the former one is removed. */
  readonly #changes = new KeyedLock();
  /** Running scripts by directory. */
  readonly #scripts = new Map<string, Set<Promise<unknown>>>();
  readonly #removals = new Set<Promise<unknown>>();

  /** The root is derived from the data directory; without one it is new each time. `owner`: for scripts of another user. */
  constructor(dataDir: string | undefined, owner?: ScriptOwner) {
    this.#dataDir = dataDir;
    this.#owner = owner;
    // The data directory is closed to a script user.
    this.#caches = new ScriptCaches(
      owner || dataDir === undefined
        ? { make: (name) => this.make(name), give: owner && ((path) => owner.give(path)) }
        : { parent: join(dataDir, CACHE_FOLDER) },
    );
  }

  /** @inheritdoc */
  pathOf(name: string): string {
    return join(this.#root(), name);
  }

  /** @inheritdoc */
  async make(name: string): Promise<string> {
    const path = this.pathOf(name);
    await (this.#rootMade ??= this.#makeRoot());
    return await this.#changes.run(path, async () => {
      if (!makeNew(path)) {
        await removeTree(path);
        await Deno.mkdir(path, { mode: OWNER_ONLY });
      }
      return path;
    });
  }

  /** Writes a new file that no script can read; returns its path. {@link remove} removes it. */
  async writePrivate(name: string, text: string): Promise<string> {
    await (this.#rootMade ??= this.#makeRoot());
    const path = this.pathOf(name);
    await Deno.writeTextFile(path, text, { mode: OWNER_READS, createNew: true });
    return path;
  }

  /** @inheritdoc */
  async remove(name: string): Promise<void> {
    await this.removePath(this.pathOf(name));
  }

  /** @inheritdoc */
  async removePath(path: string): Promise<void> {
    await this.#changes.run(path, () => removeTree(path));
  }

  /** @inheritdoc */
  async whenFree(path: string): Promise<void> {
    for (let scripts = this.#scripts.get(path); scripts; scripts = this.#scripts.get(path)) {
      await Promise.allSettled([...scripts]);
    }
  }

  /** Runs a script in a directory, once no other one runs there; it belongs to the user of scripts meanwhile, if `isLent`. */
  async occupy<T>(path: string, isLent: boolean, run: () => Promise<T>): Promise<T> {
    while (this.#scripts.has(path)) await this.whenFree(path);
    const running = isLent && this.#owner ? this.#owner.lend(path, run) : run();
    const scripts = this.#scripts.get(path) ?? new Set();
    this.#scripts.set(path, scripts.add(running));
    try {
      return await running;
    } finally {
      scripts.delete(running);
      if (scripts.size === 0) this.#scripts.delete(path);
    }
  }

  /** Failures are ignored: the root is removed at the next start. */
  discard(name: string): void {
    this.#removeLater(this.remove(name));
  }

  /** Removes the cache of a removed tenant in the background. */
  dropCache(tenant: TenantId): void {
    this.#removeLater(this.#caches.drop(tenant));
  }

  #removeLater(removing: Promise<void>): void {
    const removal = Promise.allSettled([removing]);
    this.#removals.add(removal);
    void removal.then(() => this.#removals.delete(removal));
  }

  /** @inheritdoc */
  share(request: SharedDirectoryRequest): Promise<SharedDirectory | undefined> {
    const owner = this.#owner;
    if (!owner) return this.#shared.use(request);
    const fill = async (path: string) => {
      const isFilled = await request.fill(path);
      if (isFilled) await owner.show(path);
      return isFilled;
    };
    return this.#shared.use({ ...request, fill });
  }

  /** @inheritdoc */
  cacheOf(tenant: TenantId): Promise<string> {
    return this.#caches.of(tenant);
  }

  /** Removes all of them; caches in the data directory remain. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#removals);
    if (this.#rootMade || !this.#dataDir && this.#rootPath) await removeTree(this.#root());
    this.#rootMade = undefined;
    this.#rootPath = undefined;
  }

  #root(): string {
    return this.#rootPath ??= this.#dataDir === undefined ? Deno.makeTempDirSync({ prefix: PREFIX }) : join(
      tmpdir(),
      PREFIX + createHash("sha256").update(realPath(this.#dataDir)).digest("hex").slice(0, 16),
    );
  }

  /** The data directory is locked, so no other server uses the same root. */
  async #makeRoot(): Promise<void> {
    const root = this.#root();
    if (this.#dataDir !== undefined) {
      await removeTree(root);
      await Deno.mkdir(root, { mode: OWNER_ONLY });
    }
    // The script user may traverse, but not list it.
    if (this.#owner) await Deno.chmod(root, TRAVERSE_ONLY);
  }
}

/** False when it exists. Synchronous, which is faster than a call in another thread. */
function makeNew(path: string): boolean {
  try {
    Deno.mkdirSync(path, { mode: OWNER_ONLY });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}

function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return path;
    throw error;
  }
}
