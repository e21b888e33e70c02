/**
 * What a backup costs the starts of a running server: their latencies without and with one, in turns. Run it as
 * `deno run -A tests/bench/backup_bench.ts [--megabytes N] [--rate N] [--turns N]`.
 */
import { print, readOptions, wholeNumber } from "../support/processes/command_line.ts";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";

const FLOW =
  "id: hello\nnamespace: demo\ntasks:\n  - {id: say, type: io.svc.plugin.core.debug.Return, format: hi}\n";
const FILE_MEGABYTES = 32;
const MIN_SECONDS = 10;

async function fill(server: ServerProcess, megabytes: number): Promise<void> {
  for (let stored = 0; stored < megabytes; stored += FILE_MEGABYTES) {
    const bytes = new Uint8Array(FILE_MEGABYTES * 1024 * 1024);
    for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    const form = new FormData();
    form.append("fileContent", new Blob([bytes]));
    const url = `${server.url}/api/v1/main/namespaces/demo/files?path=/f${stored}.bin`;
    const response = await fetch(url, { method: "POST", body: form });
    if (!response.ok) throw new Error(await response.text());
    await response.body?.cancel();
  }
}

/** Starts at a steady rate until `isOver`; their latencies in milliseconds. */
async function startSteadily(
  server: ServerProcess,
  rate: number,
  isOver: () => boolean,
): Promise<number[]> {
  const latencies: number[] = [];
  const pending: Promise<void>[] = [];
  const beginMs = performance.now();
  for (let n = 0; !isOver(); n++) {
    const dueMs = beginMs + n * 1000 / rate;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    pending.push(
      server.json("POST", "/executions/demo/hello").then(() =>
        void latencies.push(performance.now() - dueMs)
      ),
    );
  }
  await Promise.all(pending);
  return latencies.sort((a, b) => a - b);
}

function report(name: string, latencies: readonly number[], seconds: number): void {
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? NaN).toFixed(1);
  print(
    `${name}: ${latencies.length} starts in ${seconds.toFixed(1)} s, p50 ${at(0.5)} ms, p99 ${
      at(0.99)
    } ms, ` +
      `p99.9 ${at(0.999)} ms, max ${(latencies.at(-1) ?? NaN).toFixed(1)} ms`,
  );
}

const { rate, megabytes, turns } = readOptions({
  rate: wholeNumber("starts a second", 100),
  megabytes: wholeNumber("stored before", 1024),
  turns: wholeNumber("measurements without and with a backup", 2),
}, Deno.args);
await withTempDir(async (root) => {
  await using server = await ServerProcess.start({ dataDir: root });
  const headers = { "content-type": "application/x-yaml" };
  await server.json("POST", "/flows", { headers, body: FLOW });
  await fill(server, megabytes);
  for (let turn = 0; turn < turns; turn++) {
    let sinceMs = performance.now();
    const over = () => performance.now() - sinceMs >= MIN_SECONDS * 1000;
    report("without", await startSteadily(server, rate, over), MIN_SECONDS);
    const url = `${server.url}/api/v1/backups`;
    sinceMs = performance.now();
    const { id } = await (await fetch(url, { method: "POST" })).json();
    let state = "RUNNING";
    const watch = (async () => {
      while (state === "RUNNING") {
        state = (await (await fetch(`${url}/${id}`)).json()).state;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
    const latencies = await startSteadily(server, rate, () => state !== "RUNNING");
    await watch;
    report(`with (${state})`, latencies, (performance.now() - sinceMs) / 1000);
    await (await fetch(`${url}/${id}`, { method: "DELETE" })).body?.cancel();
  }
});
