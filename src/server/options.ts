/** What a server is made over, and what its services are built from. */
import type { Cipher } from "../base/crypto/cipher.ts";
import type { DerivePasswordKey, KeyWork } from "../base/crypto/password_key.ts";
import type { Clock } from "../base/time/clock.ts";
import type { DurationForm } from "../base/time/duration.ts";
import type { IdSource, RandomBytes } from "../base/id.ts";
import type { JsonObject } from "../base/json.ts";
import type { Logger } from "../base/log.ts";
import type { MachineUser, ScriptLimits } from "../config/mod.ts";
import type { AddressRules } from "../machine/http_client/address_policy.ts";
import type { Deadline } from "../machine/scripts/watchdog.ts";
import type { AuditScope } from "../model/audit.ts";
import type { QuotaOptions } from "../model/access/quota.ts";
import type { PluginDefault } from "../model/flows/inherited_defaults.ts";
import type { BackupPort } from "../model/ports/backups.ts";
import type { ContainerPermission, ContainerRuntimeName } from "../model/ports/containers.ts";
import type { HttpClientPort } from "../model/ports/http.ts";
import type { ClusterMetrics, ClusterState } from "../model/cluster.ts";
import type { DatabaseKind } from "../model/server_health.ts";
import type { ScriptPlaces } from "../model/ports/processes.ts";
import type { TaskCatalog, TaskType } from "../model/tasks/task_catalog.ts";
import type { TriggerType } from "../model/triggers/trigger_catalog.ts";
import type { SlowRenders } from "../rendering/host_functions/mod.ts";
import type { Executor } from "../runtime/executor.ts";
import type { Credentials } from "../model/access/user.ts";
import type { BackupSchedule } from "../services/backups/backups.ts";
import type { FlowHeads } from "../services/flows/flow_heads.ts";
import type { TypePrefix } from "../services/plugins/plugins.ts";
import type { RetentionRules } from "../services/retention/execution_retention.ts";
import type { Blobs } from "../store/blobs/blobs.ts";
import type { ByteFiles } from "../store/catalog/blocks/column_file.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { ExecutionRecords } from "../store/records/executions/execution_records.ts";
import type { Store } from "../store/store.ts";
import type { ChainLease } from "../store/writer_chain.ts";
import type { Bundle } from "../ui/bundle.ts";

