/** Backups of running servers, as operators make and restore them. */
import { assert, assertEquals, assertGreater, assertMatch, assertStringIncludes } from "@std/assert";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";

const FLOW =
  "id: hello\nnamespace: demo\ntasks:\n  - {id: say, type: io.svc.plugin.core.log.Log, message: hi}\n";
/** Large enough that executions start while it is copied. */
const FILE_BYTES = 48 * 1024 * 1024;
/** Longest time that a backup or a start may take on a busy machine. */
const TIMEOUT_MS = 120_000;

interface Backup {
  readonly id: string;
  readonly state: string;
  readonly bytes: number;
  readonly hasKey: boolean;
  readonly error?: string;
}

/** A server with a flow and a large file. */
async function startServer(root: string, args: readonly string[] = []): Promise<ServerProcess> {
  const server = await ServerProcess.start({ dataDir: `${root}/data`, args });
  try {
    const headers = { "content-type": "application/x-yaml" };
    await server.json("POST", "/flows", { headers, body: FLOW });
    const form = new FormData();
    form.append("fileContent", new Blob([randomBytes(FILE_BYTES)]));
    const put = await fetch(`${server.url}/api/v1/main/namespaces/demo/files?path=/large.bin`, {
      method: "POST",
      body: form,
    });
    assertEquals(put.status, 200, await put.text());
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}

async function call(server: ServerProcess, method: string, path = ""): Promise<Response> {
  return await fetch(`${server.url}/api/v1/backups${path}`, { method });
}

async function statusOf(server: ServerProcess, method: string, path = ""): Promise<number> {
  const response = await call(server, method, path);
  await response.body?.cancel();
  return response.status;
}

/** Names in a folder of backups: complete ones, and what others left. */
function namesIn(folder: string): { readonly complete: string[]; readonly unfinished: string[] } {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  const isUnfinished = (name: string) => name.endsWith(".unfinished");
  const complete = names.filter((name) => !isUnfinished(name));
  const unfinished = names.filter(isUnfinished);
  return { complete, unfinished };
}

async function createBackup(server: ServerProcess): Promise<Backup> {
  const response = await call(server, "POST");
  assertEquals(response.status, 202);
  return await response.json();
}

async function ended(server: ServerProcess, id: string): Promise<Backup> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const backup: Backup = await (await call(server, "GET", `/${id}`)).json();
    if (backup.state !== "RUNNING") return backup;
    assert(performance.now() < deadline, "the backup did not end");
  }
}

async function start(server: ServerProcess): Promise<string> {
  return (await server.json<{ id: string }>("POST", "/executions/demo/hello?wait=true")).id;
}

/** Paths of the files that the process has open, each with what the system says about it. */
function openFiles({ pid }: ServerProcess): { readonly path: string; readonly info: string }[] {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].flatMap(({ name }) => {
    try {
      const info = Deno.readTextFileSync(`/proc/${pid}/fdinfo/${name}`);
      return [{ path: Deno.readLinkSync(`/proc/${pid}/fd/${name}`), info }];
    } catch {
      return []; // It was closed meanwhile.
    }
  });
}

/** Files and folders of backups that the process has open. */
function openBackups(server: ServerProcess): string[] {
  if (Deno.build.os !== "linux") return [];
  return openFiles(server).map(({ path }) => path).filter((path) => path.includes("/backups"));
}

/**
 * The locks that the process has on its database as long as it is open: the shared lock of the file, and the one that
 * says that its index (`-shm`) is in use. Locks of single reads and commits are left out. They are read file by file: the
 * list of the whole machine, `/proc/locks`, is read in parts and leaves out rows while other processes change locks.
 */
function locksOf(server: ServerProcess, dataDir: string): string[] {
  if (Deno.build.os !== "linux") return ["unknown"];
  const kept = new Map([
    [`${dataDir}/sluice.db`, /POSIX +ADVISORY +READ .* 1073741826 1073742335/g],
    [`${dataDir}/sluice.db-shm`, /POSIX +ADVISORY +READ .* 128 128/g],
  ]);
  const locks = openFiles(server).flatMap(({ path, info }) => info.match(kept.get(path) ?? /(?!)/) ?? []);
  assertEquals(locks.length, kept.size, `the server has these locks only: ${locks.join(", ")}`);
  return locks.sort();
}

async function assertRestored(folder: string, ids: readonly string[]): Promise<void> {
  const doctor = await ServerProcess.run(["doctor", "--data-dir", folder]);
  assertEquals(doctor.code, 0, doctor.log);
  await using restored = await ServerProcess.start({ dataDir: folder });
  for (const id of ids) {
    const { state } = await restored.json<{ state: { current: string } }>("GET", `/executions/${id}`);
    assertEquals(state.current, "SUCCESS");
  }
}

Deno.test("a backup during starts has every execution that was acknowledged before, and the server keeps its locks", async () => {
  await withTempDir(async (root) => {
    const before: string[] = [];
    let copy = "";
    {
      await using server = await startServer(root);
      for (let n = 0; n < 20; n++) before.push(await start(server));
      const locks = locksOf(server, `${root}/data`);
      const { id } = await createBackup(server);
      let during = 0;
      let isOver = false;
      const over = ended(server, id).finally(() => isOver = true);
      while (!isOver) {
        await start(server);
        during++;
      }
      const backup = await over;
      assertEquals([backup.state, backup.hasKey], ["SUCCESS", true], backup.error);
      assertGreater(backup.bytes, FILE_BYTES);
      assertGreater(during, 3);
      assertEquals(locksOf(server, `${root}/data`), locks);
      assertEquals(openBackups(server), []);
      copy = `${root}/data/backups/${id}`;
    }
    await assertRestored(copy, before);
  });
});

