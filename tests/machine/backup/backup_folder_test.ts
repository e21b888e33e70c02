import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { BackupFolder } from "../../../src/machine/backup/backup_folder.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { BackupRequest } from "../../../src/model/ports/backups.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const CREATED_AT = Date.UTC(2026, 0, 15, 10, 30, 0, 123);
const ID = "2026-01-15T10-30-00-123Z";

function request(overrides: Partial<BackupRequest> = {}): BackupRequest {
  const { signal } = new AbortController();
  return { createdAt: CREATED_AT, origin: "MANUAL", signal, progress: () => {}, ...overrides };
}

/** A database with so many megabytes, that stays open as that of a server does. */
function createDatabase(path: string, megabytes: number): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE pieces (n INTEGER PRIMARY KEY, bytes BLOB)");
  for (let n = 0; n < megabytes; n++) addPiece(database);
  return database;
}

function addPiece(database: DatabaseSync): void {
  database.exec("INSERT INTO pieces (bytes) VALUES (randomblob(1048576))");
}

function countPieces(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS n FROM pieces").get()?.n);
  } finally {
    database.close();
  }
}

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

async function withFolder(
  use: (
    paths: { readonly database: DatabaseSync; readonly folder: string; readonly root: string },
  ) => Promise<void>,
): Promise<void> {
  await withTempDir(async (root) => {
    const database = createDatabase(`${root}/sluice.db`, 12);
    try {
      await use({ database, folder: `${root}/backups`, root });
    } finally {
      database.close();
    }
  });
}

function folderOf(root: string, folder: string, hasKey = true): BackupFolder {
  const keyPath = hasKey ? `${root}/encryption.key` : undefined;
  return new BackupFolder({ databasePath: `${root}/sluice.db`, keyPath, folder, version: "1.2.3" });
}

Deno.test("create() copies the state of its begin, although others write, and says how far it is", async () => {
  await withFolder(async ({ database, folder, root }) => {
    await Deno.writeTextFile(`${root}/encryption.key`, "key\n");
    const backups = folderOf(root, folder);
    await backups.check();
    const seen: number[] = [];
    const progress = (bytes: number, totalBytes: number) => {
      addPiece(database);
      seen.push(bytes / totalBytes);
    };
    const stored = await backups.create(request({ progress }));
    const bytes = Deno.statSync(`${folder}/${ID}/sluice.db`).size + 4;
    const expected = {
      id: ID,
      createdAt: CREATED_AT,
      origin: "MANUAL",
      hasKey: true,
      version: "1.2.3",
      bytes,
    };
    assertEquals(stored, expected);
    assertEquals(await backups.list(), [expected]);
    assertEquals(namesIn(`${folder}/${ID}`), ["backup.json", "encryption.key", "sluice.db"]);
    assertEquals(await Deno.readTextFile(`${folder}/${ID}/encryption.key`), "key\n");
    assert(seen.length >= 3, "the copy has several steps");
    assertEquals(seen, seen.toSorted((a, b) => a - b));
    assertEquals(countPieces(`${folder}/${ID}/sluice.db`), 12);
    if (Deno.build.os !== "windows") {
      assertEquals((Deno.statSync(`${folder}/${ID}/sluice.db`).mode ?? 0) & 0o777, 0o600);
      assertEquals((Deno.statSync(`${folder}/${ID}`).mode ?? 0) & 0o777, 0o700);
    }
  });
});

Deno.test("create() that is aborted, or has no database, leaves nothing", async () => {
  await withFolder(async ({ folder, root }) => {
    const backups = folderOf(root, folder, false);
    await backups.check();
    const abort = new AbortController();
    const progress = () => abort.abort(new Error("enough"));
    await assertRejects(() => backups.create(request({ signal: abort.signal, progress })), Error, "enough");
    assertEquals(namesIn(folder), []);
    await Deno.mkdir(`${root}/other`);
    const without = folderOf(`${root}/other`, folder);
    await assertRejects(() => without.create(request()), Error, "unable to open database file");
    assertEquals(namesIn(folder), []);
  });
});

Deno.test("list(), find(), open() and remove() see complete backups only; removeUnfinished() leaves what is foreign", async () => {
  await withFolder(async ({ folder, root }) => {
    const backups = folderOf(root, folder, false);
    assertEquals(await backups.list(), []);
    await backups.check();
    const { hasKey } = await backups.create(request());
    assertEquals(hasKey, false);
    const others = [
      "2026-01-15T10-30-00-124Z",
      "2026-01-15T10-30-00-125Z.unfinished",
      "own",
      "own.unfinished",
    ];
    for (const name of others) await Deno.mkdir(`${folder}/${name}`);
    assertEquals((await backups.list()).map(({ id }) => id), [ID]);
    assertEquals((await backups.find(ID))?.id, ID);
    for (const id of [...others, "..", ""]) {
      const seen = [await backups.find(id), await backups.open(id), await backups.remove(id)];
      assertEquals(seen, [undefined, undefined, false]);
    }
    await backups.removeUnfinished();
    assertEquals(namesIn(folder), [ID, others[0], "own", "own.unfinished"]);
    assertEquals(await backups.remove(ID), true);
    assertEquals(await backups.list(), []);
  });
});

