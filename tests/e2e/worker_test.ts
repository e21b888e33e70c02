/** Real workers: processes that run scripts for a server. */
import { assertEquals } from "@std/assert";
import { SILENCE_MS } from "../../src/model/http/worker_protocol.ts";
import { freePort } from "../support/processes/free_port.ts";
import { type ExecutionResponse, Harness } from "../support/harness.ts";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";
import { WorkerProcess } from "../support/processes/worker_process.ts";

const POLL_MS = 100;

function scriptFlow(id: string, script: string): string {
  return JSON.stringify({
    id,
    namespace: "demo",
    tasks: [{
      id: "job",
      type: "io.svc.plugin.scripts.shell.Script",
      workerGroup: { key: "gpu" },
      script,
    }],
  });
}

function attemptsOf({ taskRunList }: ExecutionResponse): string[] {
  return (taskRunList[0]?.attempts ?? []).map(({ state }) => state.current);
}

async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    await new Promise((go) => setTimeout(go, POLL_MS));
  }
}

async function lines(path: string): Promise<string[]> {
  const text = await Deno.readTextFile(path).catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

const hasEnded = ({ state }: ExecutionResponse) => !/CREATED|RUNNING|KILLING/.test(state.current);

Deno.test("sluice worker: a script outlasts a kill of the server, and a kill of its execution ends it", async () => {
  await withTempDir(async (root) => {
    const port = freePort();
    const options = { dataDir: `${root}/data`, port, args: ["--scripts", "off"] };
    const effect = `${root}/effect`;
    const first = await ServerProcess.start(options);
    const worker = await WorkerProcess.start(first.url, "w1", "--group", "gpu");
    await using _worker = worker;
    const headers = { "content-type": "application/x-yaml" };
    const script =
      `echo begun >> ${effect}; while [ ! -e ${root}/go ]; do sleep 0.1; done; echo ended >> ${effect}`;
    await first.json("POST", "/flows", { headers, body: scriptFlow("waits", script) });
    await first.json("POST", "/flows", {
      headers,
      body: scriptFlow("long", `echo $$ > ${root}/pid; sleep 600`),
    });
    const { id } = await first.json<{ id: string }>("POST", "/executions/demo/waits");
    await until(() => lines(effect), (found) => found.length > 0);
    await first.kill("SIGKILL");
    await using server = await ServerProcess.start(options);
    await Deno.writeTextFile(`${root}/go`, "");
    const ended = await until(() => server.json<ExecutionResponse>("GET", `/executions/${id}`), hasEnded);
    assertEquals([ended.state.current, attemptsOf(ended)], ["SUCCESS", ["SUCCESS"]]);
    assertEquals(await lines(effect), ["begun", "ended"]);

    const long = await server.json<{ id: string }>("POST", "/executions/demo/long");
    const [pid = ""] = await until(() => lines(`${root}/pid`), (found) => found.length > 0);
    await server.json("DELETE", `/executions/${long.id}/kill`);
    const killed = await until(
      () => server.json<ExecutionResponse>("GET", `/executions/${long.id}`),
      hasEnded,
    );
    assertEquals([killed.state.current, attemptsOf(killed)], ["KILLED", ["KILLED"]]);
    const isGone = () => Deno.stat(`/proc/${pid}`).then(() => false, () => true);
    await until(isGone, Boolean);
    assertEquals(await worker.kill("SIGTERM"), 0);
  });
});

Deno.test("sluice worker: the script of a worker that is killed runs again on another one", async () => {
  await withTempDir(async (root) => {
    await using app = await Harness.start({ scripts: "off" });
    const listening = Promise.withResolvers<string>();
    await using _server = Deno.serve({
      hostname: "127.0.0.1",
      port: 0,
      onListen: ({ port }) => listening.resolve(`http://127.0.0.1:${port}`),
    }, (request) => app.assembly.fetch(request));
    const url = await listening.promise;
    const script = `echo $$ >> ${root}/runs; while [ ! -e ${root}/go ]; do sleep 0.1; done`;
    await app.save(scriptFlow("waits", script));
    await using first = await WorkerProcess.start(url, "w1", "--group", "gpu");
    const { id } = await app.start("waits");
    await until(() => lines(`${root}/runs`), (found) => found.length === 1);
    await first.kill("SIGKILL");
    // Its connection is closed: a heartbeat that is read later would reset the silence timer.
    await until(() => app.page("/workers"), ({ results: [worker] }) => worker?.isConnected === false);
    await app.advance(SILENCE_MS + 1_000);
    assertEquals(attemptsOf(await app.execution(id)), ["RESUBMITTED", "RUNNING"]);
    await using _second = await WorkerProcess.start(url, "w2", "--group", "gpu");
    const runs = await until(() => lines(`${root}/runs`), (found) => found.length === 2);
    await Deno.writeTextFile(`${root}/go`, "");
    const ended = await until(() => app.execution(id), hasEnded);
    assertEquals([ended.state.current, attemptsOf(ended)], ["SUCCESS", ["RESUBMITTED", "SUCCESS"]]);
    assertEquals(new Set(runs).size, 2);
    await app.assembly.releaseRequests();
  });
});

const PLUGIN = `export default defineTask({
  type: "com.example.Where",
  title: "Where",
  description: "Says where it runs.",
  properties: { text: { type: "string", required: true, description: "The text." } },
  outputs: { text: { type: "string", description: "The text." } },
  run: (context) => Promise.resolve({ text: "worker " + context.properties.text }),
});`;

Deno.test("sluice worker: a task of a plugin runs on a worker that has the plugin", () =>
  withTempDir(async (root) => {
    for (const side of ["server", "worker"]) {
      await Deno.mkdir(`${root}/${side}`);
      const source = side === "server" ? PLUGIN.replace("worker ", "server ") : PLUGIN;
      await Deno.writeTextFile(`${root}/${side}/where.js`, source);
    }
    const args = ["--plugins", `${root}/server`, "--scripts", "off"];
    await using server = await ServerProcess.start({ dataDir: `${root}/data`, args });
    const plugins = ["--plugins", `${root}/worker`];
    await using _worker = await WorkerProcess.start(server.url, "w1", "--group", "gpu", ...plugins);
    const task = { id: "job", type: "com.example.Where", workerGroup: { key: "gpu" }, text: "x" };
    const body = JSON.stringify({ id: "where", namespace: "demo", tasks: [task] });
    await server.json("POST", "/flows", { headers: { "content-type": "application/x-yaml" }, body });
    const { id } = await server.json<{ id: string }>("POST", "/executions/demo/where");
    const ended = await until(() => server.json<ExecutionResponse>("GET", `/executions/${id}`), hasEnded);
    assertEquals([ended.state.current, ended.taskRunList[0]?.outputs], ["SUCCESS", { text: "worker x" }]);
  }));
