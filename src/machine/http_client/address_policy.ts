/** Which addresses requests of flows may reach. Decides on IP addresses; names are resolved before. */
import { parseIp } from "../../base/ip.ts";
import { IpRanges } from "../../base/ip_ranges.ts";

/** Denied unless allowed: the services that provide the credentials of cloud machines. */
const ALWAYS_DENIED = ["link-local", "metadata"];

/** Options: names of ranges, ranges and addresses. */
export interface AddressRules {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** Checks addresses. Allowed ranges override denied ones. */
export class AddressPolicy {
  readonly #allowed: IpRanges;
  readonly #denied: IpRanges;

  constructor({ allow = [], deny = [] }: AddressRules = {}) {
    this.#allowed = new IpRanges(allow);
    this.#denied = new IpRanges([...ALWAYS_DENIED, ...deny]);
  }

  /** False also for an invalid address. */
  allows(address: string): boolean {
    const bytes = parseIp(address);
    return bytes !== undefined && (this.#allowed.hasBytes(bytes) || !this.#denied.hasBytes(bytes));
  }
}