Deno.test("list() of hundreds of backups has each of them, newest first", async () => {
  await withFolder(async ({ folder, root }) => {
    const backups = folderOf(root, folder, false);
    await backups.check();
    const stored = await backups.create(request());
    const later = Array.from({ length: 200 }, (_, index) => backups.idOf(stored.createdAt + 1 + index));
    for (const id of later) {
      await Deno.mkdir(`${folder}/${id}`);
      await Deno.writeTextFile(`${folder}/${id}/backup.json`, JSON.stringify({ ...stored, id }));
    }
    assertEquals((await backups.list()).map(({ id }) => id), [...later.reverse(), ID]);
  });
});

Deno.test("removeUnfinished() leaves a backup that another process makes", async () => {
  await withFolder(async ({ folder, root }) => {
    const backups = folderOf(root, folder, false);
    let removed: Promise<void> | undefined;
    await backups.create(request({
      progress: () => removed ??= folderOf(root, folder, false).removeUnfinished(),
    }));
    await removed;
    assertEquals(namesIn(folder), [ID]);
  });
});

Deno.test("open() of a damaged backup says why, and leaves no file open", async () => {
  await withFolder(async ({ folder, root }) => {
    const backups = folderOf(root, folder, false);
    await backups.create(request());
    const path = `${folder}/${ID}/sluice.db`;
    const download = await backups.open(ID);
    await Deno.truncate(path, 1_000);
    await assertRejects(() => new Response(download?.stream).bytes(), Error, "it has become shorter");
    await Deno.remove(path);
    await assertRejects(() => backups.open(ID), DomainError, `Cannot read backup "${ID}": No such file`);
  });
});

Deno.test("a folder that is a file holds no backups, and check() says why none can be made", async () => {
  await withFolder(async ({ folder, root }) => {
    await Deno.writeTextFile(folder, "");
    const backups = folderOf(root, folder);
    assertEquals([await backups.list(), await backups.open(ID)], [[], undefined]);
    await assertRejects(() => backups.check(), DomainError, `Cannot back up to "${folder}"`);
  });
});

Deno.test("open() gives an archive that tar reads", async () => {
  await withFolder(async ({ folder, root }) => {
    await Deno.writeTextFile(`${root}/encryption.key`, "key\n");
    const backups = folderOf(root, folder);
    await backups.check();
    await backups.create(request());
    const download = await backups.open(ID);
    assert(download);
    await Deno.writeFile(`${root}/a.tar`, download.stream);
    assertEquals(Deno.statSync(`${root}/a.tar`).size, download.bytes);
    const { success } = await new Deno.Command("tar", { args: ["-xf", "a.tar"], cwd: root }).output();
    assertEquals(success, true);
    for (const name of namesIn(`${folder}/${ID}`)) {
      assertEquals(
        await Deno.readFile(`${root}/sluice-backup-${ID}/${name}`),
        await Deno.readFile(`${folder}/${ID}/${name}`),
      );
    }
    const cancelled = await backups.open(ID);
    await cancelled?.stream.cancel();
  });
});

async function mount(folder: string, size: string): Promise<boolean> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return false;
  const args = ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder];
  return (await new Deno.Command("mount", { args, stderr: "null" }).output()).success;
}

async function withSmallDisk(
  test: Deno.TestContext,
  size: string,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    if (!await mount(folder, size)) {
      return void await test.step({ name: "cannot mount", ignore: true, fn() {} });
    }
    try {
      await use(folder);
    } finally {
      await new Deno.Command("umount", { args: [folder] }).output();
    }
  });
}

Deno.test("check() refuses a disk without room for the backup, and says how much there is", async (test) => {
  await withSmallDisk(test, "64m", async (folder) => {
    await withFolder(async ({ root }) => {
      const error = await assertRejects(() => folderOf(root, folder).check(), DomainError);
      assertEquals(error.code, "storage_full");
      assertStringIncludes(
        error.message,
        `Cannot back up to "${folder}": its disk has 64 MB left, the backup needs up to`,
      );
    });
  });
});

Deno.test("create() ends when others fill the disk, says so, and leaves nothing", async (test) => {
  await withSmallDisk(test, "300m", async (folder) => {
    await withFolder(async ({ root }) => {
      const backups = folderOf(root, folder);
      await backups.check();
      const progress = () => Deno.writeFileSync(`${folder}/others`, new Uint8Array(180 * 1024 * 1024));
      const error = await assertRejects(() => backups.create(request({ progress })), DomainError);
      assertEquals(error.code, "storage_full");
      assertStringIncludes(error.message, "its disk is full");
      assertEquals(namesIn(folder), ["others"]);
    });
  });
});
