/** Connections to servers of LDAP. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import { serverNameOf } from "../tls_sockets.ts";
import { type LdapPackage, loadLdap } from "./ldap_package.ts";

/** A client of the package. */
export type LdapClient = InstanceType<LdapPackage["Client"]>;

/** Properties of all types. */
export const CONNECTION: PropertySchemas = Object.freeze({
  hostname: dynamicText("Host of the server.", { required: true }),
  port: dynamicProperty("integer", "Port of the server; 636 is with TLS.", {
    required: true,
    minimum: 1,
    maximum: 65_535,
  }),
  userDn: dynamicText("Distinguished name of the user."),
  password: dynamicText("Password of the user; keep it as a secret."),
  authMethod: dynamicChoice(
    ["simple"],
    "simple",
    "How the user is authenticated; Kerberos is not supported.",
  ),
  sslOptions: dynamicProperty("object", "Options of TLS; with them any port is with TLS.", {
    properties: {
      insecureTrustAllCertificates: dynamicFlag(false, "Whether certificates are not verified."),
    },
  }),
  ...Object.fromEntries(
    ["kdc", "realm", "saslAllowedQoP"].map((name) => [
      name,
      dynamicProperty("any", "Not supported: authentication by Kerberos.", { planned: true }),
    ]),
  ),
});

const TLS_PORT = 636;
const TIMEOUT_MS = 30_000;

/** Runs work with a connection of the user; a stop of the work ends it at once. @throws Error with host and words of the server */
export async function withLdap<T>(
  context: Pick<WorkContext, "properties" | "signal" | "connectAddress">,
  operation: string,
  work: (client: LdapClient, ldap: LdapPackage) => Promise<T>,
): Promise<T> {
  const { properties, signal } = context;
  const ldap = await loadLdap();
  const client = new ldap.Client(await clientOptions(context));
  const stopped = Promise.withResolvers<never>();
  const abort = () => stopped.reject(signal.reason);
  signal.addEventListener("abort", abort);
  const run = async () => {
    const user = optionalText(properties.userDn);
    // A name without a password would be accepted as anonymous by many servers.
    if (user !== undefined && optionalText(properties.password) === undefined) {
      throw new Error("there is no password for userDn");
    }
    if (user !== undefined) await client.bind(user, String(properties.password));
    return await work(client, ldap);
  };
  try {
    signal.throwIfAborted();
    return await Promise.race([run(), stopped.promise]);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(`Cannot ${operation} at "${properties.hostname}": ${wordsOf(error)}`, { cause: error });
  } finally {
    signal.removeEventListener("abort", abort);
    await client.unbind().catch(() => {});
  }
}

async function clientOptions(
  { properties, connectAddress }: Pick<WorkContext, "properties" | "connectAddress">,
) {
  const { hostname, port, sslOptions } = properties;
  const host = String(hostname);
  const address = await connectAddress(host, Number(port));
  const isTls = isJsonObject(sslOptions) || Number(port) === TLS_PORT;
  const shown = address.hostname.includes(":") ? `[${address.hostname}]` : address.hostname;
  return {
    url: `${isTls ? "ldaps" : "ldap"}://${shown}:${address.port}`,
    connectTimeout: TIMEOUT_MS,
    timeout: TIMEOUT_MS,
    ...isTls && {
      tlsOptions: {
        ...serverNameOf(host),
        rejectUnauthorized: isVerified(sslOptions),
      },
    },
  };
}

function isVerified(options: JsonObject[string] | undefined): boolean {
  return !isJsonObject(options) || options.insecureTrustAllCertificates !== true;
}

/** What the server says. Many servers say nothing but a code, which the name of the error explains. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const name = error.constructor.name.replace(/Error$/, "");
  return name === "" || error.message.includes(name) ? error.message : `${error.message} (${name})`;
}
