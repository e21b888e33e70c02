/** What a connection is made of: bytes to a server and back. Knows no limits of time; {@link Connection} sets them. */

/** An open way to a server. */
export interface Transport {
  /** The next bytes; `undefined` once the other side has closed. They are never written over. */
  read(): Promise<Uint8Array | undefined>;
  /** Resolves when there is room for more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Goes on over TLS; only what was opened for it can. */
  startTls?(options: TlsOptions): Promise<void>;
  /** Ends it, and whoever waits for it with `reason`; may be called twice. */
  close(reason?: Error): void;
}

/** What is said over TLS, and to whom. */
export interface TlsOptions {
  readonly serverName: string;
  readonly isInsecure: boolean;
}

/** Where a transport leads. */
export interface TransportAddress {
  /** An IP address. */
  readonly host: string;
  readonly port: number;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "the connection was refused"],
  ["ECONNRESET", "the server closed the connection"],
  ["EPIPE", "the server closed the connection"],
  ["EHOSTUNREACH", "the server cannot be reached"],
  ["ENETUNREACH", "the network cannot be reached"],
  ["ETIMEDOUT", "the server does not answer"],
]);

/** What went wrong with a transport, in words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return REASONS.get(code) ?? error.message;
}
