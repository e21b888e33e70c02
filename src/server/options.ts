/** What a server is made over, and what its services are built from. */
import type { Cipher } from "../base/cipher.ts";
import type { Clock } from "../base/clock.ts";
import type { IdSource, RandomBytes } from "../base/id.ts";
import type { Logger } from "../base/log.ts";
import type { MachineUser, ScriptLimits } from "../config/mod.ts";
import type { AddressRules } from "../machine/http_client/address_policy.ts";
import type { QuotaOptions } from "../model/access/quota.ts";
import type { HttpClientPort } from "../model/ports/http.ts";
import type { TaskCatalog, TaskType } from "../model/tasks/task_catalog.ts";
import type { SlowRenders } from "../rendering/host_functions/mod.ts";
import type { Executor } from "../runtime/executor.ts";
import type { Credentials } from "../services/access/auth.ts";
import type { FlowHeads } from "../services/flows/flow_heads.ts";
import type { RetentionRules } from "../services/retention/execution_retention.ts";
import type { Blobs } from "../store/blobs/blobs.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { ExecutionRecords } from "../store/records/execution_records.ts";
import type { Store } from "../store/store.ts";

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
  readonly host: string;
  readonly port: number;
  readonly baseUrl?: string;
  readonly credentials?: Credentials;
  readonly noAuthExplicit?: boolean;
  /** Proxies that say which address called; absent: none. */
  readonly trustedProxies?: readonly string[];
  readonly maxUploadBytes: number;
  readonly timeZone: string;
  /** Longest evaluation of the expressions of one task, trigger or input, in milliseconds. */
  readonly maxRenderMs?: number;
  /** Evaluates what takes long in another thread; absent: the thread of the server evaluates everything. */
  readonly slowRenders?: SlowRenders;
  readonly secrets: ReadonlyMap<string, string>;
  /** Tenants beside `main` that read `secrets`; absent: none. */
  readonly secretTenants?: readonly string[];
  readonly envs: ReadonlyMap<string, string>;
  readonly version: string;
  /** Folder of the database; absent where there is no disk. */
  readonly dataDir?: string;
  /** Where scripts run. Absent: as processes if only this machine reaches the server and it has one tenant, else nowhere. */
  readonly scripts?: "process" | "docker" | "off";
  /** The user of this machine that scripts run as; absent: the user of the server. */
  readonly scriptUser?: MachineUser;
  /** Upper bounds of each script; absent: none. */
  readonly scriptLimits?: ScriptLimits;
  /** Addresses that requests of flows may or may not reach, in addition to the defaults. */
  readonly httpAddresses?: AddressRules;
  readonly isDeploy?: boolean;
  /** Which executions are kept; absent: all. */
  readonly retention?: RetentionRules;
  /** What tenants may store; absent: no limits. */
  readonly quotaLimits?: QuotaOptions;
  /** Task types in addition to the built-in ones. */
  readonly extraTasks?: readonly TaskType[];
}

type ServerOption =
  | "store"
  | "clock"
  | "logger"
  | "randomBytes"
  | "random"
  | "maxUploadBytes"
  | "timeZone"
  | "maxRenderMs"
  | "slowRenders"
  | "envs"
  | "baseUrl"
  | "secrets"
  | "secretTenants"
  | "quotaLimits";

/** What services are built from: options of the server, and what is built before the services. */
export interface ServicesDeps extends Pick<AssemblyOptions, ServerOption> {
  readonly committer: Committer;
  readonly ids: IdSource;
  readonly cipher: Cipher;
  readonly changes: Changes;
  readonly tasks: TaskCatalog;
  /** Sends the requests of choices and defaults of inputs. */
  readonly http: HttpClientPort;
  readonly blobs: Blobs;
  readonly flowHeads: FlowHeads;
  readonly records: ExecutionRecords;
  /** Connected once the services exist. */
  readonly executor: Executor;
}
