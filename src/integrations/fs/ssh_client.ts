/** Connections of SSH. Loaded by the first task that uses them. */
import type { Duplex } from "node:stream";
import { systemClock } from "../../base/time/clock.ts";
import { type ConnectAddress, optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import { serverName } from "./connection.ts";
import { readableKey } from "./private_key.ts";
import { type CommandChannel, newSshConnection, type SshConnection, type SshOptions } from "./ssh2.ts";

const CONNECT_TIMEOUT_MS = 30_000;
/** Time that a command has to end after a signal. */
const STOP_MS = 500;
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

/** How a connection is opened. */
interface SshAccess {
  /** From `connectAddress` of the work, or an open connection. */
  readonly place: ConnectAddress | Duplex;
  readonly user: SshUser;
  /** `SHA256:…`; default accepts any key of the server. */
  readonly fingerprint?: string;
}

interface SshWork<T> {
  readonly user: SshUser;
  /** Closes the connection; default is that of the context. */
  readonly signal?: AbortSignal;
  /** Absent: a connection to host and port of the properties. */
  readonly socket?: Duplex;
  readonly work: (client: SshConnection) => Promise<T>;
}

/** Works with an open connection to the host of the properties. @throws Error with host and words of the server */
export async function withSshClient<T>(
  scheme: string,
  context: WorkContext,
  { user, signal = context.signal, socket, work }: SshWork<T>,
): Promise<T> {
  const { properties } = context;
  const place = socket ??
    await context.connectAddress(String(properties.host), Number(properties.port));
  const fingerprint = optionalText(properties.hostKeyFingerprint);
  try {
    return await withSshConnection({ place, user, fingerprint }, signal, work);
  } catch (error) {
    if (context.signal.aborted) throw error;
    throw new Error(`Cannot use "${serverName(scheme, context)}": ${(error as Error).message}`);
  }
}

/** Works with an open connection; a stop of the attempt closes it at once. @throws Error with words of the server alone */
export async function withSshConnection<T>(
  access: SshAccess,
  signal: AbortSignal,
  work: (client: SshConnection) => Promise<T>,
): Promise<T> {
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
    client.connect(optionsOf(access));
    await Promise.race([ready, failed.promise]);
    return await Promise.race([work(client), failed.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    client.destroy();
  }
}

/** A command that runs on the server. */
export interface RunningCommand {
  readonly channel: CommandChannel;
  /** Rejects if the command ends without one. */
  readonly exitCode: Promise<number>;
}

/** Starts a command of the shell of the user. @throws Error the server refuses it */
export function startCommand(client: SshConnection, command: string): Promise<RunningCommand> {
  return new Promise((resolve, reject) =>
    // The end of a short command arrives together with the response, so nothing may wait in between.
    client.exec(command, (error, channel) =>
      error ? reject(error) : resolve({ channel, exitCode: exitCodeOf(channel) }))
  );
}

/**
 * Sends the command and its children SIGTERM, and SIGKILL after a while. OpenSSH passes signals on from version 7.9; with others
 * the commands continue.
 */
export async function stopCommand({ channel, exitCode }: RunningCommand): Promise<void> {
  const ended = exitCode.then(() => true, () => true);
  for (const name of ["TERM", "KILL"]) {
    channel.signal(name);
    const late = Promise.withResolvers<false>();
    const cancel = systemClock.setTimer(STOP_MS, () => late.resolve(false));
    const hasEnded = await Promise.race([ended, late.promise]);
    cancel();
    if (hasEnded) return;
  }
}

function exitCodeOf(channel: CommandChannel): Promise<number> {
  const exitCode = new Promise<number>((resolve, reject) => {
    channel.on(
      "exit",
      (code: number | null, signal?: string) =>
        code === null ? reject(new Error(`the signal ${signal} ended the command`)) : resolve(code),
    );
    channel.on("error", reject); // Without a listener it would end the server.
    channel.on("close", () => reject(new Error("the connection ended before the command")));
  });
  exitCode.catch(() => {}); // The output is read first.
  return exitCode;
}

function optionsOf({ place, user, fingerprint }: SshAccess): SshOptions {
  return {
    ...("hostname" in place ? { host: place.hostname, port: place.port } : { sock: place }),
    username: user.username ?? "",
    password: user.password,
    ...readableKey(user),
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
  return fingerprint.replace(/^SHA256:/, "").replace(/(?<!=)=+$/, "") === own;
}