Deno.test("a backup is made by a thread where the server may start no process, and is downloaded", async () => {
  await withTempDir(async (root) => {
    const ids: string[] = [];
    {
      const open = ["--host", "0.0.0.0", "--no-auth", "--scripts", "off", "--backup-dir", `${root}/backups`];
      await using server = await startServer(root, open);
      server.url = `http://127.0.0.1:${new URL(server.url).port}`;
      ids.push(await start(server));
      const locks = locksOf(server, `${root}/data`);
      const { id } = await createBackup(server);
      assertEquals((await ended(server, id)).state, "SUCCESS");
      assertEquals(locksOf(server, `${root}/data`), locks);
      ids.push(await start(server));
      const response = await call(server, "GET", `/${id}/download`);
      const name = `sluice-backup-${id}`;
      assertStringIncludes(response.headers.get("content-disposition") ?? "", `filename="${name}.tar"`);
      await Deno.writeFile(`${root}/${name}.tar`, response.body ?? new Uint8Array());
      assertEquals(
        (await Deno.stat(`${root}/${name}.tar`)).size,
        Number(response.headers.get("content-length")),
      );
      const tar = await new Deno.Command("tar", { args: ["-xf", `${name}.tar`], cwd: root }).output();
      assertEquals(tar.success, true, new TextDecoder().decode(tar.stderr));
      await Deno.rename(`${root}/${name}`, `${root}/restored`);
      assertEquals(await statusOf(server, "DELETE", `/${id}`), 204);
      assertEquals(await statusOf(server, "GET", `/${id}`), 404);
      assertEquals(await statusOf(server, "GET", `/${encodeURIComponent("../../data")}/download`), 404);
      assertEquals([...Deno.readDirSync(`${root}/backups`)], []);
    }
    await assertRestored(`${root}/restored`, ids.slice(0, 1));
  });
});

Deno.test("sluice backup copies the directory of a running server, and asks a server", async () => {
  await withTempDir(async (root) => {
    const ids: string[] = [];
    {
      await using server = await startServer(root);
      ids.push(await start(server));
      const direct = await ServerProcess.run([
        "backup",
        "--data-dir",
        `${root}/data`,
        "--to",
        `${root}/to`,
        "--json",
      ]);
      assertEquals(direct.code, 0, direct.log);
      const made: Backup & { path: string } = JSON.parse(/^\{.*$/m.exec(direct.log)?.[0] ?? direct.log);
      assertEquals(made.path, `${root}/to/${made.id}`);
      await Deno.rename(made.path, `${root}/restored`);
      ids.push(await start(server));
      const asked = await ServerProcess.run(["backup", "--server", server.url, "--to", `${root}/to`]);
      assertEquals(asked.code, 0, asked.log);
      const [, path = ""] = /Made the backup \S+ in (\S+), \d+ MB\n/.exec(asked.log) ?? [];
      assertMatch(path, /\/to\/sluice-backup-.*Z\.tar$/);
      assertEquals([...Deno.readDirSync(`${root}/to`)].length, 1);
      const { total } = await (await call(server, "GET")).json();
      assertEquals(total, 1);
    }
    await assertRestored(`${root}/restored`, ids.slice(0, 1));
    const stopped = await ServerProcess.run(["backup", "--data-dir", `${root}/data`]);
    assertEquals(stopped.code, 0, stopped.log);
    await Deno.remove(`${root}/data/encryption.key`);
    const keyless = await ServerProcess.run(["backup", "--data-dir", `${root}/data`]);
    assertEquals(keyless.code, 0, keyless.log);
    assertStringIncludes(keyless.log, "The backup has no encryption key, which is an option of the server");
    const none = await ServerProcess.run(["backup", "--data-dir", `${root}/none`]);
    assertEquals([none.code, none.log], [
      1,
      `Cannot back up the data directory "${root}/none": it has no database\n`,
    ]);
  });
});

Deno.test("a server that is killed during a backup leaves none, and the next one removes what it left", async () => {
  await withTempDir(async (root) => {
    const folder = `${root}/data/backups`;
    {
      await using server = await startServer(root);
      const statuses = await Promise.all([statusOf(server, "POST"), statusOf(server, "POST")]);
      assertEquals(statuses.sort(), [202, 409]);
      await server.kill("SIGKILL");
    }
    const left = namesIn(folder);
    await using server = await ServerProcess.start({ dataDir: `${root}/data` });
    assertEquals(namesIn(folder), { complete: left.complete, unfinished: [] });
    const { id } = await createBackup(server);
    assertEquals(await statusOf(server, "DELETE", `/${id}`), 204);
    assertEquals(namesIn(folder), { complete: left.complete, unfinished: [] });
    await createBackup(server);
    const { code, log } = await server.kill("SIGTERM");
    assertEquals(code, 0, log);
    assertEquals(namesIn(folder).unfinished, []);
  });
});
