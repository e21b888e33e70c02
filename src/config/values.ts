/** Readers of option values. Each returns `undefined` for an invalid text. */
import { CIPHER_KEY_BYTES } from "../base/crypto/cipher.ts";
import { parseDuration } from "../base/time/duration.ts";
import { tryParseJson } from "../base/json.ts";
import { isIpRangeText } from "../base/network/ip_ranges.ts";

/** A user name and its password. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

const UNIT_BYTES = new Map([["", 1], ["K", 1024], ["M", 1024 ** 2], ["G", 1024 ** 3], ["T", 1024 ** 4]]);
const UNIT_MS = new Map([["ms", 1], ["s", 1000], ["", 1000], ["m", 60_000], ["h", 3_600_000]]);

const UNIT_AGE_MS = new Map([["s", 1000], ["m", 60_000], ["h", 3_600_000], ["d", 86_400_000], [
  "w",
  604_800_000,
]]);
const MIN_AGE_MS = 60_000;
const MIN_TIME_MS = 1_000;
const MAX_TIME_MS = 20 * 86_400_000;
const MIN_CPUS = 0.01;

/** Longest drain and idle time-outs. */
/** A leader stops a second before its lease ends. */
const MIN_LEASE_TTL_MS = 3_000;
const MAX_LEASE_TTL_MS = 60_000;
const MAX_DRAIN_TIMEOUT_MS = 3_600_000;
const MIN_IDLE_TIMEOUT_MS = 1_000;
/** Shortest and longest bound of the time of a render. */
const MIN_RENDER_MS = 50;
const MAX_RENDER_MS = 60_000;

/** A text of at least one character, without control characters. */
export function readText(text: string): string | undefined {
  // deno-lint-ignore no-control-regex
  return text !== "" && !/[\u0000-\u001f\u007f]/.test(text) ? text : undefined;
}

/** A text of at least one character; it may have several lines. */
export function readSource(text: string): string | undefined {
  return text.trim() === "" ? undefined : text;
}

/** A host name or IP address; an IPv6 address may stand in brackets, which are removed. */
export function readHost(text: string): string | undefined {
  const host = /^\[[0-9a-fA-F:.]+\]$/.test(text) ? text.slice(1, -1) : text;
  if (/^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/.test(host)) return host.split(":").length > 2 ? host : undefined;
  return /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(host) ? host : undefined;
}

/** A TCP port; 0 lets the system choose. */
export function readPort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

/** The name or id of a user of the machine; existence is not checked. */
export function readUser(text: string): string | undefined {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,255}\$?$/.test(text) ? text : undefined;
}

/** `true` or `false`, also as `yes` and `no`, `1` and `0`. */
export function readSwitch(text: string): boolean | undefined {
  if (/^(true|yes|1)$/i.test(text)) return true;
  return /^(false|no|0)$/i.test(text) ? false : undefined;
}

/** An absolute http or https URL without credentials, query and fragment; a trailing slash is removed. */
export function readBaseUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username || url.password || url.search || url.hash || /[?#\s]/.test(text)) return undefined;
  return url.href.replace(/(?<!\/)\/+$/, "");
}

/** The text of a token, which must fit into a header. */
export function readToken(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined;
}

/** `user:password`; the first colon separates, neither part is empty. */
export function readCredentials(text: string): Credentials | undefined {
  const colon = text.indexOf(":");
  if (colon < 1 || colon === text.length - 1 || readText(text) === undefined) return undefined;
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** The word of `--basic-auth` that lets the first user be set over the API. */
export const SETUP = "setup";

/** As {@link readCredentials}, or the word `setup`. */
export function readBasicAuth(text: string): Credentials | typeof SETUP | undefined {
  return text === SETUP ? SETUP : readCredentials(text);
}

/** The 32 bytes of a base64 key. */
export function readEncryptionKey(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]{43}=?$/.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return bytes.length === CIPHER_KEY_BYTES ? bytes : undefined;
}

/** Milliseconds of `30s`, `500ms`, `2m`, `30` (seconds) or an ISO 8601 duration; from 0 to one hour. */
export function readDrainTimeout(text: string): number | undefined {
  return readMilliseconds(text, { least: 0, most: MAX_DRAIN_TIMEOUT_MS });
}

/** Milliseconds of `500ms`, `2s` or an ISO 8601 duration; from 50 ms to a minute. */
export function readRenderTime(text: string): number | undefined {
  return readMilliseconds(text, { least: MIN_RENDER_MS, most: MAX_RENDER_MS });
}

function readMilliseconds(
  text: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|)$/.exec(text);
  const ms = match ? Number(match[1]) * (UNIT_MS.get(match[2] ?? "") ?? NaN) : parseDuration(text);
  return ms !== undefined && ms >= least && ms <= most ? Math.round(ms) : undefined;
}

/** Milliseconds of `5s`, `2500ms` or an ISO 8601 duration; from 3 seconds to a minute. */
export function readLeaseTtl(text: string): number | undefined {
  return readMilliseconds(text, { least: MIN_LEASE_TTL_MS, most: MAX_LEASE_TTL_MS });
}

/** As {@link readDrainTimeout}, from one second. */
export function readIdleTimeout(text: string): number | undefined {
  return readMilliseconds(text, { least: MIN_IDLE_TIMEOUT_MS, most: MAX_DRAIN_TIMEOUT_MS });
}

