/** Which addresses requests of flows may reach. Decides on IP addresses; names are resolved before. */
import { type IpBytes, type IpRange, isWithinRange, parseIp, parseIpRange } from "../../base/ip.ts";

/** Named ranges for options. */
const NAMED_RANGES: ReadonlyMap<string, readonly string[]> = new Map([
  ["all", ["0.0.0.0/0", "::/0"]],
  ["loopback", ["127.0.0.0/8", "0.0.0.0/8", "::1", "::"]],
  ["private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"]],
  ["link-local", ["169.254.0.0/16", "fe80::/10"]],
  ["metadata", ["169.254.169.254", "100.100.100.200", "fd00:ec2::254"]],
]);

/** Denied unless allowed: the services that provide the credentials of cloud machines. */
const ALWAYS_DENIED = ["link-local", "metadata"];

/** Options: names of {@link NAMED_RANGES}, ranges and addresses. */
export interface AddressRules {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** Checks addresses. Allowed ranges override denied ones. */
export class AddressPolicy {
  readonly #allowed: readonly IpRange[];
  readonly #denied: readonly IpRange[];

  constructor({ allow = [], deny = [] }: AddressRules = {}) {
    this.#allowed = allow.flatMap(rangesOf);
    this.#denied = [...ALWAYS_DENIED, ...deny].flatMap(rangesOf);
  }

  /** False also for an invalid address. */
  allows(address: string): boolean {
    const bytes = parseIp(address);
    return bytes !== undefined && (isIn(bytes, this.#allowed) || !isIn(bytes, this.#denied));
  }
}

function isIn(bytes: IpBytes, ranges: readonly IpRange[]): boolean {
  return ranges.some((range) => isWithinRange(bytes, range));
}

function rangesOf(text: string): IpRange[] {
  const texts = NAMED_RANGES.get(text) ?? [text];
  return texts.map(parseIpRange).filter((range) => range !== undefined);
}
