/** Keys of data of earlier formats, which is moved to the keys of this version. */
import type { TenantId } from "../model/flows/flow.ts";
import type { Key, Selector } from "./store.ts";

/** `["chain", instance]` → the chain in formats 1 to 3. Moved by the first take-over. */
export function oldChainKey(instance: string): Key {
  return ["chain", instance];
}

/** `["g", instance, seq]` → the manifests in formats 1 to 3, oldest first. Moved by the first start. */
export function oldManifestsOf(instance: string): Selector {
  return { prefix: ["g", instance] };
}

/** `[tenant, "xb", firstId]` → the sealed blocks in formats 1 and 2. Moved by the first access to the catalog of the tenant. */
export function oldBlocksOf(tenant: TenantId): Selector {
  return { prefix: [tenant, "xb"] };
}
