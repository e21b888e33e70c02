/** Runs a server as the process of a person or a service manager: announcement, signals, exit codes, one-line errors. */
import { type Clock, systemClock } from "../../base/clock.ts";
import { Logger } from "../../base/log.ts";
import { shellWord } from "../../base/shell_word.ts";
import { type Config, VERSION } from "../../config/mod.ts";
import { isLoopback } from "../../base/ip.ts";
import { DataDirError } from "../data_dir.ts";

/** What the process needs of a server that is ready. */
export interface ServerHandle {
  /** Address for people and links, without a trailing slash. */
  readonly url: string;
  /** Settles with the reason when the server cannot go on by itself. */
  readonly failed: Promise<string>;
  /** Stops accepting, finishes what is being committed, closes everything. */
  stop(options: { readonly timeoutMs: number }): Promise<void>;
}

/** Starts a server; settles when it is ready. */
type StartServer = (config: Config) => Promise<ServerHandle>;

/** The part of the platform that a process is made of. */
export interface ProcessPlatform {
  readonly clock: Clock;
  /** Writes a line to standard output. */
  print(line: string): void;
  /** Writes a line to standard error. */
  printError(line: string): void;
  /** Calls the listener with the exit code of each signal that asks to stop; returns what ends that. */
  listenSignals(listener: (exitCode: number) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Share of the drain time-out that the server gets; the rest is for closing files and leaving. */
const SERVER_SHARE = 0.8;
/** 128 + the number of the signal, as a shell reports it. Windows knows no SIGTERM. */
const SIGNALS: readonly (readonly [Deno.Signal, number])[] = Deno.build.os === "windows"
  ? [["SIGINT", 130], ["SIGBREAK", 149]]
  : [["SIGINT", 130], ["SIGTERM", 143]];

/** The platform of this process. */
export const systemPlatform: ProcessPlatform = {
  clock: systemClock,
  print: (line) => writeLine(Deno.stdout, line),
  printError: (line) => writeLine(Deno.stderr, line),
  listenSignals(listener) {
    const stops = SIGNALS.map(([signal, exitCode]) => {
      const heard = () => listener(exitCode);
      Deno.addSignalListener(signal, heard);
      return () => Deno.removeSignalListener(signal, heard);
    });
    return () => stops.forEach((stop) => stop());
  },
  exit: (code) => Deno.exit(code),
};

/**
 * Runs a server until a signal or a failure ends it; gives the exit code: 0 after a signal, 1 when it could not start or
 * go on. The first signal drains within `config.drainTimeoutMs`, a second one ends the process at once.
 */
export async function runServer(
  config: Config,
  start: StartServer,
  platform: ProcessPlatform = systemPlatform,
): Promise<number> {
  const drain = new Drain(config, platform);
  try {
    const server = await start(config);
    announce(config, server.url, platform);
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
  const reason = await Promise.race([drain.asked, server.failed]);
  if (reason !== undefined) platform.printError(`Cannot go on: ${reason}`);
  try {
    await server.stop({ timeoutMs: Math.floor(config.drainTimeoutMs * SERVER_SHARE) });
  } catch (error) {
    platform.printError(`Cannot stop in good order: ${textOf(error)}`);
    return 1;
  }
  return reason === undefined ? 0 : 1;
}

/** Hears signals; from the first one on the drain time-out runs. */
class Drain {
  /** Settles with the first signal. */
  readonly asked: Promise<undefined>;
  readonly #config: Config;
  readonly #platform: ProcessPlatform;
  readonly #unlisten: () => void;
  readonly #ask: (nothing: undefined) => void;
  #cancelTimer?: () => void;

  constructor(config: Config, platform: ProcessPlatform) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.asked = promise;
    this.#ask = resolve;
    this.#config = config;
    this.#platform = platform;
    this.#unlisten = platform.listenSignals((exitCode) => this.#heard(exitCode));
  }

  /** Forgets the signals and the time-out. */
  close(): void {
    this.#unlisten();
    this.#cancelTimer?.();
  }

  #heard(exitCode: number): void {
    if (this.#cancelTimer) return this.#platform.exit(exitCode);
    this.#cancelTimer = this.#platform.clock.setTimer(this.#config.drainTimeoutMs, () => {
      this.#platform.printError("The drain time-out has passed: what is left goes on at the next start");
      this.#platform.exit(0);
    });
    this.#ask(undefined);
  }
}

/** Says where the server is, where its data is, who may use it, and what to try. In the JSON format it is one line of the log. */
function announce(config: Config, url: string, platform: ProcessPlatform): void {
  const dataDir = config.isDeploy ? "the database of Deno Deploy" : config.dataDir;
  if (config.logFormat === "json") {
    const { clock, print } = platform;
    const log = new Logger({ level: "info", format: "json", clock, write: print });
    log.info("ready", { version: VERSION, url, dataDir, protection: config.protection.type });
    return;
  }
  platform.print(`Sluice ${VERSION} is ready on ${url}`);
  platform.print(`  data        ${dataDir}`);
  platform.print(`  protection  ${protectionText(config)}`);
  platform.print(`  try         ${curlLine(config, url)}`);
}

function protectionText(config: Config): string {
  if (config.protection.type === "basic") {
    return `password of "${config.protection.credentials.user}", or an API token`;
  }
  return isLoopback(config.host) && !config.isDeploy
    ? "none: whoever uses this machine may use it (--basic-auth asks for a password)"
    : "none: everybody who reaches it may use it (--no-auth)";
}

/** Stores a first flow. Its YAML is in flow style, so that it fits a line. */
function curlLine(config: Config, url: string): string {
  const login = config.protection.type === "basic"
    ? ` -u ${shellWord(config.protection.credentials.user)}`
    : "";
  const flow =
    "{id: hello, namespace: demo, tasks: [{id: hi, type: io.svc.plugin.core.log.Log, message: Hello}]}";
  return `curl${login} -H 'Content-Type: application/x-yaml' -d '${flow}' ${url}/api/v1/main/flows`;
}

/** What kept the server from starting, as one line. */
function startProblem(error: unknown, config: Config): string {
  if (error instanceof DataDirError) return error.message;
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

/** A bug, with all that is known of it. */
function textOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}

/** A reader that has gone away (a closed pipe) must not end the server. */
function writeLine(stream: typeof Deno.stdout, line: string): void {
  try {
    const bytes = new TextEncoder().encode(`${line}\n`);
    for (let offset = 0; offset < bytes.length;) offset += stream.writeSync(bytes.subarray(offset));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
