/**
 * The table of options: source of flags, environment variables, keys of the configuration file, `--help` and
 * `docs/CONFIGURATION.md`. A new option is one entry here and its use in `parse.ts`.
 */
import { DURATION_FORMS } from "../base/time/duration.ts";
import { LOG_LEVELS } from "../base/log.ts";
import * as values from "./values.ts";

/** One option. Its flag, variable and key derive from its name in {@link OPTIONS}. */
export interface OptionSpec<Value> {
  /** The value in the help; empty for a switch. */
  readonly placeholder: string;
  /** Default value as text, if there is one. */
  readonly defaultText?: string;
  /** Behaviour without a value, if there is no default text. */
  readonly otherwise?: string;
  /** Completes the sentence "it must be …". */
  readonly allowed: string;
  readonly description: string;
  /** The value never appears in messages. */
  readonly isSecret?: boolean;
  /** Given several times as a flag, the values are joined by commas. */
  readonly isRepeatable?: boolean;
  /** Restricts where it can be given; absent: flag, environment variable and file. */
  readonly only?: "flag" | "flag, environment";
  /** The value of a text; `undefined` if invalid. */
  readonly read: (text: string) => Value | undefined;
}

const ADDRESS_LIST =
  'addresses, ranges such as "10.0.0.0/8", and "private", "loopback", "link-local", "metadata" or "all", ' +
  "with commas between them";

