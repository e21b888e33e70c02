/** Runs a server as a process: start message, signals, exit codes, one-line errors. */
import { type Clock, systemClock } from "../../base/time/clock.ts";
import { Logger } from "../../base/log.ts";
import { shellWord } from "../../base/text/shell_word.ts";
import { type Config, VERSION } from "../../config/mod.ts";
import { isLoopback } from "../../base/network/ip.ts";
import { DataDirError } from "../data_dir.ts";
import { StartRefusal } from "./start_refusal.ts";
import { withSourcePositions } from "./source_positions.ts";
import { listenStopSignals } from "./stop_signals.ts";

/** A ready server. */
export interface ServerHandle {
  /** Address for people and links, without a trailing slash. */
  readonly url: string;
  /** Name of the user; absent: no login. */
  readonly user?: string;
  /** Sets the first user over the API; present while a protected server has no user. */
  readonly setupToken?: string;
  /** Another process leads, which knows who can log in. */
  readonly isFollower?: boolean;
  /** Resolves with the reason when the server cannot continue. */
  readonly failed: Promise<string>;
  /** Stops accepting requests, finishes commits, closes everything. */
  stop(options: { readonly timeoutMs: number }): Promise<void>;
}

/** Starts a server; resolves when it is ready. */
type StartServer = (config: Config) => Promise<ServerHandle>;

/** The platform functions of a process. */
export interface ProcessPlatform {
  readonly clock: Clock;
  /** Writes a line to standard output. */
  print(line: string): void;
  /** Writes a line to standard error. */
  printError(line: string): void;
  /** Calls the listener with the exit code of each stop signal, until the returned function is called. */
  listenSignals(listener: (exitCode: number) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Share of the drain timeout for the server; the rest is for closing files and exiting. */
const SERVER_SHARE = 0.8;
/** 128 + the signal number, as shells report it. Windows has no SIGTERM. */
const SIGNALS: readonly (readonly [Deno.Signal, number])[] = Deno.build.os === "windows"
  ? [["SIGINT", 130], ["SIGBREAK", 149]]
  : [["SIGINT", 130], ["SIGTERM", 143]];

/** The platform of this process. */
export const systemPlatform: ProcessPlatform = {
  clock: systemClock,
  print: (line) => writeLine(Deno.stdout, line),
  printError: (line) => writeLine(Deno.stderr, withSourcePositions(line)),
  listenSignals(listener) {
    const stops = SIGNALS.map(([signal, exitCode]) => {
      const onSignal = () => listener(exitCode);
      Deno.addSignalListener(signal, onSignal);
      return () => Deno.removeSignalListener(signal, onSignal);
    });
    return () => stops.forEach((stop) => stop());
  },
  exit: (code) => Deno.exit(code),
};

/**
 * Runs a server until a signal or a failure ends it. Returns the exit code: 0 after a signal, 1 when it could not start or
 * continue. The first signal drains within `config.drainTimeoutMs`; a later one ends the process at once.
 */
export async function runServer(
  config: Config,
  start: StartServer,
  platform: ProcessPlatform = systemPlatform,
): Promise<number> {
  const drain = new Drain(config, platform);
  try {
    const server = await start(config);
    announce(config, server, platform);
    return await untilStopped(server, drain, config, platform);
  } catch (error) {
    platform.printError(startProblem(error, config));
    return 1;
  } finally {
    drain.close();
  }
}

async function untilStopped(
  server: ServerHandle,
  drain: Drain,
  config: Config,
  platform: ProcessPlatform,
): Promise<number> {
  const reason = await Promise.race([drain.requested, server.failed]);
  const log = loggerOf(config, platform);
  if (reason !== undefined) platform.printError(`Cannot continue: ${reason}`);
  else {log.info("Stopping: another signal after a second ends the process at once", {
      limitMs: config.drainTimeoutMs,
    });}
  try {
    await server.stop({ timeoutMs: Math.floor(config.drainTimeoutMs * SERVER_SHARE) });
  } catch (error) {
    platform.printError(`Cannot stop cleanly: ${textOf(error)}`);
    return 1;
  }
  if (reason !== undefined) return 1;
  log.info("Stopped");
  return 0;
}

function loggerOf({ logLevel, logFormat }: Config, { clock, print }: ProcessPlatform): Logger {
  return new Logger({ level: logLevel, format: logFormat, clock, write: print });
}

/** Handles signals; the first one starts the drain timeout. */
class Drain {
  /** Resolves at the first signal. */
  readonly requested: Promise<undefined>;
  readonly #config: Config;
  readonly #platform: ProcessPlatform;
  readonly #unlisten: () => void;
  readonly #request: (nothing: undefined) => void;
  #cancelTimer?: () => void;

  constructor(config: Config, platform: ProcessPlatform) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.requested = promise;
    this.#request = resolve;
    this.#config = config;
    this.#platform = platform;
    this.#unlisten = listenStopSignals(platform, {
      stop: () => this.#start(),
      exit: (code) => platform.exit(code),
    });
  }

  /** Removes the signal handlers and the timeout. */
  close(): void {
    this.#unlisten();
    this.#cancelTimer?.();
  }

  #start(): void {
    this.#cancelTimer = this.#platform.clock.setTimer(this.#config.drainTimeoutMs, () => {
      this.#platform.printError("The drain timeout has passed: open executions continue at the next start");
      this.#platform.exit(0);
    });
    this.#request(undefined);
  }
}

