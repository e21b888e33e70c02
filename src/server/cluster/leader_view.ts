/** What a process knows of the leader of its database, and how it passes requests on to it. */

/** Passes requests on to the leader. */
export interface Forwarder {
  /** The response of the leader; or a refusal if there is no leader or its response does not arrive. Never rejects. */
  forward(request: Request, connection: { remoteAddress?: string }): Promise<Response>;
}

/** The leader as this process sees it. */
export interface LeaderView {
  /**
   * The current leader; `undefined` while no lease is valid. `epoch` rises with each take-over, `holder` is the id of the
   * process, `url` its address if other processes can reach it, `version` that of the program.
   */
  leader(): { epoch: number; holder: string; url?: string; version: string } | undefined;
  /** Calls the listener after {@link leader} has changed; the result removes the listener. */
  onChange(listener: () => void): () => void;
}
