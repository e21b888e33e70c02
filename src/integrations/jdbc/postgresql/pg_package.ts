/** The part of the package `pg` that is used here; it has no types of its own. */
import type { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";

/** What a server reports about an error. */
export interface PgError extends Error {
  readonly code?: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly position?: string;
}

/** The connection of a client. */
export interface PgConnection {
  readonly stream: Socket;
  /** Calls back before the rows of a result. */
  on(
    event: "rowDescription",
    listener: (
      message: { readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[] },
    ) => void,
  ): void;
  /** Calls back when the stream has become one of TLS. */
  on(event: "sslconnect", listener: () => void): void;
  /** Sends a part of the content of COPY. */
  sendCopyFromChunk(bytes: Uint8Array): void;
  /** Ends the content of COPY. */
  endCopyFrom(): void;
  /** Gives COPY up. */
  sendCopyFail(message: string): void;
}

interface PgResult {
  readonly command: string | null;
  readonly rowCount: number | null;
}

/** TLS of a connection. */
export interface PgTls extends SecureContextOptions {
  readonly rejectUnauthorized: boolean;
  readonly servername?: string;
  readonly checkServerIdentity?: () => undefined;
}

interface PgClientOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly ssl: PgTls | false;
  readonly application_name: string;
  readonly connectionTimeoutMillis: number;
  readonly options: string;
}

/** A connection that runs one query at a time. */
export interface PgClient {
  readonly connection: PgConnection;
  /** For requests of cancellation; `null` before the log-in. */
  readonly processID: number | null;
  readonly secretKey: number | null;
  /** Connects and logs in. */
  connect(): Promise<void>;
  /** Sends a query after those before it. */
  query(query: PgQuery): void;
  /** Ends the session. */
  end(): Promise<void>;
  /** Calls back when the connection breaks. */
  on(event: "error", listener: (error: Error) => void): void;
  /** Calls back for messages such as those of RAISE. */
  on(
    event: "notice",
    listener: (notice: { readonly message?: string; readonly severity?: string }) => void,
  ): void;
}

/** A query with its callback. */
interface PgQuery {
  handleCopyInResponse(connection: PgConnection): void;
}

interface Pg {
  readonly Client: new (options: PgClientOptions) => PgClient;
  readonly Query: new (
    config: { readonly text: string; readonly values?: readonly unknown[] },
    callback: (error: PgError | null, result: PgResult | undefined) => void,
  ) => PgQuery;
}

/** The listener by which the package reads the stream. */
export type ReadStream = (bytes: Buffer) => void;

/** Loads the package. */
export async function loadPg(): Promise<Pg> {
  return (await import("pg")).default as unknown as Pg;
}
