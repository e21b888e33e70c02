/** A disk that fails writes and reads under the real server. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ServerProcess } from "../support/processes/server_process.ts";
import { CAN_FAIL_DISKS, type DiskFault, EIO, ENOSPC, EROFS, withFaultyDisk } from "./faulty_disk.ts";
import { countInLog, healthOf, Pairs } from "./pairs.ts";

const REFUSED = "Writes are refused until a commit succeeds";
const ACCEPTED = "Writes are accepted again";

const FAULTS: readonly (readonly [string, Partial<DiskFault>, status: number, reason: string])[] = [
  ["an error of the disk on writes", { writes: EIO }, 503, "the disk reports errors"],
  ["a file system that became read-only", { writes: EROFS }, 503, "the file system is read-only"],
  ["a disk without space", { writes: ENOSPC }, 507, "the disk is full"],
];

for (const [name, fault, status, reason] of FAULTS) {
  Deno.test({
    name: `${name}: writes are refused with the reason, reads go on, and all recovers by itself`,
    ignore: !CAN_FAIL_DISKS,
    async fn() {
      await withFaultyDisk(async ({ dataDir, env, set }) => {
        const pairs = new Pairs();
        {
          await using server = await ServerProcess.start({ dataDir, env });
          assertEquals((await pairs.put(server, "before", "1")).status, 200);
          set(fault);
          const refused = await pairs.put(server, "refused", "2");
          assertEquals([refused.status, refused.retryAfter], [status, "1"], refused.text);
          assertStringIncludes(refused.text, reason);
          const [healthStatus, health] = await healthOf(server);
          assertEquals([healthStatus, health.status, health.reason], [200, "DEGRADED", reason]);
          await pairs.verify(server, ["refused"]);
          set({});
          await pairs.putUntilStored(server, "after", "3");
          await server.waitForLog(new RegExp(`${ACCEPTED} reason="${reason}"`), 60_000);
          assertEquals(countInLog(server, REFUSED), 1, server.log);
          assertEquals(await healthOf(server), [200, { status: "UP" }]);
          assertEquals((await server.kill("SIGTERM")).code, 0);
        }
        await using again = await ServerProcess.start({ dataDir, env });
        await pairs.verify(again, ["refused"]);
      });
    },
  });
}

Deno.test({
  name: "a disk that fails reads and writes: nothing is acknowledged meanwhile, and all recovers by itself",
  ignore: !CAN_FAIL_DISKS,
  async fn() {
    await withFaultyDisk(async ({ dataDir, env, set }) => {
      const pairs = new Pairs();
      await using server = await ServerProcess.start({ dataDir, env });
      assertEquals((await pairs.put(server, "before", "1")).status, 200);
      set({ reads: EIO, writes: EIO });
      const waiting = pairs.put(server, "unknown", "2");
      await server.waitForLog(/reason="the database cannot be read"/, 60_000);
      const [status, health] = await healthOf(server);
      assertEquals([status, health.status, health.reason], [503, "DOWN", "the database cannot be read"]);
      const refused = await pairs.put(server, "refused", "3");
      assertEquals([refused.status, refused.retryAfter], [503, "1"], refused.text);
      set({});
      assertEquals((await waiting).status, 503);
      await pairs.putUntilStored(server, "after", "4");
      await pairs.verify(server, ["unknown", "refused"]);
      assertEquals(await healthOf(server), [200, { status: "UP" }]);
    });
  },
});
