/** What all services of a server are built from. */
import type { Cipher } from "../base/cipher.ts";
import type { Clock } from "../base/clock.ts";
import type { IdSource, RandomBytes } from "../base/id.ts";
import type { Logger } from "../base/log.ts";
import type { HttpClientPort } from "../model/ports/http.ts";
import type { TaskCatalog } from "../model/tasks/task_catalog.ts";
import type { Executor } from "../runtime/executor.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { Store } from "../store/store.ts";

/** What services are built from. */
export interface ServicesOptions {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ids: IdSource;
  readonly randomBytes: RandomBytes;
  readonly random: () => number;
  readonly cipher: Cipher;
  readonly changes: Changes;
  readonly tasks: TaskCatalog;
  readonly maxUploadBytes: number;
  readonly timeZone: string;
  readonly envs: ReadonlyMap<string, string>;
  readonly baseUrl?: string;
  readonly secrets: ReadonlyMap<string, string>;
  /** What choices and defaults of inputs ask other servers with. */
  readonly http: HttpClientPort;
  /** Asked for when it is used: it is built from the services. */
  readonly executor: () => Executor;
}
