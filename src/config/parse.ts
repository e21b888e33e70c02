/** Parses arguments, environment and configuration file into the {@link Config} of a server. Pure. */
import type { DurationForm } from "../base/time/duration.ts";
import { isLoopback } from "../base/network/ip.ts";
import { shownUri } from "../base/network/shown_uri.ts";
import type { JsonObject } from "../base/json.ts";
import type { ServerLogLevel } from "../base/log.ts";
import {
  ConfigProblem,
  type Environment,
  type Given,
  type GivenOptions,
  readConfigFile,
  type ReadFile,
  readFlags,
  readVariables,
} from "./given.ts";
import { readGlobals } from "./globals.ts";
import { isOnDeploy } from "./hosted.ts";
import {
  OPTION_NAMES,
  type OptionName,
  OPTIONS,
  type OptionSpec,
  type OptionValue,
  optionVariable,
} from "./options.ts";
import { type GivenDefaults, readGivenDefaults } from "./plugin_defaults.ts";
import type { MachineUser } from "./script_user.ts";
import { type Credentials, type Quota, readCredentials, SETUP } from "./values.ts";

/** Who may use the server: everybody, or callers with a password or an API token; `setup`: the user is set over the API. */
type Protection =
  | { readonly type: "none" }
  | { readonly type: "setup" }
  | { readonly type: "basic"; readonly credentials: Credentials };

/** A database server that speaks KV Connect. */
export interface DatabaseServer {
  readonly url: string;
  readonly token: string;
}

/** Upper bounds of one script; absent: none. */
export interface ScriptLimits {
  readonly memoryBytes?: number;
  readonly cpus?: number;
  readonly processes?: number;
  readonly timeMs?: number;
  /** Of log lines. */
  readonly outputBytes?: number;
  /** Of output files. */
  readonly fileBytes?: number;
  /** Of the working directory. */
  readonly diskBytes?: number;
}

/** The configuration of a server. */
export interface Config {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** Second port, for clients that ask for an upgrade with their first request; absent: none. */
  readonly compatPort?: number;
  readonly dataDir: string;
  /** The database server; absent: a file in the data directory, or that of the platform. */
  readonly database?: DatabaseServer;
  /** How long the lease of the leader lasts, where the database is no file. */
  readonly leaseTtlMs: number;
  /** Where other servers of the database reach this one, without a trailing slash; absent: they cannot. */
  readonly advertise?: string;
  /** Public address without a trailing slash; absent: the listen address. */
  readonly baseUrl?: string;
  readonly protection: Protection;
  /** Proxies that say which address called; absent: none. */
  readonly trustedProxies?: readonly string[];
  readonly logLevel: ServerLogLevel;
  readonly logFormat: "text" | "json";
  readonly durations: DurationForm;
  /** Names of types in lists of plugins and in schemas. */
  readonly typePrefix: "svc" | "kestra" | "both";
  /** 32 bytes; absent: the key file of the data directory. */
  readonly encryptionKey?: Uint8Array<ArrayBuffer>;
  readonly drainTimeoutMs: number;
  readonly maxRenderMs: number;
  /** Name of the default time zone of schedules and dates. */
  readonly timezone: string;
  readonly maxUploadBytes: number;
  /** Revisions of a namespace file that are kept. */
  readonly fileRevisions: number;
  /** Open connections of clients, in all and per address; absent: what the limit of open files leaves. */
  readonly maxConnections?: number;
  readonly maxConnectionsPerAddress?: number;
  /** Longest time that a connection stays open without a request. */
  readonly idleTimeoutMs: number;
  /** Where scripts run; absent: depends on the listen address and the tenants. */
  readonly scripts?: "process" | "container" | "off";
  /** What runs containers; absent: nothing does. */
  readonly containerRuntime?: OptionValue<"containerRuntime">;
  /** What flows may do with containers; absent: nothing beyond running in them. */
  readonly containerAllow?: OptionValue<"containerAllow">;
  /** Name or number of the user that scripts run as, as given. */
  readonly scriptUserName?: string;
  /** The user that scripts run as; absent: that of the server. */
  readonly scriptUser?: MachineUser;
  readonly scriptLimits: ScriptLimits;
  /** Whether no program is fetched for scripts; absent: it may be. */
  readonly isOffline?: boolean;
  /** Scripts run as root although not configured. */
  readonly hasRootScripts?: boolean;
  /** Folders whose files flows may use, and files of the server that they may not; absent: none. */
  readonly localFiles?: { readonly folders: readonly string[]; readonly ownPaths: readonly string[] };
  /** Addresses that requests of flows may and may not reach. */
  readonly httpAddresses: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** Addresses at which triggers may listen beside loopback; absent: none. */
  readonly listenTriggers?: readonly string[];
  /** How long, and how many executions are kept; absent: all. */
  readonly retention: { readonly maxAgeMs?: number; readonly maxCount?: number };
  /** What the audit log records. */
  readonly audit: "changes" | "all";
  /** How long records of the audit log are kept. */
  readonly auditAgeMs: number;
  /** Folder of backups; absent: one in the data directory. */
  readonly backupDir?: string;
  /** Backups that are made by themselves; absent: none. */
  readonly backupSchedule?: { readonly everyMs: number; readonly keep: number };
  /** What tenants may store, by kind; absent: no limit. */
  readonly quotaLimits?: {
    readonly fileBytes?: Quota;
    readonly kvPairs?: Quota;
    readonly secrets?: Quota;
    readonly flows?: Quota;
    readonly executions?: Quota;
  };
  /** Secrets of `SECRET_NAME` variables by `NAME`, as given; base64 by convention. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Tenants beside `main` that read `secrets`; absent: none. */
  readonly secretTenants?: readonly string[];
  /** Environment variables that flows may read, by name without prefix in lower case. */
  readonly envs: ReadonlyMap<string, string>;
  /** Plugin defaults that every flow inherits, as given, and where: the path of a file or the option; absent: none. */
  readonly pluginDefaults?: GivenDefaults;
  /** Folder of plugin files; absent: none. */
  readonly plugins?: string;
  /** Values that all flows read; absent: none. */
  readonly globals?: JsonObject;
  /** Name of this installation; absent: none. */
  readonly environment?: string;
  /** True on Deno Deploy, where the platform provides the port and the database. */
  readonly isDeploy: boolean;
}

