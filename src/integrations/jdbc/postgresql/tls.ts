/** TLS of connections to PostgreSQL, as `sslMode` and its neighbours ask for. */
import type { JsonObject } from "../../../base/json.ts";
import { affordableKey } from "../../key_derivation.ts";
import type { DatabaseUrl } from "../database_url.ts";
import { textProperty } from "../session.ts";
import type { PgTls } from "./pg_package.ts";

/** The ways to try, in their order. */
export function tlsWays(properties: JsonObject, { host, options }: DatabaseUrl): (PgTls | false)[] {
  const isAsked = properties.ssl === true || options.get("ssl") === "true";
  const given = textProperty(properties, "sslMode") ?? options.get("sslmode");
  const mode = given?.toUpperCase().replaceAll("-", "_") ?? (isAsked ? "REQUIRE" : "PREFER");
  const tls: PgTls = {
    rejectUnauthorized: false,
    // An IP address is no name of a server.
    ...!/^[\d.]+$|:/.test(host) && { servername: host },
    ca: textProperty(properties, "sslRootCert"),
    cert: textProperty(properties, "sslCert"),
    key: affordableKey(textProperty(properties, "sslKey"), "sslKey"),
    passphrase: textProperty(properties, "sslKeyPassword"),
  };
  switch (mode) {
    case "DISABLE":
      return [false];
    case "ALLOW":
      return [false, tls];
    case "PREFER":
      return [tls, false];
    case "REQUIRE":
      return [tls];
    case "VERIFY_CA":
      return [{ ...tls, rejectUnauthorized: true, checkServerIdentity: () => undefined }];
    case "VERIFY_FULL":
      return [{ ...tls, rejectUnauthorized: true }];
    default:
      throw new Error(
        `Invalid sslMode: it must be one of DISABLE, ALLOW, PREFER, REQUIRE, VERIFY_CA, VERIFY_FULL`,
      );
  }
}
