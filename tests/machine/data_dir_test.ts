import { assert, assertEquals, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { spawn } from "node:child_process";
import { systemClock } from "../../src/base/time/clock.ts";
import { systemRandomBytes } from "../../src/base/id.ts";
import { DataDir, DataDirError, isDiskFull, RESERVE_BYTES } from "../../src/machine/data_dir.ts";
import { until } from "../support/processes/machine_processes.ts";
import { withTempDir } from "../support/temp_dir.ts";

const OPTIONS = { clock: systemClock, randomBytes: systemRandomBytes, processId: 4711 };
const POSIX = Deno.build.os !== "windows";

async function modeOf(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

function isPresent(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}

Deno.test("DataDir.open() creates the folder and those above it, for its owner alone", async () => {
  await withTempDir(async (root) => {
    const path = `${root}/a/b`;
    await using directory = await DataDir.open(path, OPTIONS);
    assertEquals(directory.path, path);
    assertEquals(directory.databasePath, `${path}/sluice.db`);
    if (POSIX) assertEquals(await modeOf(path), 0o700);
  });
});

Deno.test("DataDir.open() closes the files of the database to others, also where they get into the folder", async () => {
  if (!POSIX) return;
  await withTempDir(async (root) => {
    await Deno.chmod(root, 0o755);
    for (const ending of ["", "-wal", "-shm"]) {
      await Deno.writeTextFile(`${root}/sluice.db${ending}`, "", { mode: 0o644 });
    }
    await using directory = await DataDir.open(root, OPTIONS);
    await directory.readOrCreateKey();
    assertEquals(await modeOf(root), 0o755);
    for (const name of ["sluice.db", "sluice.db-wal", "sluice.db-shm", "encryption.key", "reserve.bin"]) {
      assertEquals(await modeOf(`${root}/${name}`), 0o600, name);
    }
  });
});

Deno.test("DataDir.open() makes a database whose further files are closed to others, too", async () => {
  if (!POSIX) return;
  await withTempDir(async (root) => {
    await using directory = await DataDir.open(root, OPTIONS);
    const store = await Deno.openKv(directory.databasePath);
    await store.set(["a"], 1);
    for (const ending of ["", "-wal", "-shm"]) {
      assertEquals(await modeOf(`${directory.databasePath}${ending}`), 0o600, ending);
    }
    store.close();
  });
});

Deno.test("DataDir.open() makes a database that gives the space of removed data back to the disk", async () => {
  await withTempDir(async (root) => {
    await using directory = await DataDir.open(root, OPTIONS);
    const pageCount = async (change: (store: Deno.Kv, key: Deno.KvKey) => Promise<unknown>) => {
      const store = await Deno.openKv(directory.databasePath);
      for (let n = 0; n < 50; n++) await change(store, ["a", n]);
      store.close();
      return (await Deno.stat(directory.databasePath)).size / 4096;
    };
    assert(await pageCount((store, key) => store.set(key, new Uint8Array(60_000))) > 700);
    assert(await pageCount((store, key) => store.delete(key)) < 30);
  });
});

Deno.test("DataDir.open() leaves the process id while it holds the lock", async () => {
  await withTempDir(async (root) => {
    const directory = await DataDir.open(root, OPTIONS);
    assertEquals(await Deno.readTextFile(`${root}/sluice.pid`), "4711\n");
    await directory[Symbol.asyncDispose]();
    assertEquals(await isPresent(`${root}/sluice.pid`), false);
  });
});

Deno.test("DataDir.open() refuses a folder that is in use, names the process and changes nothing", async () => {
  await withTempDir(async (root) => {
    await using first = await DataDir.open(root, OPTIONS);
    await first.releaseReserve();
    const error = await assertRejects(() => DataDir.open(root, { ...OPTIONS, processId: 1 }), DataDirError);
    assertStringIncludes(
      error.message,
      `"${root}": it is in use by process 4711; stop that process, or give`,
    );
    assertEquals(await Deno.readTextFile(`${root}/sluice.pid`), "4711\n");
    assertEquals(await isPresent(`${root}/reserve.bin`), false);
  });
});

Deno.test("DataDir.open() refuses a folder in use by a process that left no id", async () => {
  await withTempDir(async (root) => {
    await using _first = await DataDir.open(root, OPTIONS);
    await Deno.remove(`${root}/sluice.pid`);
    await assertRejects(() => DataDir.open(root, OPTIONS), DataDirError, "in use by another process");
  });
});

Deno.test("DataDir.open() takes a folder whose process has gone without tidying up", async () => {
  await withTempDir(async (root) => {
    await Deno.writeTextFile(`${root}/sluice.lock`, "");
    await Deno.writeTextFile(`${root}/sluice.pid`, "99\n");
    await using _directory = await DataDir.open(root, OPTIONS);
    assertEquals(await Deno.readTextFile(`${root}/sluice.pid`), "4711\n");
  });
});

Deno.test("DataDir.open() takes a folder again once it was closed", async () => {
  await withTempDir(async (root) => {
    await (await DataDir.open(root, OPTIONS))[Symbol.asyncDispose]();
    await using directory = await DataDir.open(root, OPTIONS);
    assertEquals(directory.path, root);
  });
});

/** Number of an open file of this process. */
function descriptorOf(path: string): number {
  const names = Array.from(Deno.readDirSync("/proc/self/fd"), ({ name }) => name);
  return Number(names.find((name) => linkOf(`/proc/self/fd/${name}`) === path));
}

function linkOf(path: string): string {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return ""; // It was closed meanwhile.
  }
}

Deno.test("DataDir.open() takes a folder again once it was closed, also while a process has the file of its lock", async () => {
  if (Deno.build.os !== "linux") return;
  await withTempDir(async (root) => {
    const first = await DataDir.open(root, OPTIONS);
    const lock = descriptorOf(`${await Deno.realPath(root)}/sluice.lock`);
    const other = spawn("/bin/sh", ["-c", "read x"], { stdio: ["pipe", "ignore", lock] });
    await until(() => linkOf(`/proc/${other.pid}/fd/2`).endsWith("/sluice.lock"));
    await first[Symbol.asyncDispose]();
    await using _second = await DataDir.open(root, OPTIONS);
    other.stdin?.end();
    await new Promise((resolve) => other.on("close", resolve));
  });
});

const UNUSABLE: readonly (readonly [string, string, string])[] = [
  ["a file", "file", "Cannot create the data directory"],
  ["a path below a file", "file/below", "a part of the path is a file"],
];
for (const [what, name, expected] of UNUSABLE) {
  Deno.test(`DataDir.open() refuses ${what} in one line`, async () => {
    await withTempDir(async (root) => {
      await Deno.writeTextFile(`${root}/file`, "mine");
      const error = await assertRejects(
        () => DataDir.open(`${root}/${name}`, OPTIONS),
        DataDirError,
        expected,
      );
      assertEquals(error.message.includes("\n"), false);
      assertEquals(await Deno.readTextFile(`${root}/file`), "mine");
    });
  });
}

Deno.test("DataDir.open() refuses a folder where the lock file cannot be written", async () => {
  await withTempDir(async (root) => {
    await Deno.mkdir(`${root}/sluice.lock`);
    await assertRejects(
      () => DataDir.open(root, OPTIONS),
      DataDirError,
      "Cannot write to the data directory",
    );
  });
});

Deno.test("DataDir.open() lets go of the lock when the folder cannot be used after all", async () => {
  await withTempDir(async (root) => {
    await Deno.mkdir(`${root}/sluice.pid`);
    await assertRejects(
      () => DataDir.open(root, OPTIONS),
      DataDirError,
      "Cannot write to the data directory",
    );
    await Deno.remove(`${root}/sluice.pid`);
    await using _directory = await DataDir.open(root, OPTIONS);
  });
});

Deno.test("DataDir.readOrCreateKey() creates a key once, readable by its owner alone", async () => {
  await withTempDir(async (root) => {
    await using directory = await DataDir.open(root, OPTIONS);
    const key = await directory.readOrCreateKey();
    assertEquals(key.length, 32);
    assertNotEquals(key, new Uint8Array(32));
    assertEquals(await directory.readOrCreateKey(), key);
    if (POSIX) assertEquals(await modeOf(directory.keyPath), 0o600);
    assertEquals(await isPresent(`${directory.keyPath}.new`), false);
  });
});

Deno.test("DataDir.readOrCreateKey() continues after a crash between writing and renaming", async () => {
  await withTempDir(async (root) => {
    await using directory = await DataDir.open(root, OPTIONS);
    await Deno.writeTextFile(`${directory.keyPath}.new`, "half a k");
    assertEquals((await directory.readOrCreateKey()).length, 32);
  });
});

for (const text of ["", "short", btoa("k".repeat(31))]) {
  Deno.test(`DataDir.readOrCreateKey() refuses the damaged key "${text}" and leaves it`, async () => {
    await withTempDir(async (root) => {
      await using directory = await DataDir.open(root, OPTIONS);
      await Deno.writeTextFile(directory.keyPath, text);
      await assertRejects(
        () => directory.readOrCreateKey(),
        DataDirError,
        "it must be base64 text of 32 bytes",
      );
      assertEquals(await Deno.readTextFile(directory.keyPath), text);
    });
  });
}

Deno.test("DataDir.releaseReserve() returns the reserve up once; the next start fills it again", async () => {
  await withTempDir(async (root) => {
    const directory = await DataDir.open(root, OPTIONS);
    assertEquals((await Deno.stat(`${root}/reserve.bin`)).size, RESERVE_BYTES);
    assert(await directory.releaseReserve());
    assertEquals(await directory.releaseReserve(), false);
    assertEquals(await isPresent(`${root}/reserve.bin`), false);
    await directory[Symbol.asyncDispose]();
    await Deno.writeTextFile(`${root}/reserve.bin`, "partly written");
    await using _again = await DataDir.open(root, OPTIONS);
    assertEquals((await Deno.stat(`${root}/reserve.bin`)).size, RESERVE_BYTES);
  });
});

/** Mounts a file system of that size; false where the user may not. */
async function mountSmallDisk(path: string, size: string): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  const command = new Deno.Command("mount", {
    args: ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path],
    stderr: "null",
  });
  return await command.output().then((output) => output.success, () => false);
}

Deno.test("DataDir.open() does without a reserve on a disk that has no room for it", async (test) => {
  await withTempDir(async (root) => {
    if (!await mountSmallDisk(root, "2m")) {
      return void await test.step({ name: "no tmpfs", ignore: true, fn() {} });
    }
    try {
      await using directory = await DataDir.open(root, OPTIONS);
      assertEquals(await isPresent(`${root}/reserve.bin`), false);
      assertEquals(await directory.releaseReserve(), false);
      // What another thread has just started holds all files of this process until it runs its own program.
      await until(() => Deno.writeTextFile(`${root}/note`, "there is room").then(() => true, () => false));
      const error = await assertRejects(() => Deno.writeFile(`${root}/big`, new Uint8Array(4_000_000)));
      assert(isDiskFull(error));
    } finally {
      await new Deno.Command("umount", { args: ["--lazy", root] }).output();
    }
  });
});
