/** Which addresses requests of flows may reach. Decides on IP addresses; names are resolved before. */
import { parseIp } from "../../base/network/ip.ts";
import { IpRanges } from "../../base/network/ip_ranges.ts";

/** Options: names of ranges, ranges and addresses. */
export interface AddressRules {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

const METADATA = new IpRanges(["metadata"]);
/** The machine of the server and its network: several people who use one server must not reach them with its rights. */
const INTERNAL = new IpRanges(["loopback", "private"]);

/** Checks addresses. Allowed ones override denied ones. */
export class AddressPolicy {
  readonly #allowed: IpRanges;
  readonly #allowedMetadata: IpRanges;
  readonly #denied: IpRanges;
  readonly #isShared: () => boolean;

  /** `isShared`: whether the server has a login or several tenants, which may change while it runs. */
  constructor({ allow = [], deny = [] }: AddressRules, isShared: () => boolean) {
    this.#allowed = new IpRanges(allow);
    this.#allowedMetadata = new IpRanges(allow.filter((text) => text === "metadata" || parseIp(text)));
    this.#denied = new IpRanges(["link-local", ...deny]);
    this.#isShared = isShared;
  }

  /** Why the address may not be reached; `undefined` if it may. */
  refusal(address: string): string | undefined {
    const bytes = parseIp(address);
    if (bytes === undefined) return "it is no IP address";
    if (METADATA.hasBytes(bytes)) {
      // A range that contains the address must not allow it: it gives out the credentials of the machine.
      return this.#allowedMetadata.hasBytes(bytes)
        ? undefined
        : 'it gives out credentials of the machine; only --http-allow with this address or "metadata" allows it';
    }
    if (this.#allowed.hasBytes(bytes)) return undefined;
    if (this.#denied.hasBytes(bytes)) return "it is denied; --http-allow makes exceptions";
    if (!INTERNAL.hasBytes(bytes) || !this.#isShared()) return undefined;
    return "it is internal, and this server has a login or several tenants; --http-allow makes exceptions";
  }
}
