/** Connection strings of MongoDB. https://www.mongodb.com/docs/manual/reference/connection-string/ */
import { resolveSrv, resolveTxt } from "node:dns/promises";
import { unbracketed } from "../../base/network/ip.ts";

/** A server. */
export interface MongoHost {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What a connection string says. */
export interface MongoAddress {
  /** At least one. */
  readonly hosts: readonly MongoHost[];
  readonly username?: string;
  readonly password?: string;
  /** Database whose users log in. */
  readonly authSource: string;
  /** `SCRAM-SHA-1` or `SCRAM-SHA-256`; absent: what the server prefers. */
  readonly authMechanism?: string;
  /** The host that is named is used, whether it is the primary or not. */
  readonly isDirect: boolean;
  readonly isTls: boolean;
  /** Any certificate of the server is accepted. */
  readonly isInsecure: boolean;
  /** Any name in the certificate is accepted. */
  readonly acceptsAnyName: boolean;
  readonly connectTimeoutMs: number;
  /** Longest wait for a reply. */
  readonly replyTimeoutMs: number;
}

/** Looks up the records of `mongodb+srv://`. */
export interface MongoDns {
  /** The hosts of a name. @throws Error it has none */
  resolveSrv(name: string): Promise<readonly { readonly name: string; readonly port: number }[]>;
  /** The texts of a name, each in pieces. @throws Error it has none */
  resolveTxt(name: string): Promise<readonly (readonly string[])[]>;
}

const DEFAULT_PORT = 27_017;
const CONNECT_TIMEOUT_MS = 10_000;
/** An aggregation replies late. */
const REPLY_TIMEOUT_MS = 300_000;
const FORM = /^mongodb(\+srv)?:\/\/(?:([^/?@]*)@)?([^/?@]+)(?:\/([^?]*))?(?:\?(.*))?$/;
const MECHANISMS = ["DEFAULT", "SCRAM-SHA-1", "SCRAM-SHA-256"];
/** They name files of the server. */
const FILES = ["tlscafile", "tlscertificatekeyfile", "sslcertificateauthorityfile"];

/** Reads a connection string. @throws Error it is malformed, or asks for something that is not supported; the message has no password */
export async function readConnectionString(
  text: string,
  dns: MongoDns = { resolveSrv, resolveTxt },
): Promise<MongoAddress> {
  const [, srv, login, authority = "", database = "", query = ""] = FORM.exec(text.trim()) ?? [];
  if (authority === "") throw new Error("Invalid uri: it must be mongodb://host:port or mongodb+srv://host");
  const given = optionsOf(query);
  const found = srv === undefined
    ? { hosts: authority.split(",").map(hostOf), options: new Map<string, string>() }
    : await srvRecords(authority, dns);
  const options = new Map([...found.options, ...given]);
  checkOptions(options);
  const [username, password = ""] = (login ?? "").split(":", 2).map(decoded);
  const isSet = (name: string) => options.get(name)?.toLowerCase() === "true";
  const mechanism = options.get("authmechanism");
  return {
    hosts: found.hosts,
    ...username !== undefined && username !== "" && { username, password },
    authSource: options.get("authsource") ?? (decoded(database) || "admin"),
    ...mechanism !== undefined && mechanism !== "DEFAULT" && { authMechanism: mechanism },
    isDirect: isSet("directconnection"),
    isTls: isSet("tls") || isSet("ssl") ||
      srv !== undefined && (options.get("tls") ?? options.get("ssl")) === undefined,
    isInsecure: isSet("tlsinsecure") || isSet("tlsallowinvalidcertificates"),
    acceptsAnyName: isSet("tlsallowinvalidhostnames"),
    connectTimeoutMs: Number(options.get("connecttimeoutms")) || CONNECT_TIMEOUT_MS,
    replyTimeoutMs: Number(options.get("sockettimeoutms")) || REPLY_TIMEOUT_MS,
  };
}

/** Values by names in lower case. */
function optionsOf(query: string): Map<string, string> {
  const pairs = query.split(/[&;]/).filter((pair) => pair !== "");
  return new Map(pairs.map((pair) => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at).toLowerCase(), decoded(pair.slice(at + 1))];
  }));
}

function checkOptions(options: ReadonlyMap<string, string>): void {
  const mechanism = options.get("authmechanism") ?? "DEFAULT";
  if (!MECHANISMS.includes(mechanism)) {
    throw new Error(`Cannot log in with authMechanism ${mechanism}: only users with a password can`);
  }
  const file = FILES.find((name) => options.has(name));
  if (file !== undefined) {
    throw new Error(
      `Cannot use ${file}: it names a file of the server; use a certificate that the server trusts`,
    );
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("Invalid uri: a % in it must be written as %25");
  }
}

function hostOf(text: string): MongoHost {
  const [, host = "", port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text) ?? [];
  if (host === "" || host.startsWith("%2F")) throw new Error("Invalid uri: each host must be host:port");
  return { host: unbracketed(host), port: Number(port ?? DEFAULT_PORT) };
}

/** Hosts of a name, and options that its TXT record gives. @throws Error there are none, or of another domain */
async function srvRecords(name: string, dns: MongoDns) {
  const [records, texts] = await Promise.all([
    dns.resolveSrv(`_mongodb._tcp.${name}`).catch((error) => {
      throw new Error(`Cannot find the hosts of "${name}": ${error.message}`, { cause: error });
    }),
    dns.resolveTxt(name).catch(() => []),
  ]);
  const domain = `.${name.split(".").slice(1).join(".")}`;
  const hosts = records.map(({ name: host, port }) => ({ host: host.replace(/\.$/, ""), port }));
  if (hosts.length === 0) throw new Error(`Cannot find the hosts of "${name}": it has no SRV record`);
  // The records of another domain could be forged: the specification of the format forbids them.
  const foreign = hosts.find(({ host }) => !`.${host}`.toLowerCase().endsWith(domain.toLowerCase()));
  if (foreign) throw new Error(`Cannot use the host "${foreign.host}" of "${name}": it is of another domain`);
  return { hosts, options: optionsOf(texts[0]?.join("") ?? "") };
}
