/** What the HTTP application of a server is built from. */
import type { IdSource } from "../base/id.ts";
import type { EventStreams } from "../http/streams/sse.ts";
import type { Auth } from "../services/access/auth.ts";
import type { Committer } from "../store/committer.ts";
import type { AssemblyOptions } from "./options.ts";
import type { Services } from "./services.ts";

/** Parts of the server that routes reach. */
export interface HttpAssemblyOptions {
  readonly ids: IdSource;
  readonly options: AssemblyOptions;
  readonly auth: Auth;
  readonly services: Services;
  readonly eventStreams: EventStreams;
  readonly isReady: () => boolean;
  readonly committer: Committer;
  /** Executions that the process works on now. */
  readonly liveCount: () => number;
}