type Values = { readonly [Name in OptionName]: OptionValue<Name> | undefined };

const SECRET_PREFIX = "SECRET_";
/** Variables with credentials of the server, which flows never see, whatever the prefix. */
const HIDDEN_PREFIXES = ["SLUICE_", SECRET_PREFIX];

/** The configuration, or the first problem. A flag wins over a variable, a variable over the file. */
export function parseConfig(
  args: readonly string[],
  environment: Environment,
  readFile: ReadFile,
): Config | ConfigProblem {
  const given = collect(args, environment, readFile);
  if (given instanceof ConfigProblem) return given;
  const values = readValues(given);
  if (values instanceof ConfigProblem) return values;
  const isDeploy = isOnDeploy(environment);
  const protection = readProtection(values, readFile);
  if (protection instanceof ConfigProblem) return protection;
  const problem = checkProtection(values, protection, isDeploy) ?? checkDatabase(values) ??
    checkBackups(values) ?? checkAdvertise(values, isDeploy);
  if (problem) return problem;
  const pluginDefaults = readGivenDefaults(values.pluginDefaults, readFile);
  if (pluginDefaults instanceof ConfigProblem) return pluginDefaults;
  const globals = readGlobals(values.globals, readFile);
  if (globals instanceof ConfigProblem) return globals;
  const config = toConfig(values, protection, environment, isDeploy);
  return { ...config, ...(pluginDefaults && { pluginDefaults }), ...(globals && { globals }) };
}

/** Names of the variables that hold credentials: of the server, and of flows. */
export function credentialVariables(environment: Environment): string[] {
  const own = OPTION_NAMES.filter((name) => (OPTIONS[name] as OptionSpec<unknown>).isSecret).map(
    optionVariable,
  );
  return Object.keys(environment).filter((name) => own.includes(name) || name.startsWith(SECRET_PREFIX));
}

function collect(
  args: readonly string[],
  environment: Environment,
  readFile: ReadFile,
): GivenOptions | ConfigProblem {
  const flags = readFlags(args);
  if (flags instanceof ConfigProblem) return flags;
  const variables = readVariables(environment);
  const path = (flags.get("config") ?? variables.get("config"))?.text;
  const file = path === undefined ? new Map<OptionName, Given>() : readConfigFile(path, readFile);
  if (file instanceof ConfigProblem) return file;
  return new Map([...file, ...variables, ...flags]);
}

function readValues(given: GivenOptions): Values | ConfigProblem {
  const values: Partial<Record<OptionName, unknown>> = {};
  for (const name of OPTION_NAMES) {
    const spec: OptionSpec<unknown> = OPTIONS[name];
    const source = given.get(name);
    const text = source?.text ?? spec.defaultText;
    if (text === undefined) continue;
    values[name] = spec.read(text);
    if (values[name] === undefined) return badValue(spec, text, source?.origin ?? name);
  }
  return values as Values;
}

