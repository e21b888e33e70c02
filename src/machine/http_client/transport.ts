/** A byte stream to a server and back, without timeouts; {@link Connection} sets them. */
import type { TlsIdentity } from "../../model/ports/http.ts";

/** An open byte stream. */
export interface Transport {
  /** The next bytes, never overwritten later; `undefined` once the other side has closed. */
  read(): Promise<Uint8Array | undefined>;
  /** Resolves when the bytes may be overwritten. */
  write(bytes: Uint8Array): Promise<void>;
  /** Starts TLS; only on transports opened for it. */
  startTls?(options: TlsOptions): Promise<void>;
  /** Closes it; pending calls fail with `reason`. May be called twice. */
  close(reason?: Error): void;
}

/** Options of TLS. */
export interface TlsOptions extends TlsIdentity {
  readonly serverName: string;
  readonly isInsecure: boolean;
}

/** The address of a server. */
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
  ["ETIMEDOUT", "the server does not respond"],
]);

/** The error of a transport, in words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return REASONS.get(code) ?? error.message;
}
