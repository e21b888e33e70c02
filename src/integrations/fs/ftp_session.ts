/** Files of a server of FTP. Loaded by the first task that uses it. */
import { closeSync, openSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import { Client, type FileInfo, FTPError } from "basic-ftp";
import { tooLargeFile } from "../../model/ports/storage.ts";
import { optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import { type Protocol, serverName } from "./connection.ts";
import { folderOf, nameOf, pathIn, type RemoteFile, type RemoteFiles } from "./remote_files.ts";

const TIMEOUT_MS = 30_000;
/** More than a socket reads at once. */
const NEVER_FULL_BYTES = 16 * 1024 * 1024;
/** Responses to a listing of what does not exist. */
const NOT_FOUND: ReadonlySet<number> = new Set([450, 550]);

/** Works with the files of the server of the properties. */
export async function withSession<T>(
  protocol: Protocol,
  context: WorkContext,
  work: (files: RemoteFiles) => Promise<T>,
): Promise<T> {
  const { signal } = context;
  // Without options the package refuses data connections to another address, which the policy has not checked.
  const client = new Client(TIMEOUT_MS);
  const abort = () => client.close();
  signal.addEventListener("abort", abort);
  try {
    await connect(client, protocol, context);
    signal.throwIfAborted();
    return await work(new FtpFiles(client));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new Error(`Cannot use "${serverName(protocol, context)}": ${(error as Error).message}`);
  } finally {
    signal.removeEventListener("abort", abort);
    client.close();
  }
}

async function connect(client: Client, protocol: Protocol, context: WorkContext): Promise<void> {
  const { host, port, username, password, mode, insecureTrustAllCertificates } = context.properties;
  const address = await context.connectAddress(String(host), Number(port));
  await client.access({
    host: address.hostname,
    port: address.port,
    user: optionalText(username),
    password: optionalText(password),
    secure: protocol === "ftp" ? false : mode === "IMPLICIT" ? "implicit" : true,
    secureOptions: {
      host: String(host),
      servername: String(host),
      rejectUnauthorized: insecureTrustAllCertificates !== true,
    },
  });
}

class FtpFiles implements RemoteFiles {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async list(folder: string): Promise<RemoteFile[]> {
    return (await this.#client.list(folder)).map((info) => remoteFile(pathIn(folder, info.name), info));
  }

  /** The listing of the parent is the only command that all servers know. */
  async find(path: string): Promise<RemoteFile | undefined> {
    const name = nameOf(path);
    const root = { path, name, isFolder: true, isFile: false, size: 0 };
    if (name === "" || name === ".") return root;
    try {
      return (await this.list(folderOf(path.replace(/(?<!\/)\/+$/, "")))).find((entry) =>
        entry.name === name
      );
    } catch (error) {
      if (error instanceof FTPError && NOT_FOUND.has(error.code)) return undefined;
      throw error;
    }
  }

  async dateOf(path: string): Promise<string> {
    return (await this.#client.lastMod(withoutLineBreaks(path))).toISOString();
  }

  async download(path: string, localPath: string, maxBytes: number): Promise<void> {
    using file = new LimitedFile(localPath, maxBytes);
    await this.#client.downloadTo(file.stream, path);
  }

  async upload(localPath: string, path: string): Promise<void> {
    await this.#client.uploadFrom(localPath, path);
  }

  async makeFolder(path: string): Promise<void> {
    if (path === "" || path === "/" || await this.find(path)) return;
    await this.makeFolder(folderOf(path.replace(/(?<!\/)\/+$/, "")).replace(/(.)\/$/, "$1"));
    await this.#client.send(`MKD ${withoutLineBreaks(path)}`);
  }

  async delete(path: string): Promise<void> {
    await this.#client.remove(path);
  }

  async move(from: string, to: string): Promise<void> {
    await this.#client.rename(from, to);
  }
}

/**
 * A file of limited size; the package closes the connection when its stream fails. It takes bytes as they come: a TLS socket of
 * Deno 2.9.6 that was paused does not tell when the server has closed it, and the download would not end.
 */
class LimitedFile implements Disposable {
  readonly stream: Writable;
  readonly #file: number;

  constructor(path: string, maxBytes: number) {
    this.#file = openSync(path, "w");
    let size = 0;
    this.stream = new Writable({
      highWaterMark: NEVER_FULL_BYTES,
      write: (bytes: Uint8Array, _encoding, done) => {
        size += bytes.length;
        if (size > maxBytes) return done(tooLargeFile(maxBytes));
        try {
          for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at, bytes.length - at);
          done();
        } catch (error) {
          done(error as Error);
        }
      },
    });
  }

  [Symbol.dispose](): void {
    this.stream.destroy();
    closeSync(this.#file);
  }
}

/** A line break would begin another command. */
function withoutLineBreaks(path: string): string {
  if (!/[\r\n]/.test(path)) return path;
  throw new Error(`Invalid path ${JSON.stringify(path)}`);
}

function remoteFile(path: string, { name, isDirectory, isFile, size, modifiedAt }: FileInfo): RemoteFile {
  return {
    path,
    name,
    isFolder: isDirectory,
    isFile,
    size,
    ...modifiedAt !== undefined && { updatedAt: modifiedAt.toISOString() },
  };
}