function badValue(spec: OptionSpec<unknown>, text: string, origin: string): ConfigProblem {
  const shown = text.includes("://") ? shownUri(text) : text;
  const subject = spec.isSecret ? `the value of ${origin}` : `"${shown}" as ${origin}`;
  return new ConfigProblem(`Cannot use ${subject}: it must be ${spec.allowed}`);
}

function readProtection(values: Values, readFile: ReadFile): Protection | ConfigProblem {
  const { basicAuth, basicAuthFile, noAuth } = values;
  const ways = [
    basicAuth && "--basic-auth",
    basicAuthFile !== undefined && "--basic-auth-file",
    noAuth && "--no-auth",
  ].filter((way) => typeof way === "string");
  if (ways.length > 1) {
    return new ConfigProblem(`Cannot use ${ways.join(" and ")} together: give one of them`);
  }
  if (basicAuthFile !== undefined) return readCredentialsFile(basicAuthFile, readFile);
  if (basicAuth === SETUP) return { type: "setup" };
  return basicAuth ? { type: "basic", credentials: basicAuth } : { type: "none" };
}

function readCredentialsFile(path: string, readFile: ReadFile): Protection | ConfigProblem {
  const content = readFile(path);
  const reason = "problem" in content
    ? content.problem
    : 'its first line must be "user:password", neither part empty';
  const credentials = "text" in content ? readCredentials(content.text.split(/\r?\n/)[0] ?? "") : undefined;
  if (credentials) return { type: "basic", credentials };
  return new ConfigProblem(`Cannot read the file "${path}" of --basic-auth-file: ${reason}`);
}

function checkProtection(
  values: Values,
  protection: Protection,
  isDeploy: boolean,
): ConfigProblem | undefined {
  const isOpen = protection.type === "none" && !values.noAuth;
  const host = values.host ?? "";
  if (!isOpen || (!isDeploy && isLoopback(host))) return undefined;
  const place = isDeploy ? "serve on Deno Deploy" : `listen on "${host}"`;
  const ways = isDeploy
    ? 'set SLUICE_BASIC_AUTH to "user:password", or say SLUICE_NO_AUTH=true'
    : "give --basic-auth user:password (or --basic-auth-file), --basic-auth setup, or say --no-auth";
  return new ConfigProblem(
    `Cannot ${place} without authentication: everybody who reaches it could run flows; ${ways}`,
  );
}

function checkDatabase({ database, databaseToken, encryptionKey }: Values): ConfigProblem | undefined {
  if (database === undefined) {
    if (databaseToken === undefined) return undefined;
    return new ConfigProblem("Cannot use --database-token without --database");
  }
  if (databaseToken === undefined) {
    return new ConfigProblem(
      "Cannot use --database without its token: set SLUICE_DATABASE_TOKEN, or give --database-token",
    );
  }
  if (encryptionKey) return undefined;
  return new ConfigProblem(
    "Cannot use --database without --encryption-key: every server of the database needs the same key; " +
      "make one with: openssl rand -base64 32",
  );
}

function checkBackups({ backupDir, backupEvery, database }: Values): ConfigProblem | undefined {
  const name = backupDir === undefined ? backupEvery && "--backup-every" : "--backup-dir";
  if (name === undefined || database === undefined) return undefined;
  return new ConfigProblem(
    `Cannot use ${name} with --database: back up the database server with its own tools, and keep the encryption key`,
  );
}

function checkAdvertise(
  { advertise, clusterInsecure, database }: Values,
  isDeploy: boolean,
): ConfigProblem | undefined {
  if (advertise === undefined) return undefined;
  if (database === undefined && !isDeploy) {
    return new ConfigProblem(
      "Cannot use --advertise without --database: a database in a file has one server",
    );
  }
  const { protocol, hostname } = new URL(advertise);
  if (protocol === "https:" || clusterInsecure || isLoopback(hostname)) return undefined;
  return new ConfigProblem(
    `Cannot use "${advertise}" as --advertise: other servers would send credentials unencrypted; ` +
      "give an https address, or --cluster-insecure",
  );
}

