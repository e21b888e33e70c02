/** Sets of IP addresses, as options describe them. */
import { type IpBytes, type IpRange, isWithinRange, parseIp, parseIpRange } from "./ip.ts";

/** Services of cloud machines that give out credentials: Amazon, Google, Azure, Oracle, Alibaba. */
const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "168.63.129.16",
  "192.0.0.192",
  "100.100.100.200",
];

/** Ranges that options may name. */
const NAMED_RANGES: ReadonlyMap<string, readonly string[]> = new Map([
  ["all", ["0.0.0.0/0", "::/0"]],
  ["loopback", ["127.0.0.0/8", "0.0.0.0/8", "::1", "::"]],
  [
    "private",
    // Further: shared address space (RFC 6598), local IPv4 translation (RFC 8215), the former site-local addresses.
    [
      "10.0.0.0/8",
      "172.16.0.0/12",
      "192.168.0.0/16",
      "100.64.0.0/10",
      "fc00::/7",
      "64:ff9b:1::/48",
      "fec0::/10",
    ],
  ],
  ["link-local", ["169.254.0.0/16", "fe80::/10"]],
  ["metadata", METADATA],
]);

/** True for the name of a range, a range or an address. */
export function isIpRangeText(text: string): boolean {
  return NAMED_RANGES.has(text) || parseIpRange(text) !== undefined;
}

/** Addresses given by names of ranges, ranges and single addresses. */
export class IpRanges {
  readonly #ranges: readonly IpRange[];

  constructor(texts: readonly string[]) {
    this.#ranges = texts.flatMap((text) => NAMED_RANGES.get(text) ?? [text]).map(parseIpRange)
      .filter((range) => range !== undefined);
  }

  /** True if it contains no address. */
  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /** True if it contains the address; false for a text that is no address. */
  has(address: string): boolean {
    const bytes = parseIp(address);
    return bytes !== undefined && this.hasBytes(bytes);
  }

  /** As {@link has}, for a parsed address. */
  hasBytes(bytes: IpBytes): boolean {
    return this.#ranges.some((range) => isWithinRange(bytes, range));
  }
}
