/** The options of `sluice worker`, from its arguments and the environment. Pure. */
import { isWorkerGroup, WORKER_GROUP_RULE } from "../base/worker_group.ts";
import { readCommandArguments } from "./command_arguments.ts";
import { ConfigProblem, type Environment, type ReadFile } from "./given.ts";
import { optionKey, type OptionName, OPTIONS, optionVariable } from "./options.ts";
import { type Config, parseConfig } from "./parse.ts";
import { baseUrlOf, isUnprotected, parseServerUrl } from "./server_url.ts";

/** Options of a worker. */
export interface WorkerOptions {
  /** Address of the server, without `/api/v1` and without a slash at its end. */
  readonly server: string;
  /** Absent for a server that requires no credentials. */
  readonly token?: string;
  readonly groups: readonly string[];
  /** Attempts at a time; absent: as many as the machine can run scripts. */
  readonly concurrency?: number;
  /** Absent: the name of the machine, if its environment says it. */
  readonly name?: string;
  /** Where and how scripts run, addresses of requests, the log; the rest has no effect. */
  readonly config: Config;
}

/** Options of the server that a worker has, too. */
const SHARED = [
  "scripts",
  "containerRuntime",
  "containerAllow",
  "scriptUser",
  "scriptMemory",
  "scriptCpus",
  "scriptProcesses",
  "scriptTime",
  "scriptOutput",
  "scriptFiles",
  "scriptDisk",
  "httpDeny",
  "httpAllow",
  "plugins",
  "localFiles",
  "logLevel",
  "logFormat",
  "drainTimeout",
] as const satisfies readonly OptionName[];
const OWN = ["server", "token", "token-file", "group", "concurrency", "name"] as const;
type OwnName = typeof OWN[number];
const MAX_CONCURRENCY = 10_000;

/** Names of the variables that hold the credentials of a worker. */
export const WORKER_CREDENTIALS: readonly string[] = ["SLUICE_TOKEN"];

/** The text of `sluice worker --help`. */
export const WORKER_HELP = `Runs scripts and requests of flows for a server

Usage: sluice worker --server <url> --token <token> [options]

A worker has no database and opens no port. It connects to the server, takes attempts of its groups, and reports
them. See docs/OPERATIONS.md, section "Workers"

Options:
  --server <url>          Address of the server. It must begin with https:// unless it is on this machine:
                          attempts hold secrets
  --token <token>         API token with worker groups (\`workerGroups\`). Other users of the machine see arguments:
                          prefer the variable SLUICE_TOKEN or --token-file
  --token-file <file>     Reads the token from the first line of this file
  --group <names>         Groups whose attempts it runs, with commas between them (default: default)
  --concurrency <number>  Attempts at a time (default: 4 for each processor)
  --name <name>           Name in the list of workers (default: the name of the machine)
  --help                  Prints this text

Of the options of the server these apply, with the same variables; see sluice --help:
  ${SHARED.slice(0, 7).map((name) => `--${optionKey(name)}`).join(", ")},
  ${SHARED.slice(7, 15).map((name) => `--${optionKey(name)}`).join(", ")},
  ${SHARED.slice(15).map((name) => `--${optionKey(name)}`).join(", ")}, --offline
By default scripts run as processes, and requests reach no loopback or private address.

Each option is also an environment variable, such as SLUICE_SERVER.

Exit codes:
  0  stopped by a signal
  1  the server refuses the worker
  2  the options cannot be used`;

