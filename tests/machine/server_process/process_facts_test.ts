/** Facts about the process and its data directory. */
import { assert, assertEquals } from "@std/assert";
import { readProcessFacts } from "../../../src/machine/server_process/process_facts.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("readProcessFacts() gives the size of the database, and the room of its disk", async () => {
  await withTempDir(async (dataDir) => {
    await Deno.writeFile(`${dataDir}/sluice.db`, new Uint8Array(300));
    await Deno.writeFile(`${dataDir}/sluice.db-wal`, new Uint8Array(20));
    const { residentBytes, storeBytes, disk } = await readProcessFacts(dataDir);
    assert(residentBytes > 0);
    assertEquals(storeBytes, 320);
    assert(disk !== undefined && disk.freeBytes > 0 && disk.freeBytes <= disk.totalBytes);
  });
});

Deno.test("readProcessFacts() without a data directory knows no disk", async () => {
  const { storeBytes, disk } = await readProcessFacts(undefined);
  assertEquals([storeBytes, disk], [undefined, undefined]);
});

Deno.test("readProcessFacts() of a folder that is gone knows no disk", async () => {
  const { storeBytes, disk } = await readProcessFacts("/nowhere/at/all");
  assertEquals([storeBytes, disk], [0, undefined]);
});