/** Milliseconds of `30d`, `12h`, `2w` or an ISO 8601 duration; at least a minute. */
export function readAge(text: string): number | undefined {
  const ms = readMs(text);
  return ms !== undefined && ms >= MIN_AGE_MS ? ms : undefined;
}

function readMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([smhdw])$/i.exec(text);
  const unit = (match?.[2] ?? "").toLowerCase();
  const ms = match ? Number(match[1]) * (UNIT_AGE_MS.get(unit) ?? NaN) : parseDuration(text);
  return ms !== undefined && Number.isSafeInteger(Math.round(ms)) ? Math.round(ms) : undefined;
}

/** A whole number from 1. */
export function readCount(text: string): number | undefined {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  return count >= 1 ? count : undefined;
}

/** Revisions of a file are in one record, which bounds their number. */
const MAX_FILE_REVISIONS = 100;

/** A number of revisions of a file. */
export function readFileRevisions(text: string): number | undefined {
  const count = readCount(text);
  return count !== undefined && count <= MAX_FILE_REVISIONS ? count : undefined;
}

/** Where scripts run; `docker` is the older name of `container`. */
export function readScripts(text: string): "process" | "container" | "off" | undefined {
  const mode = oneOf(["process", "container", "docker", "off"])(text);
  return mode === "docker" ? "container" : mode;
}

/** What the operator may allow to containers of flows. */
export const CONTAINER_RIGHTS = ["volumes", "privileged", "networks", "ports", "hosts", "manage"] as const;

/** Some of {@link CONTAINER_RIGHTS}, with commas between them. */
export function readContainerRights(text: string): readonly (typeof CONTAINER_RIGHTS)[number][] | undefined {
  const rights = text.split(",").map((name) => oneOf(CONTAINER_RIGHTS)(name.trim()));
  return rights.every((right) => right !== undefined) ? rights : undefined;
}

/** A number of processors, of at least a hundredth. */
export function readCpus(text: string): number | undefined {
  const cpus = /^\d{1,5}(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  return cpus >= MIN_CPUS ? cpus : undefined;
}

/** Milliseconds of `10m`, `2h` or an ISO 8601 duration; from one second to what a timer can wait. */
export function readTimeLimit(text: string): number | undefined {
  const ms = readMs(text);
  return ms !== undefined && ms >= MIN_TIME_MS && ms <= MAX_TIME_MS ? ms : undefined;
}

/** Bytes of `1048576`, `512MB`, `10GB` or `1.5GiB`; units are powers of 1,024. At least one byte. */
export function readByteSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(i?B)?$/i.exec(text);
  if (!match) return undefined;
  const bytes = Math.floor(Number(match[1]) * (UNIT_BYTES.get((match[2] ?? "").toUpperCase()) ?? NaN));
  return Number.isSafeInteger(bytes) && bytes >= 1 ? bytes : undefined;
}

/** The limit of the tenants other than `main`, and of single tenants by id. */
export interface Quota {
  readonly others?: number;
  readonly tenants: ReadonlyMap<string, number>;
}

/** A reader of a limit for all tenants but `main`, of limits of single tenants such as `acme=100`, or of both. */
export function quotaOf(
  readAmount: (text: string) => number | undefined,
): (text: string) => Quota | undefined {
  return (text) => {
    const tenants = new Map<string, number>();
    let others: number | undefined;
    for (const part of text.split(",")) {
      const [, tenant, amountText = ""] = /^\s*(?:([a-z0-9][a-z0-9_-]*)\s*=)?\s*(.+?)\s*$/.exec(part) ?? [];
      const amount = readAmount(amountText);
      const isTwice = tenant === undefined ? others !== undefined : tenants.has(tenant);
      if (amount === undefined || isTwice) return undefined;
      if (tenant === undefined) others = amount;
      else tenants.set(tenant, amount);
    }
    return { others, tenants };
  };
}

/** The canonical name of a known time zone. */
export function readTimeZone(text: string): string | undefined {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A prefix of environment variables. */
export function readEnvPrefix(text: string): string | undefined {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : undefined;
}

/** Comma-separated ids of tenants; existence is not checked. */
export function readTenants(text: string): readonly string[] | undefined {
  const ids = text.split(",").map((id) => id.trim());
  return ids.every((id) => /^[a-z0-9][a-z0-9_-]*$/.test(id)) ? ids : undefined;
}

/** Paths of folders with commas between them, or a JSON list of them; the root folder is refused. */
export function readFolders(text: string): readonly string[] | undefined {
  const list: unknown = text.startsWith("[")
    ? tryParseJson(text)
    : text.split(",").map((each) => each.trim());
  const isFolder = (path: unknown) => typeof path === "string" && readText(path) && !/^[/.]+$/.test(path);
  return Array.isArray(list) && list.length > 0 && list.every(isFolder) ? list : undefined;
}

/** A reader of one of the words, in any case. */
export function oneOf<const Word extends string>(words: readonly Word[]): (text: string) => Word | undefined {
  return (text) => words.find((word) => word === text.toLowerCase());
}

/** Comma-separated addresses, ranges and names of ranges. */
export function readAddresses(text: string): readonly string[] | undefined {
  const parts = text.split(",").map((part) => part.trim().toLowerCase());
  return parts.every(isIpRangeText) ? parts : undefined;
}

/** As {@link readAddresses}, without those that contain every address. */
export function readProxies(text: string): readonly string[] | undefined {
  const parts = readAddresses(text);
  return parts?.some((part) => part === "all" || /\/0+$/.test(part)) ? undefined : parts;
}
