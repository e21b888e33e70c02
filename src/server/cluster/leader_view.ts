/** What carries requests from a process to the leader, and what it knows of the leader. */

/** Sends a request to the leader. */
export interface Forwarder {
  /** The response of the leader; a refusal where it is not reached. Does not reject. */
  forward(request: Request, connection: { remoteAddress?: string }): Promise<Response>;
}

/** Who leads now, as far as this process knows. */
export interface LeaderView {
  /** The leader; `undefined` while none is known. `url`: where other processes reach it, if they do. */
  leader(): { epoch: number; holder: string; url?: string; version: string } | undefined;
  /** Calls the listener after each change of the leader, until the returned function is called. */
  onChange(listener: () => void): () => void;
}
