/** Directories of tasks that are made and removed at the same time. */
import { assertEquals } from "@std/assert";
import { WorkDirectories } from "../../../src/machine/scripts/work_directories.ts";

Deno.test("make() waits for a removal of the same directory: a task that has ended is restarted at once", async () => {
  await using directories = new WorkDirectories(undefined);
  for (let round = 0; round < 20; round++) {
    const path = await directories.make("task");
    for (let n = 0; n < 20; n++) await Deno.mkdir(`${path}/${n}/deep`, { recursive: true });
    const removed = directories.remove("task");
    await Deno.writeTextFile(`${await directories.make("task")}/new.txt`, "text");
    await removed;
    assertEquals(await Array.fromAsync(Deno.readDir(path), ({ name }) => name), ["new.txt"]);
  }
});
