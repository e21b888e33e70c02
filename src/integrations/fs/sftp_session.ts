/** Files of a server of SFTP. Loaded by the first task that uses it. */
import { writeFile } from "node:fs/promises";
import { tooLargeFile } from "../../model/ports/storage.ts";
import { optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import type { Protocol } from "./connection.ts";
import { folderOf, nameOf, pathIn, type RemoteFile, type RemoteFiles } from "./remote_files.ts";
import type { Done, FileAttributes, SftpChannel, SshConnection } from "./ssh2.ts";
import { withSshClient } from "./ssh_client.ts";

/** Statuses of the protocol: the end of a list, and no such file. */
const END_OF_LIST = 1;
const NO_SUCH_FILE = 2;
/** Characters of the names in a folder, and what an entry counts beside its name. */
const MAX_LISTING_CHARS = 32 * 1024 * 1024;
const ENTRY_CHARS = 100;
const TYPE_MASK = 0o170000;
const FOLDER_TYPE = 0o040000;
const FILE_TYPE = 0o100000;

/** Works with the files of the server of the properties. */
export async function withSession<T>(
  protocol: Protocol,
  context: WorkContext,
  work: (files: RemoteFiles) => Promise<T>,
): Promise<T> {
  const { username, password, keyfile, passphrase } = context.properties;
  const user = {
    username: optionalText(username),
    password: optionalText(password),
    privateKey: optionalText(keyfile),
    passphrase: optionalText(passphrase),
  };
  return await withSshClient(protocol, context, {
    user,
    work: async (client) => await work(new SftpFiles(await openSftp(client))),
  });
}

function openSftp(client: SshConnection): Promise<SftpChannel> {
  return new Promise((resolve, reject) =>
    client.sftp((error, sftp) => error ? reject(error) : resolve(sftp))
  );
}

type Entry = { readonly filename: string; readonly attrs: FileAttributes };

class SftpFiles implements RemoteFiles {
  readonly #sftp: SftpChannel;

  constructor(sftp: SftpChannel) {
    this.#sftp = sftp;
  }

  /** The package would read any number of entries. */
  async list(folder: string): Promise<RemoteFile[]> {
    const found: RemoteFile[] = [];
    const handle = await this.#call<Uint8Array>(folder, (done) => this.#sftp.opendir(folder || ".", done));
    for (let chars = 0;;) {
      const entries = await this.#entries(folder, handle);
      if (!entries) break;
      for (const { filename, attrs } of entries) {
        chars += filename.length + ENTRY_CHARS;
        found.push(remoteFile(pathIn(folder, filename), attrs));
      }
      if (chars > MAX_LISTING_CHARS) {
        throw new Error(
          `"${folder}" has too many entries: their names have more than ${MAX_LISTING_CHARS} characters`,
        );
      }
    }
    await this.#call<void>(folder, (done) => this.#sftp.close(handle, done));
    return found;
  }

  /** Some entries; `undefined` at the end. */
  async #entries(folder: string, handle: Uint8Array): Promise<Entry[] | undefined> {
    try {
      return await this.#call<Entry[]>(folder, (done) => this.#sftp.readdir(handle, done));
    } catch (error) {
      if ((error as Error).cause === END_OF_LIST) return undefined;
      throw error;
    }
  }

  async find(path: string): Promise<RemoteFile | undefined> {
    try {
      return remoteFile(
        path,
        await this.#call<FileAttributes>(path, (done) => this.#sftp.stat(path || ".", done)),
      );
    } catch (error) {
      if ((error as Error).cause === NO_SUCH_FILE) return undefined;
      throw error;
    }
  }

  async dateOf(path: string): Promise<string> {
    return (await this.find(path))?.updatedAt ?? "";
  }

  /** The size is asked for once: the package would read as many bytes as the server names then. */
  async download(path: string, localPath: string, maxBytes: number): Promise<void> {
    const { size: fileSize } = await this.#call<FileAttributes>(path, (done) => this.#sftp.stat(path, done));
    if (fileSize === undefined) throw new Error(`"${path}": the server does not say how large it is`);
    if (fileSize > maxBytes) throw tooLargeFile(maxBytes);
    if (fileSize === 0) return await writeFile(localPath, "");
    await this.#call<void>(path, (done) => this.#sftp.fastGet(path, localPath, { fileSize }, done));
  }

  async upload(localPath: string, path: string): Promise<void> {
    await this.#call<void>(path, (done) => this.#sftp.fastPut(localPath, path, done));
  }

  async makeFolder(path: string): Promise<void> {
    if (path === "" || path === "/" || await this.find(path)) return;
    await this.makeFolder(folderOf(path.replace(/(?<!\/)\/+$/, "")).replace(/(.)\/$/, "$1"));
    await this.#call<void>(path, (done) => this.#sftp.mkdir(path, done));
  }

  async delete(path: string): Promise<void> {
    await this.#call<void>(path, (done) => this.#sftp.unlink(path, done));
  }

  async move(from: string, to: string): Promise<void> {
    await this.#call<void>(from, (done) => this.#sftp.rename(from, to, done));
  }

  /** The status of a refusal is the cause of its error. */
  #call<T>(path: string, start: (done: Done<T>) => void): Promise<T> {
    return new Promise((resolve, reject) =>
      start((error, value) => {
        if (!error) return resolve(value);
        const { message, code } = error;
        reject(new Error(`"${path}": ${message}`, { cause: code }));
      })
    );
  }
}

function remoteFile(path: string, { mode, size = 0, mtime }: FileAttributes): RemoteFile {
  const type = mode & TYPE_MASK;
  return {
    path,
    name: nameOf(path),
    isFolder: type === FOLDER_TYPE,
    isFile: type === FILE_TYPE,
    size,
    updatedAt: new Date(mtime * 1000).toISOString(),
  };
}