/** Every option, in the order of the help. */
export const OPTIONS = {
  host: option({
    placeholder: "<host>",
    defaultText: "127.0.0.1",
    allowed: "a host name or an IP address",
    description: "Address to listen on. One that other machines reach needs authentication, or --no-auth",
    read: values.readHost,
  }),
  port: option({
    placeholder: "<port>",
    defaultText: "8080",
    allowed: "a whole number from 0 to 65535",
    description: "TCP port to listen on; 0 lets the system choose a free one",
    read: values.readPort,
  }),
  compatPort: option({
    placeholder: "<port>",
    otherwise: "no such port",
    allowed: "a whole number from 0 to 65535",
    description:
      "Second TCP port, for clients whose requests the first one refuses: those that ask to upgrade a " +
      "request with a body to HTTP/2, as Java's HttpClient does by default. Slower; 0 lets the system choose",
    read: values.readPort,
  }),
  dataDir: option({
    placeholder: "<folder>",
    defaultText: "./sluice-data",
    allowed: "the path of a folder",
    description: "Folder of the database, the encryption key and the lock; created when absent",
    read: values.readText,
  }),
  database: option({
    placeholder: "<url>",
    otherwise: "a file in the data directory",
    allowed: 'an address such as "https://kv.example.org", without credentials, query and fragment',
    description: "Database server that speaks KV Connect, such as denokv. Needs --database-token and " +
      "--encryption-key; the data directory is not used then",
    read: values.readBaseUrl,
  }),
  databaseToken: option({
    placeholder: "<token>",
    otherwise: "none",
    allowed: "a text without spaces and control characters",
    description:
      "Access token of the database server. Arguments are visible to other users of the machine: " +
      "prefer the variable",
    isSecret: true,
    read: values.readToken,
  }),
  leaseTtl: option({
    placeholder: "<duration>",
    defaultText: "5s",
    allowed: 'a duration from 3 seconds to 1 minute, such as "5s"',
    description:
      "How long one of several servers leads without renewing its lease. When it ends without a stop, " +
      "another one leads after this time and 1 second. The same for all servers of a database",
    read: values.readLeaseTtl,
  }),
  advertise: option({
    placeholder: "<url>",
    otherwise: "none",
    allowed: 'an address such as "https://10.0.0.5:8080", without credentials, query and fragment',
    description: "Address at which the other servers of the database reach this one. " +
      "Needs https beyond this machine, unless --cluster-insecure is given",
    read: values.readBaseUrl,
  }),
  clusterInsecure: option({
    placeholder: "",
    defaultText: "false",
    allowed: '"true" or "false"',
    description: "Allows that servers send each other requests, with their credentials, unencrypted",
    read: values.readSwitch,
  }),
  baseUrl: option({
    placeholder: "<url>",
    otherwise: "the address it listens on",
    allowed: 'an address such as "https://sluice.example.org", without query and fragment',
    description: "Public address, used in links and accepted as a host name",
    read: values.readBaseUrl,
  }),
  basicAuth: option({
    placeholder: "<user:password>",
    otherwise: "no login",
    allowed: '"user:password", neither part empty, or "setup"',
    description: "Asks for this user and password. Arguments are visible to other users of the machine: " +
      'prefer the variable or --basic-auth-file. With "setup" the first user is set in the browser or over the API',
    isSecret: true,
    read: values.readBasicAuth,
  }),
  basicAuthFile: option({
    placeholder: "<file>",
    otherwise: "no login",
    allowed: 'the path of a file whose first line is "user:password"',
    description: "Reads the user and password from the first line of this file",
    read: values.readText,
  }),
  trustedProxies: option({
    placeholder: "<addresses>",
    otherwise: "none: the address of a connection is that of the caller",
    allowed:
      'addresses, ranges such as "10.0.0.0/8", "private" and "loopback", with commas between them; not all',
    description: "Proxies whose header Forwarded or X-Forwarded-For says which address called. " +
      "Limits of failed log-ins and of webhooks count by it",
    read: values.readProxies,
  }),
  noAuth: option({
    placeholder: "",
    defaultText: "false",
    allowed: '"true" or "false"',
    description: "Says explicitly that everybody who reaches the server may use it",
    read: values.readSwitch,
  }),
  logLevel: option({
    placeholder: "<level>",
    defaultText: "info",
    allowed: LOG_LEVELS.map((level) => `"${level}"`).join(", "),
    description:
      "Least severity of the lines of the server's log; info has refused requests, debug every request",
    read: values.oneOf(LOG_LEVELS),
  }),
  logFormat: option({
    placeholder: "<format>",
    defaultText: "text",
    allowed: '"text" or "json"',
    description: "Log lines for people, or one JSON object a line",
    read: values.oneOf(["text", "json"]),
  }),
  durations: option({
    placeholder: "<form>",
    defaultText: "seconds",
    allowed: '"seconds" or "iso"',
    description:
      "How responses write durations of states: as a number of seconds, or as text such as PT0.5S. " +
      "A request chooses by `Accept: application/json;durations=iso`",
    read: values.oneOf(DURATION_FORMS),
  }),
  typePrefix: option({
    placeholder: "<prefix>",
    defaultText: "both",
    allowed: '"svc", "kestra" or "both"',
    description: "Names that lists of plugins and the schemas of editors give to types: " +
      "`io.svc.plugin.…`, `io.kestra.plugin.…`, or both. Flows use either at any time",
    read: values.oneOf(["svc", "kestra", "both"]),
  }),
  encryptionKey: option({
    placeholder: "<base64>",
    otherwise: "a key created in the data directory",
    allowed: "base64 text of 32 bytes",
    description: "Key that encrypts stored secrets. Losing it loses them",
    isSecret: true,
    read: values.readEncryptionKey,
  }),
  drainTimeout: option({
    placeholder: "<duration>",
    defaultText: "10s",
    allowed: 'a duration up to one hour, such as "30s", "500ms" or "PT30S"',
    description: "Longest time between the signal to stop and the end of the process",
    read: values.readDrainTimeout,
  }),
  maxRenderTime: option({
    placeholder: "<duration>",
    defaultText: "1s",
    allowed: 'a duration from 50 ms to one minute, such as "500ms", "2s" or "PT2S"',
    description: "Longest time that the expressions of one task, trigger or input may be evaluated; " +
      "beyond it they fail and the log gives the reason",
    read: values.readRenderTime,
  }),
  timezone: option({
    placeholder: "<zone>",
    otherwise: "the zone of the machine",
    allowed: 'the name of a time zone, such as "Europe/Paris" or "UTC"',
    description: "Time zone of schedules and dates that name none",
    read: values.readTimeZone,
  }),
  maxConnections: option({
    placeholder: "<number>",
    otherwise: "4096, or what the limit of open files leaves",
    allowed: "a whole number from 1",
    description:
      "Open connections of clients; with --compat-port a quarter of them are for that port. At the limit, a new one " +
      "takes the place of the one that has been idle longest, or is refused with 503. Never more than the limit of open files leaves",
    read: values.readCount,
  }),
  maxConnectionsPerAddress: option({
    placeholder: "<number>",
    otherwise: "half of --max-connections",
    allowed: "a whole number from 1",
    description: "The same limit for one IPv4 address or one IPv6 network of 64 bits",
    read: values.readCount,
  }),
  idleTimeout: option({
    placeholder: "<duration>",
    defaultText: "75s",
    allowed: 'a duration from one second to one hour, such as "75s" or "PT2M"',
    description: "A connection without a request is closed after this time. " +
      "Behind a proxy, longer than the proxy keeps its own",
    read: values.readIdleTimeout,
  }),
  maxUpload: option({
    placeholder: "<size>",
    defaultText: "10GB",
    allowed: 'a number of bytes, or a size such as "512MB" or "10GB"',
    description: "Largest body of an upload; units are powers of 1,024",
    read: values.readByteSize,
  }),
  fileRevisions: option({
    placeholder: "<number>",
    defaultText: "20",
    allowed: "a whole number from 1 to 100",
    description:
      "Revisions of a namespace file that are kept, the present one included; older ones are removed",
    read: values.readFileRevisions,
  }),
  envPrefix: option({
    placeholder: "<prefix>",
    defaultText: "ENV_",
    allowed: "letters, digits and underscores, not beginning with a digit",
    description: "Environment variables with this prefix are readable in flows as `envs.name`: " +
      "prefix removed, lower case",
    read: values.readEnvPrefix,
  }),
  pluginDefaults: option({
    placeholder: "<file>",
    otherwise: "none",
    allowed: 'the path of a YAML or JSON file, or a list such as \'[{"type": "…", "values": {…}}]\'',
    description:
      "Default properties of task and trigger types in all flows, in the form of `pluginDefaults` of a flow",
    read: values.readText,
  }),
  plugins: option({
    placeholder: "<folder>",
    otherwise: "no further types",
    allowed: "the path of a folder",
    description:
      "Folder with types of tasks and triggers of your own, a .js or .ts file each; read once, at the start. " +
      "See docs/PLUGINS.md and sluice plugin --help",
    read: values.readText,
  }),
  globals: option({
    placeholder: "<file>",
    otherwise: "none",
    allowed: "the path of a JSON or YAML file with a map, or that map as JSON text",
    description: "Values that all flows read as `globals.name`: a file, or JSON text. " +
      "In the configuration file they may be a map. For secrets there are SECRET_ variables",
    read: values.readSource,
  }),
  environment: option({
    placeholder: "<name>",
    otherwise: "none",
    allowed: "a text without control characters",
    description: "Name of this installation, such as production, that flows read as `kestra.environment`",
    read: values.readText,
  }),
  secretTenants: option({
    placeholder: "<tenants>",
    otherwise: "main alone",
    allowed: "ids of tenants with commas between them",
    description: "Tenants beside main whose flows read the secrets of SECRET_ variables",
    read: values.readTenants,
  }),
  scripts: option({
    placeholder: "<where>",
    otherwise: "process where only this machine reaches the server and it has one tenant, else off",
    allowed: '"process", "container" (or "docker") or "off"',
    description: "Where script tasks run: as processes of this machine, with the rights of --script-user, " +
      "unless a task names an image; each in a container; nowhere",
    read: values.readScripts,
  }),
  containerRuntime: option({
    placeholder: "<name>",
    defaultText: "auto",
    allowed: '"auto", "docker", "podman", "nerdctl" or "none"',
    description: "Program that runs the containers of script tasks; auto takes the first that works. " +
      "Without one, tasks that name an image run as processes, with a warning",
    read: values.oneOf(["auto", "docker", "podman", "nerdctl", "none"]),
  }),
  containerAllow: option({
    placeholder: "<rights>",
    otherwise: "none; networks and manage where --scripts is process",
    allowed: `names with commas between them: ${values.CONTAINER_RIGHTS.join(", ")}`,
    description:
      "What flows may do with containers: mount folders of the machine (volumes), have all rights " +
      "(privileged), join its network or a named one (networks), open its ports (ports), run on another machine (hosts), " +
      "build and remove images, leave containers behind and remove them (manage)",
    read: values.readContainerRights,
  }),
  scriptUser: option({
    placeholder: "<user>",
    otherwise:
      'the user "sluice" where the server runs as root and there is one, else the server\'s own user',
    allowed: "the name or the number of a user",
    description: "User of this machine that scripts run as, with its primary group; " +
      "only a server that runs as root can give them one",
    read: values.readUser,
  }),
  scriptMemory: option({
    placeholder: "<size>",
    otherwise: "no limit",
    allowed: 'a number of bytes, or a size such as "512MB" or "2GB"',
    description: "Memory of a script with all its processes",
    read: values.readByteSize,
  }),
  scriptCpus: option({
    placeholder: "<number>",
    otherwise: "no limit",
    allowed: 'a number of processors from 0.01, such as "0.5" or "2"',
    description: "Processors that a script may use; enforced in control groups and containers only",
    read: values.readCpus,
  }),
  scriptProcesses: option({
    placeholder: "<number>",
    otherwise: "4096 in control groups, else no limit",
    allowed: "a whole number from 1",
    description: "Processes and threads of a script at a time; where there are no control groups, processes",
    read: values.readCount,
  }),
  scriptTime: option({
    placeholder: "<duration>",
    otherwise: "no limit",
    allowed: 'a duration from one second to 20 days, such as "10m", "2h" or "PT2H"',
    description: "Time that a script may run; a `timeout` of its task may be shorter",
    read: values.readTimeLimit,
  }),
  scriptOutput: option({
    placeholder: "<size>",
    defaultText: "1GB",
    allowed: 'a number of bytes, or a size such as "512MB" or "2GB"',
    description: "Log lines of a script",
    read: values.readByteSize,
  }),
  scriptFiles: option({
    placeholder: "<size>",
    defaultText: "10GB",
    allowed: 'a number of bytes, or a size such as "512MB" or "2GB"',
    description: "Output files that a task stores from its directory",
    read: values.readByteSize,
  }),
  scriptDisk: option({
    placeholder: "<size>",
    otherwise: "no limit",
    allowed: 'a number of bytes, or a size such as "512MB" or "2GB"',
    description: "Size of the directory of a script, checked every second",
    read: values.readByteSize,
  }),
  offline: option({
    placeholder: "",
    defaultText: "false",
    allowed: '"true" or "false"',
    description: "Fetches no program for scripts: uv, pip and versions of Python must be on the machine. " +
      "Packages come from the index that flows and the machine configure",
    read: values.readSwitch,
  }),
  localFiles: option({
    placeholder: "<folder>",
    otherwise: "none",
    allowed: "paths of folders with commas between them, none of them /",
    description:
      "Folder whose files tasks such as fs.local.Download may use, for flows of the tenant main; can be repeated. " +
      "Never those of the server itself, /proc, /sys and /dev",
    isRepeatable: true,
    read: values.readFolders,
  }),
  httpDeny: option({
    placeholder: "<addresses>",
    otherwise:
      "link-local,metadata, which are always denied; loopback,private with a login or several tenants",
    allowed: ADDRESS_LIST,
    description: "Addresses that requests of flows may not reach",
    read: values.readAddresses,
  }),
  httpAllow: option({
    placeholder: "<addresses>",
    otherwise: "all that are not denied",
    allowed: ADDRESS_LIST,
    description: "Addresses that requests of flows may reach although they are denied. " +
      'Those of metadata services need "metadata" or the very address',
    read: values.readAddresses,
  }),
  listenTriggers: option({
    placeholder: "<addresses>",
    otherwise: "loopback addresses",
    allowed: ADDRESS_LIST,
    description:
      "Further addresses of this machine at which triggers such as fs.tcp.RealtimeTrigger may listen, for flows of " +
      'the tenant main. To listen on all, "0.0.0.0", needs that address or "all"',
    read: values.readAddresses,
  }),
  retentionAge: option({
    placeholder: "<duration>",
    otherwise: "executions are kept",
    allowed: 'a duration of at least one minute, such as "30d", "12h" or "P30D"',
    description:
      "Executions that ended longer ago are removed with their logs and files, unless another one still awaits them",
    read: values.readAge,
  }),
  retentionCount: option({
    placeholder: "<number>",
    otherwise: "executions are kept",
    allowed: "a whole number from 1",
    description:
      "Of the executions of a tenant that have ended, so many are kept: those that ended last, and any that another one still awaits",
    read: values.readCount,
  }),
  audit: option({
    placeholder: "<what>",
    defaultText: "changes",
    allowed: '"changes" or "all"',
    description:
      "What the audit log records: changes of people and tokens without starts of executions, or with them",
    read: values.oneOf(["changes", "all"]),
  }),
  auditRetention: option({
    placeholder: "<duration>",
    defaultText: "90d",
    allowed: 'a duration of at least one minute, such as "90d" or "P1Y"',
    description: "Records of the audit log that are older are removed",
    read: values.readAge,
  }),
  backupDir: option({
    placeholder: "<folder>",
    otherwise: "the folder backups of the data directory",
    allowed: "the path of a folder",
    description:
      "Folder for backups of the running server, best on another disk. They hold the data and the key of secrets",
    read: values.readText,
  }),
  backupEvery: option({
    placeholder: "<duration>",
    otherwise: "backups are made on request only",
    allowed: 'a duration of at least one minute, such as "24h", "7d" or "P1D"',
    description: "Time between backups that the server makes by itself",
    read: values.readAge,
  }),
  backupKeep: option({
    placeholder: "<number>",
    defaultText: "7",
    allowed: "a whole number from 1",
    description: "Of the backups that --backup-every made, so many are kept: the newest",
    read: values.readCount,
  }),
  quotaFileBytes: option({
    placeholder: "<limits>",
    otherwise: "no limit",
    allowed: '"10GB" or "10GB,acme=50GB,main=1TB"',
    description:
      "Bytes of namespace files and files of executions that a tenant may have: a limit for all tenants but main, " +
      "limits of single tenants, or both",
    read: values.quotaOf(values.readByteSize),
  }),
  quotaKvPairs: option({
    placeholder: "<limits>",
    otherwise: "no limit",
    allowed: '"1000" or "1000,acme=5000,main=100000"',
    description: "KV pairs that a tenant may have: a limit for all tenants but main, " +
      "limits of single tenants, or both",
    read: values.quotaOf(values.readCount),
  }),
  quotaSecrets: option({
    placeholder: "<limits>",
    otherwise: "no limit",
    allowed: '"1000" or "1000,acme=5000,main=100000"',
    description: "Secrets that a tenant may have: a limit for all tenants but main, " +
      "limits of single tenants, or both",
    read: values.quotaOf(values.readCount),
  }),
  quotaFlows: option({
    placeholder: "<limits>",
    otherwise: "no limit",
    allowed: '"1000" or "1000,acme=5000,main=100000"',
    description: "Flows that a tenant may have: a limit for all tenants but main, " +
      "limits of single tenants, or both",
    read: values.quotaOf(values.readCount),
  }),
  quotaExecutions: option({
    placeholder: "<limits>",
    otherwise: "no limit",
    allowed: '"1000" or "1000,acme=5000,main=100000"',
    description: "Stored executions that a tenant may have: a limit for all tenants but main, " +
      "limits of single tenants, or both",
    read: values.quotaOf(values.readCount),
  }),
  config: option({
    placeholder: "<file>",
    otherwise: "no file",
    allowed: "the path of a YAML file",
    description: "YAML file with options as keys, each without its dashes",
    only: "flag, environment",
    read: values.readText,
  }),
  help: option({
    placeholder: "",
    defaultText: "false",
    allowed: '"true" or "false"',
    description: "Prints this text",
    only: "flag",
    read: values.readSwitch,
  }),
  version: option({
    placeholder: "",
    defaultText: "false",
    allowed: '"true" or "false"',
    description: "Prints the version",
    only: "flag",
    read: values.readSwitch,
  }),
} as const;

/** Name of an option in code. */
export type OptionName = keyof typeof OPTIONS;

/** The value that an option reads. */
export type OptionValue<Name extends OptionName> = (typeof OPTIONS)[Name] extends OptionSpec<infer Value>
  ? Value
  : never;

/** All names, in the order of the help. */
export const OPTION_NAMES: readonly OptionName[] = Object.keys(OPTIONS) as OptionName[];

/** Key in the configuration file, and the flag without its dashes: `data-dir`. */
export function optionKey(name: OptionName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Name of the environment variable: `SLUICE_DATA_DIR`. */
export function optionVariable(name: OptionName): string {
  return `SLUICE_${optionKey(name).toUpperCase().replaceAll("-", "_")}`;
}

function option<Value>(spec: OptionSpec<Value>): OptionSpec<Value> {
  return spec;
}
