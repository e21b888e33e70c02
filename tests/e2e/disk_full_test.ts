/** A disk that is full, for real: a small file system in memory, filled by the server itself. Needs the right to mount. */
import { assert, assertEquals, assertGreater } from "@std/assert";
import { readRefusal } from "../api/refusals.ts";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";

/** Room for the reserve of 16 MiB and some data. */
const SIZE = "48m";
const PUT_BYTES = 900_000;
/** More than fits. */
const MAX_PUTS = 100;
/** Longest time from space to a write that is stored; the server tries by itself. */
const MAX_RECOVERY_MS = 60_000;
const RETRY_MS = 100;

async function run(command: string, ...args: string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(command, { args, stdout: "null", stderr: "null" }).output();
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function isMountable(): Promise<boolean> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return false;
  const folder = await Deno.makeTempDir();
  try {
    return await run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder) && await run("umount", folder);
  } finally {
    await Deno.remove(folder);
  }
}

async function withSmallDisk(use: (folder: string) => Promise<void>): Promise<void> {
  await withTempDir(async (root) => {
    assert(await run("mount", "-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", root), "cannot mount");
    try {
      await use(root);
    } finally {
      assert(await run("umount", root), "cannot unmount");
    }
  });
}

async function put(api: string, key: string, value: string): Promise<{ status: number; text: string }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${api}/namespaces/full.disk/kv/${key}`, {
    method: "PUT",
    headers,
    body: JSON.stringify(value),
  });
  return { status: response.status, text: await response.text() };
}

/** A text that the server cannot store in much less space. */
function incompressible(length: number): string {
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += 65_536) {
    crypto.getRandomValues(bytes.subarray(start, start + 65_536));
  }
  return bytes.toBase64().slice(0, length);
}

/** Stores pairs until there is no room; gives how many were stored, and the refusal. */
async function fill(api: string): Promise<{ stored: number; refusal: { status: number; text: string } }> {
  for (let stored = 0; stored < MAX_PUTS; stored++) {
    const refusal = await put(api, `k${stored}`, incompressible(PUT_BYTES));
    if (refusal.status !== 200) return { stored, refusal };
  }
  throw new Error("the disk never became full");
}

/** Waits until health says that the disk is full; the reserve, or the log of the database, takes some writes before. */
async function untilReported(url: string, api: string): Promise<void> {
  const deadline = performance.now() + MAX_RECOVERY_MS;
  for (;;) {
    const refusal = await put(api, "late", "x".repeat(PUT_BYTES));
    const { status, reason } = await (await fetch(`${url}/health`)).json();
    // Pages show what health says, see tests/faults/health_test.ts.
    if (refusal.status === 507 && status === "DEGRADED" && reason === "the disk is full") return;
    assert(performance.now() < deadline, `${status} ${reason}`);
  }
}

/** Tries again until a pair is stored. */
async function untilStored(api: string): Promise<void> {
  const deadline = performance.now() + MAX_RECOVERY_MS;
  let status = 0;
  while (status !== 200 && performance.now() < deadline) {
    status = (await put(api, "late", "later")).status;
    if (status !== 200) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  assertEquals(status, 200);
}

Deno.test({
  name: "a full disk gives 507; reads continue, what was acknowledged stays, and writes come back with space",
  ignore: !await isMountable(),
  async fn() {
    await withSmallDisk(async (root) => {
      await using server = await ServerProcess.start({ dataDir: `${root}/data` });
      const api = `${server.url}/api/v1/main`;
      assertEquals((await put(api, "small", "small")).status, 200);
      const { stored, refusal } = await fill(api);
      assertGreater(stored, 3);
      assertEquals(refusal.status, 507, refusal.text);
      readRefusal(refusal.text, 507);
      await untilReported(server.url, api);
      for (const key of ["small", "k0", `k${stored - 1}`]) {
        const response = await fetch(`${api}/namespaces/full.disk/kv/${key}`);
        await response.body?.cancel();
        assertEquals(response.status, 200, key);
      }
      assert(await run("mount", "-o", "remount,size=128m", root), "cannot enlarge");
      await untilStored(api);
      assertEquals(await (await fetch(`${server.url}/health`)).json(), { status: "UP" });
      const { code, log } = await server.kill("SIGTERM");
      assertEquals(code, 0, log);
      await using again = await ServerProcess.start({ dataDir: `${root}/data` });
      const response = await fetch(`${again.url}/api/v1/main/namespaces/full.disk/kv`);
      assertEquals((await response.json()).length, stored + 2);
    });
  },
});

const PAUSING = `id: pausing
namespace: full.disk
tasks:
  - id: wait
    type: io.svc.plugin.core.flow.Pause
`;
/** Longer than two messages of the queue are apart, which remind a server of its live executions. */
const FULL_MS = 5_000;

/** Takes what space is left, and what the server gives back, for as long as messages of the queue become due. */
async function keepFull(root: string, probe: () => Promise<void>): Promise<void> {
  const block = crypto.getRandomValues(new Uint8Array(4_096));
  const until = performance.now() + FULL_MS;
  for (let n = 0; performance.now() < until; n++) {
    await using file = await Deno.open(`${root}/other-${n}`, { write: true, createNew: true });
    while (await file.write(block).catch(() => 0) > 0) continue;
    await probe();
  }
}

Deno.test({
  name: "a disk that stays full does not end a server with live executions",
  ignore: !await isMountable(),
  async fn() {
    await withSmallDisk(async (root) => {
      await using server = await ServerProcess.start({ dataDir: `${root}/data` });
      const api = `${server.url}/api/v1/main`;
      const headers = { "content-type": "application/x-yaml" };
      await (await fetch(`${api}/flows`, { method: "POST", headers, body: PAUSING })).body?.cancel();
      const start = () => fetch(`${api}/executions/full.disk/pausing`, { method: "POST" });
      const { id } = await (await start()).json();
      await keepFull(root, async () => {
        await (await start()).body?.cancel();
        const response = await fetch(`${api}/executions/${id}`);
        assertEquals(response.status, 200);
        await response.body?.cancel();
      });
      await untilReported(server.url, api);
      assert(await run("mount", "-o", "remount,size=128m", root), "cannot enlarge");
      await untilStored(api);
      const { code, log } = await server.kill("SIGTERM");
      assertEquals(code, 0, log);
    });
  },
});

Deno.test({
  name: "a start on a read-only file system is refused in one line that says so",
  ignore: !await isMountable(),
  async fn() {
    await withSmallDisk(async (root) => {
      const dataDir = `${root}/data`;
      {
        await using server = await ServerProcess.start({ dataDir });
        await server.kill("SIGTERM");
      }
      assert(await run("mount", "-o", "remount,ro", root), "cannot remount");
      const { code, log } = await ServerProcess.run(["--data-dir", dataDir, "--port", "0"]);
      assertEquals([code, log.split("\n").filter((line) => line.startsWith("Cannot"))], [1, [
        `Cannot write to the data directory "${dataDir}": read-only file system`,
      ]]);
    });
  },
});