/** Options of a server: the platform, the store and the configuration. */
export interface AssemblyOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomBytes: RandomBytes;
  /** In [0, 1), for expressions; of cryptographic quality, since nonces come from it. */
  readonly random: () => number;
  /** 32 bytes. */
  readonly encryptionKey: Uint8Array<ArrayBuffer>;
  /** The built UI; absent: a page that says so. */
  readonly bundle?: Bundle;
  readonly host: string;
  readonly port: number;
  readonly baseUrl?: string;
  readonly credentials?: Credentials;
  /** Without `credentials`: the server is protected, and its first user is set over the API and stored. */
  readonly isUserStored?: boolean;
  readonly noAuthExplicit?: boolean;
  /** Work of the hashes of passwords; by default as OWASP recommends. */
  readonly hashWork?: KeyWork;
  /** Derives keys of passwords with a low priority, while many log in; absent: as those of a single log-in. */
  readonly deriveInBackground?: DerivePasswordKey;
  /** Proxies that say which address called; absent: none. */
  readonly trustedProxies?: readonly string[];
  readonly maxUploadBytes: number;
  /** Revisions of a namespace file that are kept; by default 20. */
  readonly fileRevisions?: number;
  /** How responses write durations where the request does not say; by default in seconds. */
  readonly durations?: DurationForm;
  /** Names of types in lists of plugins and in schemas; by default all. */
  readonly typePrefix?: TypePrefix;
  readonly timeZone: string;
  /** Longest evaluation of the expressions of one task, trigger or input, in milliseconds. */
  readonly maxRenderMs?: number;
  /** Evaluates what takes long in another thread; absent: the thread of the server evaluates everything. */
  readonly slowRenders?: SlowRenders;
  readonly secrets: ReadonlyMap<string, string>;
  /** Tenants beside `main` that read `secrets`; absent: none. */
  readonly secretTenants?: readonly string[];
  readonly envs: ReadonlyMap<string, string>;
  /** Values that all flows read as `globals`; absent: none. */
  readonly globals?: JsonObject;
  /** Name of this installation, which flows read as `kestra.environment`. */
  readonly environment?: string;
  readonly version: string;
  /** Folder of the database; absent where it is no file. */
  readonly dataDir?: string;
  /** Holds what is derived from the catalog; absent: the database is no file. */
  readonly catalogFiles?: ByteFiles;
  /** Absent: a file. */
  readonly database?: DatabaseKind;
  /** Where scripts run. Absent: as processes if only this machine reaches the server and it has one tenant, else nowhere. */
  readonly scripts?: "process" | "container" | "off";
  /** What runs containers; absent: nothing does. */
  readonly containerRuntime?: "auto" | ContainerRuntimeName | "none";
  /** What flows may do with containers; absent: nothing beyond running in them. */
  readonly containerAllow?: readonly ContainerPermission[];
  /** The user of this machine that scripts run as; absent: the user of the server. */
  readonly scriptUser?: MachineUser;
  /** Upper bounds of each script; absent: none. */
  readonly scriptLimits?: ScriptLimits;
  /** Whether no program is fetched for scripts. */
  readonly isOffline?: boolean;
  /** Folders whose files flows may use, and files of the server that they may not; absent: none. */
  readonly localFiles?: { readonly folders: readonly string[]; readonly ownPaths: readonly string[] };
  /** Addresses at which triggers may listen beside loopback; absent: none. */
  readonly listenTriggers?: readonly string[];
  /** Addresses that requests of flows may or may not reach, in addition to the defaults. */
  readonly httpAddresses?: AddressRules;
  readonly isDeploy?: boolean;
  /** Which executions are kept; absent: all. */
  readonly retention?: RetentionRules;
  /** What the audit log records; absent: changes without starts. */
  readonly audit?: AuditScope;
  /** How long records of the audit log are kept; by default 90 days. */
  readonly auditAgeMs?: number;
  /** Makes backups; absent: the database is no file. */
  readonly backups?: BackupPort;
  /** Backups that are made by themselves; absent: none. */
  readonly backupSchedule?: BackupSchedule;
  /** What tenants may store; absent: no limits. */
  readonly quotaLimits?: QuotaOptions;
  /** Plugin defaults that every flow inherits; absent: none. */
  readonly pluginDefaults?: readonly PluginDefault[];
  /** Task types in addition to the built-in ones. */
  readonly extraTasks?: readonly TaskType[];
  /** Trigger types in addition to the built-in ones. */
  readonly extraTriggers?: readonly TriggerType[];
  /** Names of plugin files that could not be used; absent: none. */
  readonly failedPlugins?: readonly string[];
  /** Where several processes use the database: the lease of the term. */
  readonly lease?: ChainLease;
  /** False once another process may lead: no effect begins, and no commit follows. Absent: there is no other process. */
  readonly mayAct?: () => boolean;
  /** When the scripts of this machine end although this process may be frozen; absent: never. */
  readonly deadline?: Deadline;
  /** The processes that use the database; absent: this one alone. */
  readonly cluster?: ClusterPort;
}

/** What a term tells of its cluster. */
interface ClusterPort {
  /** @throws DomainError unavailable: the database cannot be read */
  state(): Promise<ClusterState>;
  metrics(): ClusterMetrics;
  /** What an operator should change although the cluster works. */
  warning(): string | undefined;
}

type ServerOption =
  | "store"
  | "catalogFiles"
  | "clock"
  | "logger"
  | "randomBytes"
  | "random"
  | "maxUploadBytes"
  | "fileRevisions"
  | "timeZone"
  | "maxRenderMs"
  | "slowRenders"
  | "envs"
  | "globals"
  | "environment"
  | "baseUrl"
  | "secrets"
  | "secretTenants"
  | "auditAgeMs"
  | "backups"
  | "backupSchedule"
  | "version"
  | "quotaLimits"
  | "pluginDefaults"
  | "credentials"
  | "isUserStored"
  | "hashWork"
  | "extraTriggers";

/** What services are built from: options of the server, and what is built before the services. */
export interface ServicesDeps extends Pick<AssemblyOptions, ServerOption> {
  readonly committer: Committer;
  readonly ids: IdSource;
  readonly cipher: Cipher;
  readonly changes: Changes;
  readonly tasks: TaskCatalog;
  /** Where scripts may run. */
  readonly scriptPlaces: ScriptPlaces;
  /** Sends the requests of choices and defaults of inputs. */
  readonly http: HttpClientPort;
  readonly blobs: Blobs;
  readonly flowHeads: FlowHeads;
  readonly records: ExecutionRecords;
  /** Connected once the services exist. */
  readonly executor: Executor;
}
