import { assert, assertEquals, assertRejects } from "@std/assert";
import { findFiles, openLocalFile, writeLocalFile } from "../../src/tasks/local_files.ts";
import { withTempDir } from "../support/temp_dir.ts";

Deno.test("findFiles() does not follow symbolic links", async () => {
  await withTempDir(async (root) => {
    await Deno.mkdir(`${root}/a/deep`, { recursive: true });
    for (const name of ["one", "deep/two"]) await Deno.writeTextFile(`${root}/a/${name}`, "x");
    await Deno.symlink(`${root}/a`, `${root}/link`);
    await Deno.symlink("/etc", `${root}/a/etc`);
    await Deno.symlink("one", `${root}/a/uno`);
    assertEquals(await findFiles(`${root}/a`, () => true), ["deep/two", "one"]);
    assertEquals(await findFiles(`${root}/link`, () => true), []);
  });
});

/** Names in a directory where the link `out` leads out of it and the link `in` stays within. */
const PLACES: readonly (readonly [name: string, isWritten: boolean])[] = [
  ["file", true],
  ["new/folder/file", true],
  ["in/new/file", true],
  ["out/file", false],
  ["out/new/file", false],
  ["out/new/folder/file", false],
  ["none/file", false],
];

for (const [name, isWritten] of PLACES) {
  Deno.test(`writeLocalFile() of ${name} ${isWritten ? "writes the file" : "is refused"}`, async () => {
    await withTempDir(async (root) => {
      for (const folder of ["work/real", "outside"]) {
        await Deno.mkdir(`${root}/${folder}`, { recursive: true });
      }
      await Deno.symlink(`${root}/outside`, `${root}/work/out`);
      await Deno.symlink(`${root}/work/real`, `${root}/work/in`);
      await Deno.symlink(`${root}/nothing`, `${root}/work/none`);
      const writing = writeLocalFile(`${root}/work`, name, "x");
      if (isWritten) {
        assertEquals(await writing, name);
        assertEquals(await Deno.readTextFile(`${root}/work/${name}`), "x");
      } else await assertRejects(() => writing);
      assertEquals([...Deno.readDirSync(`${root}/outside`)], []);
      assertEquals([...Deno.readDirSync(root)].map((entry) => entry.name).sort(), ["outside", "work"]);
    });
  });
}

Deno.test("writeLocalFile() replaces a file with a second name, a link and a pipe instead of writing to them", async () => {
  await withTempDir(async (root) => {
    await Deno.mkdir(`${root}/work`);
    await Deno.writeTextFile(`${root}/outside`, "kept");
    await Deno.link(`${root}/outside`, `${root}/work/named`);
    await Deno.symlink(`${root}/outside`, `${root}/work/linked`);
    assert((await new Deno.Command("mkfifo", { args: [`${root}/work/pipe`] }).output()).success);
    for (const name of ["named", "linked", "pipe"]) {
      await writeLocalFile(`${root}/work`, name, "new");
      assertEquals(await Deno.readTextFile(`${root}/work/${name}`), "new");
    }
    assertEquals(await Deno.readTextFile(`${root}/outside`), "kept");
  });
});

Deno.test("openLocalFile() opens neither a link nor a pipe", async () => {
  await withTempDir(async (root) => {
    await Deno.symlink("/etc/hostname", `${root}/link`);
    assert((await new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).output()).success);
    for (const name of ["link", "pipe"]) {
      await assertRejects(() => openLocalFile(root, name), Error, "it is not the file that was listed");
    }
  });
});
