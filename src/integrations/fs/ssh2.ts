/** The part of the package `ssh2` that is used here. Its own types would replace those of the platform. */
import type { Duplex } from "node:stream";
import ssh2 from "ssh2";

/** Calls back once, with an error or a value. */
export type Done<T> = (error: SshError | undefined | null, value: T) => void;

/** An error of the package or of the server. */
interface SshError extends Error {
  /** Status of a response of SFTP. */
  readonly code?: number;
}

/** Attributes of a file. */
export interface FileAttributes {
  /** Type and permissions, as in POSIX. */
  readonly mode: number;
  /** Bytes. Servers may leave them out. */
  readonly size?: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

/** A channel of SFTP. */
export interface SftpChannel {
  readonly opendir: (path: string, done: Done<Uint8Array>) => void;
  /** Some further entries of an open folder; at the end an error. */
  readonly readdir: (
    folder: Uint8Array,
    done: Done<{ readonly filename: string; readonly attrs: FileAttributes }[]>,
  ) => void;
  readonly close: (handle: Uint8Array, done: Done<void>) => void;
  readonly stat: (path: string, done: Done<FileAttributes>) => void;
  readonly fastGet: (
    path: string,
    localPath: string,
    options: { readonly fileSize: number },
    done: Done<void>,
  ) => void;
  readonly fastPut: (localPath: string, path: string, done: Done<void>) => void;
  readonly mkdir: (path: string, done: Done<void>) => void;
  readonly unlink: (path: string, done: Done<void>) => void;
  readonly rename: (from: string, to: string, done: Done<void>) => void;
}

/** A channel of a command. */
export interface CommandChannel extends AsyncIterable<Uint8Array> {
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Calls the listener at each event. */
  readonly on:
    & ((event: "exit" | "close", listener: (code: number | null, signal?: string) => void) => void)
    & ((event: "error", listener: (error: Error) => void) => void);
  /** Adds to the input of the command. */
  readonly write: (bytes: Uint8Array) => void;
  /** Ends the input of the command, after these bytes. */
  readonly end: (bytes?: Uint8Array) => void;
  /** Asks for a signal to the command, by its name without `SIG`. Servers may ignore it. */
  readonly signal: (name: string) => void;
}

/** Options of a connection. */
export interface SshOptions {
  readonly host?: string;
  readonly port?: number;
  /** Instead of `host` and `port`: an open connection. */
  readonly sock?: Duplex;
  readonly username: string;
  readonly password?: string;
  readonly privateKey?: string;
  readonly passphrase?: string;
  readonly readyTimeout: number;
  readonly keepaliveInterval: number;
  readonly hostHash?: "sha256";
  /** Gets the hash of the key of the server, hexadecimal. */
  readonly hostVerifier?: (hash: string) => boolean;
}

/** A connection. */
export interface SshConnection {
  readonly on: (event: "error" | "close", listener: (error: Error) => void) => void;
  readonly once: (event: "ready", listener: () => void) => void;
  readonly connect: (options: SshOptions) => void;
  readonly exec: (command: string, done: Done<CommandChannel>) => void;
  readonly sftp: (done: Done<SftpChannel>) => void;
  readonly destroy: () => void;
}

/** A private key. */
interface SshKey {
  /** As servers name it: `ecdsa-sha2-nistp256`, … */
  readonly type: string;
  readonly getPrivatePEM: () => string;
  /** In the form of servers. */
  readonly getPublicSSH: () => Uint8Array;
}

interface SshPackage {
  readonly Client: new () => SshConnection;
  readonly utils: { readonly parseKey: (key: string, passphrase?: string) => SshKey | Error };
}

const { Client, utils } = ssh2 as unknown as SshPackage;

/** A connection that is not open yet. */
export function newSshConnection(): SshConnection {
  return new Client();
}

/** The key, or the error that says why the text cannot be parsed. */
export function parseSshKey(privateKey: string, passphrase?: string): SshKey | Error {
  return utils.parseKey(privateKey, passphrase);
}
