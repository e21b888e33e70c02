/** What a server is made over, and how it is told to behave. */
import type { Clock } from "../base/clock.ts";
import type { RandomBytes } from "../base/id.ts";
import type { Logger } from "../base/log.ts";
import type { MachineUser } from "../config/mod.ts";
import type { TaskType } from "../model/tasks/task_catalog.ts";
import type { Credentials } from "../services/access/auth.ts";
import type { RetentionRules } from "../services/retention/execution_retention.ts";
import type { Store } from "../store/store.ts";
import type { AddressRules } from "../machine/http_client/address_policy.ts";

/** Everything that an assembly does not make itself. */
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
  readonly maxUploadBytes: number;
  readonly timeZone: string;
  readonly secrets: ReadonlyMap<string, string>;
  readonly envs: ReadonlyMap<string, string>;
  readonly version: string;
  /** Folder of the database; absent where there is no disk. */
  readonly dataDir?: string;
  /** Where scripts run; absent: as processes where only this machine reaches the server and it has one tenant, else nowhere. */
  readonly scripts?: "process" | "docker" | "off";
  /** The user of this machine that scripts run as; absent: the server's own. */
  readonly scriptUser?: MachineUser;
  /** Which addresses requests of flows reach beside, and not. */
  readonly httpAddresses?: AddressRules;
  readonly isDeploy?: boolean;
  /** Which executions are kept; absent: all. */
  readonly retention?: RetentionRules;
  /** Task types beside the built-in ones. */
  readonly extraTasks?: readonly TaskType[];
}
