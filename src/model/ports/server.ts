/** The server that a task runs in, as far as scripts may know it. */

/** Facts of the server. */
export interface ServerPort {
  /** Address at which a script of this machine reaches the API, without a slash at its end; absent if it has no such address. */
  readonly url?: string;
  /** Whether no program may be fetched for scripts. */
  readonly isOffline: boolean;
}
