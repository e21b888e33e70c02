/** Which files of the machine `--local-files` allows. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AllowedFiles } from "../../src/machine/local_files.ts";
import type { LocalFiles } from "../../src/model/ports/local_files.ts";
import { withTempDir } from "../support/temp_dir.ts";

const SIGNAL = new AbortController().signal;

/** A folder `in` that is allowed, with a server's folder `in/own`, and a file `out/secret` beside it. */
async function withFolders(
  work: (place: { root: string; files: LocalFiles; temp: string }) => Promise<void>,
): Promise<void> {
  await withTempDir(async (given) => {
    const temp = await Deno.realPath(given);
    for (const folder of ["in/own", "in/sub", "out", "work"]) {
      await Deno.mkdir(`${temp}/${folder}`, { recursive: true });
    }
    await Deno.writeTextFile(`${temp}/out/secret`, "secret");
    await Deno.writeTextFile(`${temp}/in/own/key`, "key");
    await Deno.writeTextFile(`${temp}/in/sub/a.txt`, "a");
    const rules = { folders: [`${temp}/in`], ownPaths: () => [`${temp}/in/own`] };
    await work({ root: `${temp}/in`, temp, files: new AllowedFiles(rules).filesFor("main", SIGNAL) });
  });
}

Deno.test("filesFor() names the option where no folder is allowed, and refuses other tenants", () => {
  const none = new AllowedFiles({ folders: [], ownPaths: () => [] });
  assertThrows(() => none.filesFor("main", SIGNAL), Error, "the server needs --local-files <folder>");
  const some = new AllowedFiles({ folders: ["/srv"], ownPaths: () => [] });
  assertThrows(() => some.filesFor("acme", SIGNAL), Error, 'flows of the tenant "main" only');
});

Deno.test("local files: no path and no link leads out of the allowed folder", async () => {
  await withFolders(async ({ root, temp, files }) => {
    await Deno.symlink(`${temp}/out`, `${root}/link`);
    await Deno.symlink(`${temp}/out/secret`, `${root}/file`);
    await Deno.symlink("/proc/self", `${root}/self`);
    const outside = [
      ...[`${temp}/out/secret`, `${root}/../out/secret`, `${root}/sub/../../out/secret`, `${root}x/secret`],
      ...[`${root}/link/secret`, `${root}/file`, `${root}/link/new`, `${root}/self/environ`, "/etc/passwd"],
      ...[
        "etc/passwd",
        "",
        "/",
        `${root}/..`,
        `${root}/sub/..`,
        `${root}/.`,
        `${root}/a\0b`,
        "/proc/self/environ",
        `${temp}/in-not-there`,
      ],
    ];
    for (const path of outside) {
      const refused = (work: () => Promise<unknown>) => assertRejects(work, Error, `Cannot use "${path}"`);
      await refused(() => files.find(path));
      await refused(() => files.list(path));
      await refused(() => files.download(path, `${temp}/work/x`));
      await refused(() => files.copy(path, `${root}/copied`));
      await refused(() => files.fileSystemOf(path));
    }
    for (const path of outside.filter((each) => each !== `${root}/file` && each !== `${root}/self/environ`)) {
      const refused = (work: () => Promise<unknown>) => assertRejects(work, Error, `Cannot use "${path}"`);
      await refused(() => files.delete(path));
      await refused(() => files.move(path, `${root}/moved`));
      await refused(() => files.move(`${root}/sub/a.txt`, path));
      await refused(() => files.upload(`${root}/sub/a.txt`, path));
      await refused(() => files.makeFolder(path));
    }
    assertEquals(await Deno.readTextFile(`${temp}/out/secret`), "secret");
    assertEquals([...Deno.readDirSync(`${temp}/out`)].map(({ name }) => name), ["secret"]);
    assertEquals(await Deno.readTextFile(`${root}/sub/a.txt`), "a");
  });
});

Deno.test("local files: a link is replaced, moved and deleted itself, never what it leads to", async () => {
  await withFolders(async ({ root, temp, files }) => {
    for (const name of ["one", "two", "three"]) await Deno.symlink(`${temp}/out/secret`, `${root}/${name}`);
    await files.copy(`${root}/sub/a.txt`, `${root}/one`);
    assertEquals(await Deno.readTextFile(`${root}/one`), "a");
    await files.delete(`${root}/two`);
    await files.move(`${root}/three`, `${root}/four`);
    assertEquals(await Deno.readLink(`${root}/four`), `${temp}/out/secret`);
    assertEquals(await Deno.readTextFile(`${temp}/out/secret`), "secret");
  });
});

