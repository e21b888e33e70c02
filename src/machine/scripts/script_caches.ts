/** Caches of what scripts fetch, one for each tenant: packages, and programs that install packages. */
import { resolve } from "node:path";
import { systemRandomBytes } from "../../base/id.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { removeTree } from "./remove_tree.ts";
import { shellOutput } from "./shell_program.ts";

const OWNER_ONLY = 0o700;
/** A larger cache is emptied at the first use after a start. */
const MAX_CACHE_BYTES = 5 * 1024 ** 3;
/** A name that scripts of other tenants, which may run as the same user, cannot guess. */
const NAME_BYTES = 16;

/** Where caches are. */
type CachePlace =
  /** A folder that outlives the server. */
  | { readonly parent: string }
  /** Directories that end with the server, given to the user of scripts if there is one. */
  | {
    readonly make: (name: string) => Promise<string>;
    readonly give?: (path: string) => Promise<void>;
  };

/** The caches of one server. */
export class ScriptCaches {
  readonly #place: CachePlace;
  readonly #maxBytes: number;
  readonly #paths = new Map<TenantId, Promise<string>>();

  constructor(place: CachePlace, maxBytes = MAX_CACHE_BYTES) {
    this.#place = place;
    this.#maxBytes = maxBytes;
  }

  /** Absolute path of the cache, which exists. @throws Error it cannot be created; the next call tries again */
  of(tenant: TenantId): Promise<string> {
    const found = this.#paths.get(tenant);
    if (found) return found;
    const made = this.#make(tenant).catch((error) => {
      this.#paths.delete(tenant);
      throw error;
    });
    this.#paths.set(tenant, made);
    return made;
  }

  /** Removes the cache of a removed tenant, also one that an earlier process made. */
  async drop(tenant: TenantId): Promise<void> {
    const place = this.#place;
    const made = await this.#paths.get(tenant)?.catch(() => undefined);
    this.#paths.delete(tenant);
    const path = "parent" in place ? resolve(place.parent, tenant) : made;
    if (path !== undefined) await removeTree(path);
  }

  async #make(tenant: TenantId): Promise<string> {
    const place = this.#place;
    if ("parent" in place) return await this.#makeLasting(resolve(place.parent, tenant));
    const name = new Uint8Array(NAME_BYTES);
    systemRandomBytes(name);
    const path = await place.make(`cache-${name.toHex()}`);
    await place.give?.(path);
    return path;
  }

  async #makeLasting(path: string): Promise<string> {
    if (await treeBytes(path) > this.#maxBytes) await removeTree(path);
    await Deno.mkdir(path, { recursive: true, mode: OWNER_ONLY });
    return path;
  }
}

/** Size of a tree in bytes; 0 if it does not exist or cannot be measured. */
async function treeBytes(path: string): Promise<number> {
  const output = await shellOutput('PATH=/usr/bin:/bin; du -sk -- "$1"', [path], {});
  return parseInt(output ?? "0") * 1024 || 0;
}
