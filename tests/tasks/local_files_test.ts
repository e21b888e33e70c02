import { assertEquals, assertRejects } from "@std/assert";
import { findFiles, writeLocalFile } from "../../src/tasks/local_files.ts";
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
