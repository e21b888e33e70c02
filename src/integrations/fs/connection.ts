/** Properties of connections to servers of files, for tasks and triggers. */
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import type { WorkContext } from "../../model/tasks/task_definition.ts";

/** A protocol of file transfer. */
export type Protocol = "sftp" | "ftp" | "ftps";

const COMMON: PropertySchemas = {
  host: dynamicText("Host of the server.", { required: true }),
  username: dynamicText("Name of the user."),
  password: dynamicText("Password of the user; keep it as a secret."),
};

/** How a server of SSH is recognised. */
export const HOST_KEY_PROPERTY: PropertySchemas = Object.freeze({
  hostKeyFingerprint: dynamicText(
    "Fingerprint of the key of the server, `SHA256:…` as `ssh-keygen -l` prints it; another key is refused. Default accepts any key.",
  ),
});

/** How a server of SSH is reached and recognised. */
export const SSH_PROPERTIES: PropertySchemas = Object.freeze({
  ...COMMON,
  port: dynamicProperty("integer", "Port of the server.", { default: 22, minimum: 1, maximum: 65_535 }),
  ...HOST_KEY_PROPERTY,
});

const FTP_PROPERTIES: PropertySchemas = {
  ...COMMON,
  port: dynamicProperty("integer", "Port of the server.", { default: 21, minimum: 1, maximum: 65_535 }),
  passiveMode: dynamicFlag(
    true,
    "Only passive mode is supported: the server never connects to this machine.",
    {
      ignored: true,
    },
  ),
};

const PROPERTIES: Readonly<Record<Protocol, PropertySchemas>> = {
  sftp: {
    ...SSH_PROPERTIES,
    keyfile: dynamicText("Private key in place of a password, PEM or OpenSSH; keep it as a secret.", {
      aliases: ["privateKey"],
    }),
    passphrase: dynamicText("Passphrase of the key; keep it as a secret."),
  },
  ftp: FTP_PROPERTIES,
  ftps: {
    ...FTP_PROPERTIES,
    mode: dynamicChoice(
      ["EXPLICIT", "IMPLICIT"],
      "EXPLICIT",
      "Whether TLS begins with a command or with the connection.",
    ),
    insecureTrustAllCertificates: dynamicFlag(false, "Accepts any certificate."),
  },
};

/** The properties of a connection. */
export function connectionProperties(protocol: Protocol): PropertySchemas {
  return PROPERTIES[protocol];
}

/** `sftp://example.com:22`, for messages. */
export function serverName(scheme: string, { properties: { host, port } }: WorkContext): string {
  return `${scheme}://${host}:${port}`;
}
