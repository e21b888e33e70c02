/** The open connections of a server: how many there may be, in all and per address, and how long they may be idle. */
import { networkOf } from "../../base/network/ip.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { IdleList } from "./idle_list.ts";
import type { AcceptedConnection } from "./serve_connection.ts";

/** Limits of the connections of a server. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Of one IPv4 address, or of one IPv6 network of 64 bits. */
  readonly maxConnectionsPerAddress: number;
  /** Longest time without a request under way, after the first one. */
  readonly idleMs: number;
}

interface ConnectionsOptions extends ConnectionOptions {
  readonly limits: ConnectionLimits;
  /** Whether many clients share the address; it has no limit of its own. */
  readonly isTrustedProxy: (address: string) => boolean;
}

/** Time from the connection to the end of the head of its first request. */
const MAX_HEAD_SECONDS = 30;
/** A response that was just handed to the system may not have left yet. */
const MIN_IDLE_SECONDS = 2;

/** The open connections. Its time is a count of seconds, so that requests need no clock. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Connection>();
  readonly #perAddress = new Map<string, number>();
  /** Without a first request. */
  readonly #fresh = new IdleList<Connection>();
  /** Between two requests. */
  readonly #idle = new IdleList<Connection>();
  #seconds = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Number of open connections. */
  get count(): number {
    return this.#open.size;
  }

  /**
   * Serves an accepted connection. Where a limit is reached, it takes the place of the connection that has been idle
   * longest. False if no connection is idle: then the caller must close it.
   */
  admit(accepted: AcceptedConnection): boolean {
    const { hostname } = accepted.remoteAddr as Deno.NetAddr;
    const key = networkOf(hostname);
    if (!this.#hasRoom(key, hostname)) return false;
    const connection = new Connection(accepted, key, this.#options, this);
    this.#open.add(connection);
    this.#perAddress.set(key, (this.#perAddress.get(key) ?? 0) + 1);
    connection.idleSince = this.#seconds;
    this.#fresh.add(connection);
    return true;
  }

  /** Closes the connection that has been idle longest: first one that never sent a request. False without one. */
  displace(network?: string): boolean {
    const connection = find(this.#fresh, network) ?? find(this.#idle, network);
    if (!connection || (connection.list === this.#idle && this.#idleSeconds(connection) < MIN_IDLE_SECONDS)) {
      return false;
    }
    this.#close(connection);
    return true;
  }

  /** Called each second: closes connections whose time is over. */
  sweep(): void {
    this.#seconds++;
    this.#closeIdle(this.#fresh, MAX_HEAD_SECONDS);
    this.#closeIdle(this.#idle, this.#options.limits.idleMs / 1_000);
  }

  /** Lets requests under way end; settles when all connections are closed. */
  async drain(): Promise<void> {
    await Promise.all([...this.#open].map((connection) => connection.drain()));
  }

  /** @inheritdoc */
  onBusy(connection: Connection): void {
    connection.list?.remove(connection);
  }

  /** @inheritdoc */
  onIdle(connection: Connection): void {
    if (!this.#open.has(connection)) return;
    connection.idleSince = this.#seconds;
    this.#idle.add(connection);
  }

  /** @inheritdoc */
  onClosed(connection: Connection): void {
    if (!this.#open.delete(connection)) return;
    connection.list?.remove(connection);
    const count = (this.#perAddress.get(connection.network) ?? 0) - 1;
    if (count > 0) this.#perAddress.set(connection.network, count);
    else this.#perAddress.delete(connection.network);
  }

  #hasRoom(key: string, hostname: string): boolean {
    const { limits, isTrustedProxy } = this.#options;
    const isAddressFull = (this.#perAddress.get(key) ?? 0) >= limits.maxConnectionsPerAddress;
    if (isAddressFull && !isTrustedProxy(hostname)) return this.displace(key);
    return this.#open.size < limits.maxConnections || this.displace();
  }

  #closeIdle(list: IdleList<Connection>, maxSeconds: number): void {
    for (let first = list.first; first && this.#idleSeconds(first) > maxSeconds; first = list.first) {
      this.#close(first);
    }
  }

  /** It no longer counts, although its descriptor is closed some turns later. */
  #close(connection: Connection): void {
    this.onClosed(connection);
    connection.close();
  }

  #idleSeconds(connection: Connection): number {
    return this.#seconds - connection.idleSince;
  }
}

/** The first entry, or the first of an address. */
function find(list: IdleList<Connection>, network?: string): Connection | undefined {
  let entry = list.first;
  while (entry && network !== undefined && entry.network !== network) entry = entry.next;
  return entry;
}
