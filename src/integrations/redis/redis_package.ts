/** The part of the package `ioredis` that is used here. */
import type { Buffer } from "node:buffer";
import { ReplyGuard } from "./reply_guard.ts";

/** A value of the protocol. */
export type Reply = string | number | null | readonly Reply[];

/** A client. */
export interface RedisClient {
  /** Opens the connection. */
  connect(): Promise<void>;
  /** Runs a command. */
  call(command: string, ...args: readonly (string | number)[]): Promise<Reply>;
  /** Closes the connection. */
  disconnect(): void;
  /** Calls back when the connection fails. */
  on(event: "error", listener: (error: Error) => void): void;
  /** Calls back when the connection has ended. */
  on(event: "end", listener: () => void): void;
  readonly status: string;
}

/** Options of a client. */
export interface RedisOptions {
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly db: number;
  readonly tls: { readonly servername?: string } | undefined;
  readonly lazyConnect: true;
  readonly retryStrategy: () => null;
  readonly maxRetriesPerRequest: 0;
  readonly enableReadyCheck: false;
  readonly enableOfflineQueue: false;
  readonly connectTimeout: number;
  readonly disableClientInfo: true;
  readonly disconnectTimeout: number;
}

interface Decoder {
  /** What it has found so far; none after a failure. */
  guard?: ReplyGuard | null;
  write(chunk: Buffer): void;
}

interface DataHandler {
  readonly redis: {
    recoverFromFatalError(commandError: Error, error: Error, options: { readonly offlineQueue: false }): void;
  };
  dispatch(deliver: () => void): void;
  returnFatalError(error: Error): void;
}

let isGuarded = false;

/** A client that is not connected yet. */
export async function newRedisClient(options: RedisOptions): Promise<RedisClient> {
  const [{ Redis }, { default: decoders }, { default: handlers }] = await Promise.all([
    import("ioredis") as unknown as Promise<{ Redis: new (options: RedisOptions) => RedisClient }>,
    import("ioredis/built/resp/decoder.js") as unknown as Promise<
      { default: { Decoder: { prototype: Decoder } } }
    >,
    import("ioredis/built/DataHandler.js") as unknown as Promise<
      { default: { default: { prototype: DataHandler } } }
    >,
  ]);
  if (!isGuarded) {
    isGuarded = true;
    guardDecoder(decoders.Decoder.prototype);
    guardHandler(handlers.default.prototype);
  }
  return new Redis(options);
}

/** Version 6.0.0 makes an array as long as the server announces, before it has received an element. */
function guardDecoder(prototype: Decoder): void {
  const { write } = prototype;
  prototype.write = function (this: Decoder, chunk: Buffer): void {
    if (this.guard === null) return;
    const guard = this.guard ?? new ReplyGuard();
    this.guard = null;
    guard.check(chunk);
    write.call(this, chunk);
    this.guard = guard;
  };
}

/** Version 6.0.0 throws errors of its own, such as those of a push without a channel, where they end the process. */
function guardHandler(prototype: DataHandler): void {
  prototype.returnFatalError = function (this: DataHandler, error: Error): void {
    this.redis.recoverFromFatalError(error, error, { offlineQueue: false });
  };
  prototype.dispatch = function (this: DataHandler, deliver: () => void): void {
    try {
      deliver();
    } catch (error) {
      this.returnFatalError(error as Error);
    }
  };
}
