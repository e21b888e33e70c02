/** IP addresses and ranges, from their texts. */

/** An address: four bytes of IPv4, sixteen of IPv6. */
export type IpBytes = readonly number[];

/** Addresses with a common prefix. */
export interface IpRange {
  readonly bytes: IpBytes;
  /** Length of the prefix. */
  readonly bits: number;
}

/** The bytes of an address; `undefined` for any other text. An IPv4 address embedded in IPv6 is IPv4. */
export function parseIp(text: string): IpBytes | undefined {
  const bare = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text;
  if (!bare.includes(":")) return parseIpv4(bare);
  const bytes = parseIpv6(bare.replace(/%.*$/s, ""));
  return bytes && (embeddedIpv4(bytes) ?? bytes);
}

/** `10.0.0.0/8`, `fd00::/8` or a single address; `undefined` for any other text. */
export function parseIpRange(text: string): IpRange | undefined {
  const [address = "", bits, ...rest] = text.split("/");
  const bytes = parseIp(address);
  if (!bytes || rest.length > 0) return undefined;
  const most = bytes.length * 8;
  if (bits === undefined) return { bytes, bits: most };
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most ? { bytes, bits: Number(bits) } : undefined;
}

/** True for an address in the range; an IPv4 range contains no IPv6 address and vice versa. */
export function isWithinRange(address: IpBytes, { bytes, bits }: IpRange): boolean {
  if (address.length !== bytes.length) return false;
  for (let bit = 0; bit < bits; bit += 8) {
    const shift = Math.max(0, 8 - (bits - bit));
    if ((address[bit >> 3] ?? 0) >> shift !== (bytes[bit >> 3] ?? 0) >> shift) return false;
  }
  return true;
}

function parseIpv4(text: string): IpBytes | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const bytes = text.split(".").map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseIpv6(text: string): IpBytes | undefined {
  const [head = "", tail, ...rest] = text.split("::");
  if (rest.length > 0) return undefined;
  const [left, right] = [groupsOf(head), groupsOf(tail ?? "")];
  if (!left || !right) return undefined;
  const missing = 16 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...left, ...new Array<number>(missing).fill(0), ...right];
}

function groupsOf(text: string): number[] | undefined {
  const bytes: number[] = [];
  if (text === "") return bytes;
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    const ipv4 = index === groups.length - 1 ? parseIpv4(group) : undefined;
    if (ipv4) bytes.push(...ipv4);
    else if (/^[0-9a-f]{1,4}$/i.test(group)) bytes.push(parseInt(group, 16) >> 8, parseInt(group, 16) & 255);
    else return undefined;
  }
  return bytes;
}

/** Mapped (RFC 4291) and translated (RFC 6052) addresses end with an IPv4 address; 6to4 contains one. */
function embeddedIpv4(bytes: IpBytes): IpBytes | undefined {
  const head = bytes.slice(0, 12);
  const isMapped = head.every((byte, index) => byte === (index < 10 ? 0 : 255));
  const isTranslated = TRANSLATED.every((byte, index) => byte === head[index]);
  if (isMapped || isTranslated) return bytes.slice(12);
  return bytes[0] === 0x20 && bytes[1] === 0x02 ? bytes.slice(2, 6) : undefined;
}

const TRANSLATED: IpBytes = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];

/** Bytes of the IPv6 prefix of a site, which owns all addresses that begin with it. */
const SITE_BYTES = 8;

/** The network that counts as one caller: an IPv4 address, or the /64 prefix of an IPv6 address. Other texts stay. */
export function networkOf(address: string): string {
  return parseIp(address)?.slice(0, SITE_BYTES).join(".") ?? address;
}

/** A host without the brackets that an IPv6 address has in URLs. */
export function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

/** True for `localhost`, `127.0.0.0/8` and `::1`, with or without brackets. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === "localhost" || name === "::1" || name === "[::1]" ||
    /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(name);
}
