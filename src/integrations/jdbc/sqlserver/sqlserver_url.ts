/** Addresses of SQL Server, as its driver has them. https://learn.microsoft.com/sql/connect/jdbc/building-the-connection-url */
import { unbracketed } from "../../../base/network/ip.ts";

/** Where a server is, and how it is reached. */
export interface SqlserverUrl {
  readonly host: string;
  readonly port: number;
  /** Properties by their names in lower case. */
  readonly options: ReadonlyMap<string, string>;
}

const DEFAULT_PORT = 1433;
const URL_FORM =
  /^(?:jdbc:)?(?:sqlserver|mssql):\/\/(\[[^\]]+\]|[^:;\\/]*)(\\[^:;]*)?(?::(\d+))?\/?((?:;[^]*)?)$/i;
/** Values in braces may have semicolons. */
const OPTION = /;([^=;]+)=\s*(?:\{([^}]*)\}|([^;]*))/g;

/** From `jdbc:sqlserver://host:port;name=value`. @throws Error it is invalid; the message has no part of the address, which may hold a password */
export function readSqlserverUrl(text: string): SqlserverUrl {
  const [, host = "", instance, port, given = ""] = URL_FORM.exec(text.trim()) ?? [];
  const options = new Map(
    [...given.matchAll(OPTION)].map(([, name = "", braced, plain = ""]) =>
      [name.trim().toLowerCase(), braced ?? plain.trim()] as const
    ),
  );
  const server = unbracketed(host) || options.get("servername") || options.get("server") || "";
  const givenPort = port ?? options.get("portnumber") ?? options.get("port");
  if (server === "") {
    throw new Error("Invalid url: it must be like jdbc:sqlserver://host:1433;databaseName=name");
  }
  if ((instance !== undefined || options.has("instancename")) && givenPort === undefined) {
    throw new Error("Invalid url: an instance is found by its port alone; give the port of the instance");
  }
  return { host: server, port: Number(givenPort ?? DEFAULT_PORT), options };
}
