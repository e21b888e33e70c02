/** What a torn or damaged page of the database does to the next start. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";
import { Pairs } from "./pairs.ts";

const PAGE_BYTES = 4_096;
const PAIRS = 30;

interface AuditPage {
  readonly results: readonly { readonly auditLog: { readonly detail: { readonly key?: string } } }[];
}

interface Left {
  readonly dataDir: string;
  readonly pairs: Pairs;
}

/** A data directory that a server has left after `signal`. */
async function withLeft(signal: Deno.Signal, use: (left: Left) => Promise<void>): Promise<void> {
  await withTempDir(async (root) => {
    const dataDir = `${root}/data`;
    const pairs = new Pairs();
    {
      await using server = await ServerProcess.start({ dataDir });
      for (let n = 0; n < PAIRS; n++) await pairs.put(server, `k${n}`, `${n}`.padEnd(10_000, "x"));
      await server.kill(signal);
    }
    await use({ dataDir, pairs });
  });
}

/** Overwrites `length` bytes at `offset`, from the end if negative. */
async function damage(path: string, offset: number, length = PAGE_BYTES): Promise<void> {
  const bytes = await Deno.readFile(path);
  const start = offset < 0 ? bytes.length + offset : offset;
  await Deno.writeFile(path, bytes.fill(0xff, start, start + length));
}

Deno.test("a write that was torn by a crash is ignored, and everything acknowledged is there", async () => {
  await withLeft("SIGKILL", async ({ dataDir, pairs }) => {
    const half = new Uint8Array(PAGE_BYTES / 2).fill(7);
    await Deno.writeFile(`${dataDir}/sluice.db-wal`, half, { append: true });
    await using server = await ServerProcess.start({ dataDir });
    await pairs.verify(server);
    assertEquals((await pairs.put(server, "after", "1")).status, 200);
  });
});

Deno.test("a lost last page of the write-ahead log takes only the last commit with it", async () => {
  await withLeft("SIGKILL", async ({ dataDir, pairs }) => {
    await damage(`${dataDir}/sluice.db-wal`, -PAGE_BYTES);
    await using server = await ServerProcess.start({ dataDir });
    // The last commit is the record of the last pair in the audit log.
    for (let n = 0; n < PAIRS; n++) {
      assertEquals((await pairs.get(server, `k${n}`))?.trimEnd().length, 10_000, `k${n}`);
    }
    const { results: [newest] } = await server.json<AuditPage>("GET", "/auditlogs/search?size=1");
    assertEquals(newest?.auditLog.detail.key, `k${PAIRS - 2}`);
    assertEquals((await pairs.put(server, "after", "1")).status, 200);
  });
});

/** Where SQLite keeps which page refers to which: it is read only by commits that free space. */
const MAP_PAGE = 1;

for (const page of [0, 2]) {
  Deno.test(`a start with a damaged page ${page} of the database is refused in one line that names the way out`, async () => {
    await withLeft("SIGTERM", async ({ dataDir }) => {
      await damage(`${dataDir}/sluice.db`, page * PAGE_BYTES);
      const error = await assertRejects(() => ServerProcess.start({ dataDir }), Error);
      const [line = ""] = error.message.split("\n").filter((text) => text.startsWith("Cannot "));
      assertMatch(
        line,
        /^Cannot use the data directory ".*": its database cannot be read: .*doctor --data-dir \S+$/,
      );
      assertEquals(/^ {4}at /m.test(error.message), false, error.message);
    });
  });
}

Deno.test("a damaged map of pages loses nothing that is stored, and refuses a commit that frees space", async () => {
  await withLeft("SIGTERM", async ({ dataDir, pairs }) => {
    await damage(`${dataDir}/sluice.db`, MAP_PAGE * PAGE_BYTES);
    await using server = await ServerProcess.start({ dataDir });
    const response = await fetch(`${server.url}/api/v1/main/namespaces/faults/kv/k0`, { method: "DELETE" });
    assertEquals(response.status, 503, await response.text());
    await server.waitForLog(/Writes are refused .*database disk image is malformed/, 60_000);
    await pairs.verify(server);
  });
});

Deno.test("a damaged page with records is reported for these records alone", async () => {
  await withLeft("SIGTERM", async ({ dataDir, pairs }) => {
    await damage(`${dataDir}/sluice.db`, -PAGE_BYTES);
    await using server = await ServerProcess.start({ dataDir });
    assertEquals((await pairs.get(server, "k0"))?.length, 10_000);
    const response = await fetch(`${server.url}/api/v1/main/namespaces/faults/kv/k${PAIRS - 1}`);
    assertEquals([response.status, response.headers.get("retry-after")], [503, "1"], await response.text());
    await server.waitForLog(/The database cannot be read/, 60_000);
  });
});