/** The options, or the first problem. */
export function parseWorker(
  args: readonly string[],
  environment: Environment,
  readFile: ReadFile,
): WorkerOptions | ConfigProblem {
  const given = readCommandArguments(args, {
    name: "worker",
    values: [...OWN, ...SHARED.map(optionKey)],
    repeatable: SHARED.filter(isRepeatable).map(optionKey),
    switches: ["offline"],
    operands: 0,
  });
  if (given instanceof ConfigProblem) return given;
  const { values, switches } = given;
  const read = (name: OwnName) => values.get(name) || environment[variableOf(name)] || undefined;
  const server = readServer(read("server"));
  if (server instanceof ConfigProblem) return server;
  const token = readToken(read("token"), read("token-file"), readFile);
  if (token instanceof ConfigProblem) return token;
  const groups = (read("group") ?? "default").split(",").map((group) => group.trim());
  if (!groups.every(isWorkerGroup)) {
    return new ConfigProblem(
      `Cannot use "${groups.join(",")}" as --group: each name must be ${WORKER_GROUP_RULE}`,
    );
  }
  const concurrency = readConcurrency(read("concurrency"));
  if (concurrency instanceof ConfigProblem) return concurrency;
  const config = sharedConfig(values, switches.has("offline"), { environment, readFile });
  if (config instanceof ConfigProblem) return config;
  const name = read("name") ?? environment.HOSTNAME;
  return { server, token, groups, concurrency, name, config: withOwnPath(config, read("token-file")) };
}

function isRepeatable(name: OptionName): boolean {
  const option: { readonly isRepeatable?: boolean } = OPTIONS[name];
  return option.isRepeatable === true;
}

function readServer(text: string | undefined): string | ConfigProblem {
  const url = parseServerUrl(text ?? "");
  if (!url) {
    return new ConfigProblem(
      'Cannot start a worker: --server must be an address such as "https://sluice.example.org"',
    );
  }
  if (isUnprotected(url)) {
    return new ConfigProblem(
      `Cannot use "${url.origin}" as --server: attempts hold secrets, so a server of another machine needs https`,
    );
  }
  return baseUrlOf(url);
}

function readToken(
  token: string | undefined,
  path: string | undefined,
  readFile: ReadFile,
): string | undefined | ConfigProblem {
  if (path === undefined) return token;
  if (token !== undefined) return new ConfigProblem("Cannot use both --token and --token-file");
  const content = readFile(path);
  const text = "text" in content ? content.text.split(/\r?\n/)[0]?.trim() : undefined;
  if (text) return text;
  const reason = "problem" in content ? content.problem : "its first line is empty";
  return new ConfigProblem(`Cannot read the file "${path}" of --token-file: ${reason}`);
}

function readConcurrency(text: string | undefined): number | undefined | ConfigProblem {
  if (text === undefined) return undefined;
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MAX_CONCURRENCY) return number;
  return new ConfigProblem(
    `Cannot use "${text}" as --concurrency: it must be a whole number from 1 to ${MAX_CONCURRENCY}`,
  );
}

/** The options that a worker shares with the server, read as those of a server. */
function sharedConfig(
  values: ReadonlyMap<string, string>,
  isOffline: boolean,
  { environment, readFile }: { readonly environment: Environment; readonly readFile: ReadFile },
): Config | ConfigProblem {
  const flags = SHARED.flatMap((name) => {
    const value = values.get(optionKey(name));
    return value === undefined ? [] : [`--${optionKey(name)}=${value}`];
  });
  const variables = [...SHARED, "offline" as const].flatMap((name) => {
    const value = environment[optionVariable(name)];
    return value === undefined ? [] : [[optionVariable(name), value] as const];
  });
  const config = parseConfig(
    isOffline ? [...flags, "--offline"] : flags,
    Object.fromEntries(variables),
    readFile,
  );
  return config instanceof ConfigProblem ? config : { ...config, scripts: config.scripts ?? "process" };
}

/** Flows may not use the file of the token either. */
function withOwnPath(config: Config, path: string | undefined): Config {
  const { localFiles } = config;
  if (localFiles === undefined || path === undefined) return config;
  return { ...config, localFiles: { ...localFiles, ownPaths: [...localFiles.ownPaths, path] } };
}

function variableOf(name: OwnName): string {
  return `SLUICE_${name.toUpperCase().replaceAll("-", "_")}`;
}
