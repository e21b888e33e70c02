/** Listings of a hostile server of SFTP. */
import { assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import ssh2 from "ssh2";
import { listTask } from "../../../src/integrations/fs/read_tasks.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

const FOLDER = 0o040755;

/** The part of the package that serves. */
interface ServerPackage {
  readonly utils: { generateKeyPairSync(type: string): { readonly private: string } };
  readonly Server: new (
    options: { readonly hostKeys: readonly string[] },
    connected: (client: Events) => void,
  ) => {
    listen(port: number, host: string, done: () => void): void;
    address(): { readonly port: number };
    close(done: () => void): void;
  };
}

interface SftpServer extends Events {
  attrs(id: number, attrs: object): void;
  handle(id: number, handle: Buffer): void;
  name(id: number, entries: readonly object[]): void;
}

interface Events {
  // deno-lint-ignore no-explicit-any
  on(event: string, listener: (...given: any[]) => void): Events;
}

const { Server, utils } = ssh2 as unknown as ServerPackage;

/** A server whose folders have entries without an end. */
async function withServer(work: (port: number) => Promise<void>): Promise<void> {
  const server = new Server({ hostKeys: [utils.generateKeyPairSync("ed25519").private] }, (client) => {
    client.on("authentication", (context) => context.accept());
    client.on("error", () => {});
    client.on("session", (accept) => accept().on("sftp", (open: () => SftpServer) => serve(open())));
  });
  const serve = (sftp: SftpServer) => {
    const attrs = { mode: FOLDER, size: 0, uid: 0, gid: 0, atime: 0, mtime: 0 };
    const entries = Array.from({ length: 5_000 }, (_, n) => ({ filename: String(n), longname: "", attrs }));
    sftp.on("STAT", (id) => sftp.attrs(id, attrs));
    sftp.on("OPENDIR", (id) => sftp.handle(id, Buffer.from("h")));
    sftp.on("READDIR", (id) => sftp.name(id, entries));
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(server.address().port);
  } finally {
    await new Promise<void>((resolve) => server.close(resolve));
  }
}

Deno.test("an endless folder of SFTP fails the task", async () => {
  await withServer(async (port) => {
    const properties = { host: "localhost", port, username: "a", from: "/" };
    await assertRejects(() => runDefinition(listTask("sftp"), properties), Error, "has too many entries");
  });
});