/** Prints the data directory, the protection, the address of the UI and a first command. In the JSON format it is one log line. */
function announce(config: Config, server: ServerHandle, platform: ProcessPlatform): void {
  const { url, setupToken } = server;
  const dataDir = config.database?.url ?? (config.isDeploy ? "the database of Deno Deploy" : config.dataDir);
  if (config.logFormat === "json") {
    const { clock, print } = platform;
    const log = new Logger({ level: "info", format: "json", clock, write: print });
    const protection = config.protection.type;
    // Valid until the first user is set; where there is only a log, it is the console.
    log.info("ready", { version: VERSION, url, dataDir, protection, ...(setupToken && { setupToken }) });
    return;
  }
  platform.print(`Sluice ${VERSION} is ready on ${url}`);
  platform.print(`  data        ${dataDir}`);
  platform.print(`  protection  ${protectionText(config, server)}`);
  platform.print(`  open        ${url}/ui/${setupToken ? "setup" : ""}`);
  if (!setupToken) platform.print(`  or try      ${curlLine(server)}`);
}

function protectionText(config: Config, { user, setupToken, isFollower }: ServerHandle): string {
  if (isFollower) return "that of the leader; this server sends it what it receives";
  if (setupToken) return `no user yet: set the first one with the token ${setupToken}`;
  if (user !== undefined) return `password of "${user}", or an API token`;
  return isLoopback(config.host) && !config.isDeploy
    ? "none: whoever uses this machine may use it (--basic-auth asks for a password)"
    : "none: everybody who reaches it may use it (--no-auth)";
}

/** The command that saves a first flow, with YAML in flow style to fit one line. */
function curlLine({ url, user }: ServerHandle): string {
  const login = user === undefined ? "" : ` -u ${shellWord(user)}`;
  const flow =
    "{id: hello, namespace: demo, tasks: [{id: hi, type: io.svc.plugin.core.log.Log, message: Hello}]}";
  return `curl${login} -H 'Content-Type: application/x-yaml' -d '${flow}' ${url}/api/v1/main/flows`;
}

/** Why the server could not start, as one line. */
function startProblem(error: unknown, config: Config): string {
  if (error instanceof DataDirError || error instanceof StartRefusal) return error.message;
  const address = `"${config.host}" port ${config.port}`;
  if (error instanceof Deno.errors.AddrInUse) {
    return `Cannot listen on ${address}: the port is taken; give another --port`;
  }
  if (error instanceof Deno.errors.AddrNotAvailable) {
    return `Cannot listen on ${address}: this machine has no such address; give another --host`;
  }
  if (error instanceof Error && error.message.startsWith("failed to lookup address")) {
    return `Cannot listen on ${address}: the name has no address; give another --host`;
  }
  if (error instanceof Deno.errors.PermissionDenied && config.port < 1024) {
    return `Cannot listen on ${address}: permission denied; ports below 1024 are the administrator's, give another --port`;
  }
  return `Cannot start: ${textOf(error)}`;
}

/** A bug, with its stack. */
function textOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}

/** A closed pipe must not end the server. */
function writeLine(stream: typeof Deno.stdout, line: string): void {
  try {
    const bytes = new TextEncoder().encode(`${line}\n`);
    for (let offset = 0; offset < bytes.length;) offset += stream.writeSync(bytes.subarray(offset));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
