/** Where triggers may listen for connections and datagrams of others. */

/** Decides on addresses of this machine. */
export interface ListenPort {
  /** The IP address for a host that a flow of the tenant names. @throws Error the operator does not allow it */
  addressFor(tenant: string, host: string): string;
}
