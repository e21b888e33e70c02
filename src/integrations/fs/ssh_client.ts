/** Connections of SSH. Loaded by the first task that uses them. */
import type { Duplex } from "node:stream";
import { optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import { serverName } from "./connection.ts";
import { newSshConnection, type SshConnection, type SshOptions } from "./ssh2.ts";

const CONNECT_TIMEOUT_MS = 30_000;
/** A server that does not respond for three intervals is gone. */
const KEEP_ALIVE_MS = 20_000;

/** Credentials of a user. */
interface SshUser {
  readonly username?: string;
  readonly password?: string;
  /** PEM or OpenSSH. */
  readonly privateKey?: string;
  readonly passphrase?: string;
}

interface SshWork<T> {
  readonly user: SshUser;
  /** Absent: a connection to host and port of the properties. */
  readonly socket?: Duplex;
  readonly work: (client: SshConnection) => Promise<T>;
}

/** Works with an open connection; a stop of the attempt closes it at once. @throws Error with host and words of the server */
export async function withSshClient<T>(
  scheme: string,
  context: WorkContext,
  { user, socket, work }: SshWork<T>,
): Promise<T> {
  const { signal } = context;
  const place = socket ? { sock: socket } : await addressOf(context);
  const client = newSshConnection();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {}); // It may fail while nothing waits.
  const abort = () => failed.reject(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  client.on("error", (error) => failed.reject(error));
  client.on("close", () => failed.reject(new Error("the server closed the connection")));
  try {
    const ready = new Promise<void>((resolve) => client.once("ready", resolve));
    client.connect({ ...place, ...configOf(context, user) });
    await Promise.race([ready, failed.promise]);
    return await Promise.race([work(client), failed.promise]);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(`Cannot use "${serverName(scheme, context)}": ${(error as Error).message}`);
  } finally {
    signal.removeEventListener("abort", abort);
    client.destroy();
  }
}

async function addressOf(context: WorkContext): Promise<Pick<SshOptions, "host" | "port">> {
  const { host, port } = context.properties;
  const address = await context.connectAddress(String(host), Number(port));
  return { host: address.hostname, port: address.port };
}

function configOf({ properties }: WorkContext, user: SshUser): Omit<SshOptions, "host" | "port" | "sock"> {
  const fingerprint = optionalText(properties.hostKeyFingerprint);
  return {
    ...user,
    username: user.username ?? "",
    readyTimeout: CONNECT_TIMEOUT_MS,
    keepaliveInterval: KEEP_ALIVE_MS,
    ...fingerprint !== undefined && {
      hostHash: "sha256",
      hostVerifier: (hash: string) => isSameKey(hash, fingerprint),
    },
  };
}

/** `hash` is hexadecimal; the fingerprint is base64 after `SHA256:`. */
function isSameKey(hash: string, fingerprint: string): boolean {
  const own = Uint8Array.fromHex(hash).toBase64({ omitPadding: true });
  return fingerprint.replace(/^SHA256:/, "").replace(/=+$/, "") === own;
}