function toConfig(
  values: Values,
  protection: Protection,
  environment: Environment,
  isDeploy: boolean,
): Config {
  return {
    host: present(values.host),
    port: present(values.port),
    ...(values.compatPort === undefined ? {} : { compatPort: values.compatPort }),
    dataDir: present(values.dataDir),
    ...readDatabase(values),
    leaseTtlMs: present(values.leaseTtl),
    ...(values.advertise && { advertise: values.advertise }),
    baseUrl: values.baseUrl,
    protection,
    ...(values.trustedProxies && { trustedProxies: values.trustedProxies }),
    logLevel: present(values.logLevel),
    logFormat: present(values.logFormat),
    durations: present(values.durations),
    typePrefix: present(values.typePrefix),
    encryptionKey: values.encryptionKey,
    drainTimeoutMs: present(values.drainTimeout),
    maxRenderMs: present(values.maxRenderTime),
    timezone: values.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    maxUploadBytes: present(values.maxUpload),
    fileRevisions: present(values.fileRevisions),
    maxConnections: values.maxConnections,
    maxConnectionsPerAddress: values.maxConnectionsPerAddress,
    idleTimeoutMs: present(values.idleTimeout),
    scripts: values.scripts,
    containerRuntime: present(values.containerRuntime),
    ...(values.containerAllow && { containerAllow: values.containerAllow }),
    ...(values.scriptUser === undefined ? {} : { scriptUserName: values.scriptUser }),
    scriptLimits: {
      memoryBytes: values.scriptMemory,
      cpus: values.scriptCpus,
      processes: values.scriptProcesses,
      timeMs: values.scriptTime,
      outputBytes: values.scriptOutput,
      fileBytes: values.scriptFiles,
      diskBytes: values.scriptDisk,
    },
    ...(values.offline && { isOffline: true }),
    ...(values.plugins && { plugins: values.plugins }),
    ...readLocalFiles(values),
    ...(values.listenTriggers && { listenTriggers: values.listenTriggers }),
    httpAddresses: { allow: values.httpAllow, deny: values.httpDeny },
    retention: { maxAgeMs: values.retentionAge, maxCount: values.retentionCount },
    audit: present(values.audit),
    auditAgeMs: present(values.auditRetention),
    ...readBackups(values),
    ...readQuotas(values),
    secrets: readSecrets(environment),
    ...(values.secretTenants && { secretTenants: values.secretTenants }),
    envs: readEnvs(environment, present(values.envPrefix)),
    ...(values.environment && { environment: values.environment }),
    isDeploy,
  };
}

function readDatabase({ database: url, databaseToken: token }: Values): Pick<Config, "database"> {
  return url === undefined || token === undefined ? {} : { database: { url, token } };
}

/** The server's own files are those that its options name; inline texts among them do no harm. */
function readLocalFiles(values: Values): Pick<Config, "localFiles"> {
  const { localFiles: folders, config, basicAuthFile, pluginDefaults, plugins, globals } = values;
  if (folders === undefined) return {};
  const ownPaths = [config, basicAuthFile, pluginDefaults, plugins, globals].filter((path) =>
    path !== undefined
  );
  return { localFiles: { folders, ownPaths } };
}

function readBackups(values: Values): Pick<Config, "backupDir" | "backupSchedule"> {
  const { backupDir, backupEvery: everyMs, backupKeep } = values;
  const keep = present(backupKeep);
  return { ...backupDir && { backupDir }, ...everyMs !== undefined && { backupSchedule: { everyMs, keep } } };
}

function readQuotas(values: Values): Pick<Config, "quotaLimits"> {
  const quotaLimits = {
    fileBytes: values.quotaFileBytes,
    kvPairs: values.quotaKvPairs,
    secrets: values.quotaSecrets,
    flows: values.quotaFlows,
    executions: values.quotaExecutions,
  };
  return Object.values(quotaLimits).some((limits) => limits !== undefined) ? { quotaLimits } : {};
}

/** The value of an option with a default. */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError("An option has no default");
  return value;
}

function readSecrets(environment: Environment): ReadonlyMap<string, string> {
  const found = Object.entries(environment).filter(([name]) => isBeyond(name, SECRET_PREFIX));
  return new Map(found.map(([name, text]) => [name.slice(SECRET_PREFIX.length), text]));
}

function readEnvs(environment: Environment, prefix: string): ReadonlyMap<string, string> {
  const found = Object.entries(environment).filter(([name]) =>
    isBeyond(name, prefix) && !HIDDEN_PREFIXES.some((hidden) => name.startsWith(hidden))
  );
  return new Map(found.map(([name, text]) => [name.slice(prefix.length).toLowerCase(), text]));
}

function isBeyond(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && name.length > prefix.length;
}
