/** The part of the configuration that the HTTP application uses. */
import type { DurationForm } from "../../base/time/duration.ts";

/** Facts of the server. */
export interface HttpConfig {
  /** Public address, without slash at the end. */
  readonly baseUrl?: string;
  /** Address and port it listens on. */
  readonly host: string;
  readonly port: number;
  readonly isProtected: boolean;
  /** The operator explicitly chose a server without credentials on an address that others reach. */
  readonly noAuthExplicit?: boolean;
  readonly maxUploadBytes: number;
  readonly version: string;
  /** Id of the server; stored with its data. */
  readonly uuid?: string;
  /** How responses write durations where the request does not say; by default in seconds. */
  readonly durations?: DurationForm;
  /** Which executions are removed by themselves. */
  readonly retention?: { readonly maxAgeMs?: number; readonly maxCount?: number };
  readonly dataDir?: string;
  /** Commit of the build, if known. */
  readonly commit?: string;
}