Deno.test("local files: a link that stays within the folder is followed", async () => {
  await withFolders(async ({ root, temp, files }) => {
    await Deno.symlink("sub", `${root}/inner`);
    await files.download(`${root}/inner/a.txt`, `${temp}/work/a`);
    assertEquals(await Deno.readTextFile(`${temp}/work/a`), "a");
    assertEquals((await files.list(root)).map(({ name }) => name).sort(), ["own", "sub"]);
  });
});

Deno.test("local files: what belongs to the server is not read, changed or moved away", async () => {
  await withFolders(async ({ root, temp, files }) => {
    const refused = (work: () => Promise<unknown>) =>
      assertRejects(work, Error, "it belongs to the server or the system");
    await refused(() => files.download(`${root}/own/key`, `${temp}/work/key`));
    await refused(() => files.list(`${root}/own`));
    await refused(() => files.copy(`${root}/sub/a.txt`, `${root}/own/new`));
    await refused(() => files.move(`${root}/own`, `${root}/away`));
    await assertRejects(() => files.delete(root), Error, `Cannot use "${root}"`);
    await assertRejects(() => files.move(root, `${root}/sub/deeper`), Error, `Cannot use "${root}"`);
    const system = new AllowedFiles({ folders: ["/proc", "/dev"], ownPaths: () => [] }).filesFor(
      "main",
      SIGNAL,
    );
    for (const path of ["/proc/version", "/dev/null", "/proc/self/environ"]) {
      await assertRejects(() => system.download(path, `${temp}/work/x`), Error, `Cannot use "${path}"`);
    }
  });
});

Deno.test("local files: pipes and folders are no files, and a missing one is named", async () => {
  await withFolders(async ({ root, temp, files }) => {
    const made = await new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).output();
    assertEquals(made.code, 0);
    for (
      const [path, reason] of [["pipe", "no regular file"], ["sub", "no regular file"], [
        "no",
        "no such file",
      ]]
    ) {
      await assertRejects(() => files.download(`${root}/${path}`, `${temp}/work/x`), Error, reason);
    }
    assertEquals(await files.find(`${root}/no`), undefined);
  });
});

Deno.test("local files: a write that stops leaves the old content and nothing beside it", async () => {
  await withFolders(async ({ root, temp }) => {
    await Deno.writeTextFile(`${temp}/work/new`, "x".repeat(1_000_000));
    const rules = { folders: [root], ownPaths: () => [] };
    const stopped = new AllowedFiles(rules).filesFor("main", AbortSignal.abort());
    await assertRejects(() => stopped.upload(`${temp}/work/new`, `${root}/sub/a.txt`), Error, "abort");
    assertEquals([...Deno.readDirSync(`${root}/sub`)].map(({ name }) => name), ["a.txt"]);
    assertEquals(await Deno.readTextFile(`${root}/sub/a.txt`), "a");
  });
});

Deno.test("local files: a folder that is exchanged for a link while a file is opened is noticed", async () => {
  await withFolders(async ({ root, temp, files }) => {
    await Deno.writeTextFile(`${temp}/out/a.txt`, "secret");
    const { open } = Deno;
    // The moment between the check of the path and the opening.
    Deno.open = async (path, options) => {
      await Deno.rename(`${root}/sub`, `${root}/kept`);
      await Deno.symlink(`${temp}/out`, `${root}/sub`);
      return await open(path, options);
    };
    try {
      await assertRejects(
        () => files.download(`${root}/sub/a.txt`, `${temp}/work/x`),
        Error,
        "it was exchanged meanwhile",
      );
    } finally {
      Deno.open = open;
    }
  });
});

// Deno fails a test that leaves a file open.
Deno.test("local files: a download whose target exists leaves no file open", async () => {
  await withFolders(async ({ root, files, temp }) => {
    await Deno.writeTextFile(`${temp}/work/new`, "x");
    await assertRejects(
      () => files.download(`${root}/sub/a.txt`, `${temp}/work/new`),
      Deno.errors.AlreadyExists,
    );
  });
});
