/** Addresses of databases, as `jdbc:<kind>://<host>:<port>/<database>?<options>`. */
import { unbracketed } from "../../base/network/ip.ts";
import { percentDecoded } from "../../model/http/percent_decoding.ts";

/** Where a database is. */
export interface DatabaseUrl {
  /** In lower case. */
  readonly kind: string;
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Empty: that of the user. */
  readonly database: string;
  readonly username: string;
  readonly password: string;
  readonly options: ReadonlyMap<string, string>;
}

/** Reads the address of a server of one of these kinds. @throws Error it is invalid; the message has no part of the address, which may hold a password */
export function readDatabaseUrl(
  text: string,
  { kinds, port }: { readonly kinds: readonly string[]; readonly port: number },
): DatabaseUrl {
  const [, given = "", rest = ""] = /^(?:jdbc:)?([a-z0-9]+):(\/\/.*)$/is.exec(text.trim()) ?? [];
  const parsed = URL.canParse(`http:${rest}`) ? new URL(`http:${rest}`) : undefined;
  const kind = given.toLowerCase();
  if (!parsed || !kinds.includes(kind) || parsed.hostname === "") {
    throw new Error(`Invalid url: it must be like jdbc:${kinds[0]}://host:${port}/database`);
  }
  return {
    kind,
    host: unbracketed(parsed.hostname),
    // The scheme of the parsed address has port 80.
    port: Number(parsed.port) || (/^\/\/[^/]*:80(?:[/?]|$)/.test(rest) ? 80 : port),
    database: decoded(parsed.pathname.slice(1)),
    username: decoded(parsed.username) || (parsed.searchParams.get("user") ?? ""),
    password: decoded(parsed.password) || (parsed.searchParams.get("password") ?? ""),
    options: new Map(parsed.searchParams),
  };
}

function decoded(text: string): string {
  return percentDecoded(text) ?? text;
}
