/** Directories that tasks work in, below one folder of this server. What a crash has left in it is removed before its first use. */
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  SharedDirectory,
  SharedDirectoryRequest,
  WorkingDirectoryPort,
} from "../../model/ports/working_directories.ts";
import { SharedDirectories } from "./shared_directories.ts";

const PREFIX = "sluice-work-";

/** The directories of one server. */
export class WorkDirectories implements WorkingDirectoryPort, AsyncDisposable {
  readonly #dataDir: string | undefined;
  #folder: string | undefined;
  #made: Promise<void> | undefined;
  readonly #shared = new SharedDirectories(this);

  /** The folder is another one for each data directory; without one it is new each time. */
  constructor(dataDir: string | undefined) {
    this.#dataDir = dataDir;
  }

  /** @inheritdoc */
  pathOf(name: string): string {
    return join(this.#root(), name);
  }

  /** @inheritdoc */
  async make(name: string): Promise<string> {
    const path = this.pathOf(name);
    await (this.#made ??= this.#makeRoot());
    if (!makeNew(path)) {
      await removeAll(path);
      await Deno.mkdir(path, { mode: 0o700 });
    }
    return path;
  }

  /** @inheritdoc */
  async remove(name: string): Promise<void> {
    await removeAll(this.pathOf(name));
  }

  /** @inheritdoc */
  share(request: SharedDirectoryRequest): Promise<SharedDirectory | undefined> {
    return this.#shared.use(request);
  }

  /** Removes all of them. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#made || !this.#dataDir && this.#folder) await removeAll(this.#root());
    this.#made = undefined;
    this.#folder = undefined;
  }

  #root(): string {
    return this.#folder ??= this.#dataDir === undefined ? Deno.makeTempDirSync({ prefix: PREFIX }) : join(
      tmpdir(),
      PREFIX + createHash("sha256").update(realPath(this.#dataDir)).digest("hex").slice(0, 16),
    );
  }

  /** The data directory is locked: no other server uses the same folder. */
  async #makeRoot(): Promise<void> {
    if (this.#dataDir === undefined) return;
    await removeAll(this.#root());
    await Deno.mkdir(this.#root(), { mode: 0o700 });
  }
}

/** False when there is one already. At once, since it takes less than handing it to another thread. */
function makeNew(path: string): boolean {
  try {
    Deno.mkdirSync(path, { mode: 0o700 });
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

/** Also what a script has made read-only. */
async function removeAll(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    await new Deno.Command("/bin/chmod", { args: ["-R", "u+rwX", path], stderr: "null" }).output();
    await Deno.remove(path, { recursive: true });
  }
}
