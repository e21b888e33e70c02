/** The real server on a real database server: what was acknowledged outlives the end of either. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Denokv, DENOKV_TOKEN, denokvTest } from "../support/servers/denokv.ts";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";

const KEY = btoa("k".repeat(32));
const FLOW = `
id: two
namespace: demo
tasks:
  - {id: first, type: io.svc.plugin.core.debug.Return, format: "{{ secret('WORD') }}"}
  - {id: sleep, type: io.svc.plugin.core.flow.Sleep, duration: PT0.1S}
`;
const CLIENTS = 8;
const POLL_MS = 50;

interface Started {
  readonly id: string;
  readonly state: { readonly current: string };
}

const NOT_KNOWN: Started = { id: "", state: { current: "RUNNING" } };

function environment(token = DENOKV_TOKEN): Record<string, string> {
  return { SLUICE_DATABASE_TOKEN: token, SLUICE_ENCRYPTION_KEY: KEY, SECRET_WORD: btoa("word") };
}

async function startServer(dataDir: string, database: string): Promise<ServerProcess> {
  return await ServerProcess.start({ dataDir, args: ["--database", database], env: environment() });
}

/** Clients that start executions until they are stopped. */
class Load {
  readonly acknowledged: string[] = [];
  readonly statuses = new Set<number>();
  url: string;
  #isStopped = false;
  readonly #clients: Promise<void>[];
  #waiters: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(url: string) {
    this.url = url;
    this.#clients = Array.from({ length: CLIENTS }, () => this.#run());
  }

  /** Waits for further acknowledged starts. */
  async more(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.push({ count: this.acknowledged.length + count, resolve });
    await promise;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const response = await fetch(`${this.url}/api/v1/main/executions/demo/two`, { method: "POST" }).catch(
        () => undefined, // The server is down.
      );
      const text = await response?.text().catch(() => undefined);
      if (response?.ok && text !== undefined) this.#acknowledge((JSON.parse(text) as Started).id);
      else await pause();
      if (response && !response.ok) this.statuses.add(response.status);
    }
  }

  #acknowledge(id: string): void {
    this.acknowledged.push(id);
    this.#waiters = this.#waiters.filter(({ count, resolve }) => {
      if (this.acknowledged.length < count) return true;
      resolve();
      return false;
    });
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

async function endOf(server: ServerProcess, id: string): Promise<string> {
  for (;;) {
    // A server that was not scheduled for some seconds loses its lease, and takes it again.
    const { state } = await server.json<Started>("GET", `/executions/${id}`).catch(() => NOT_KNOWN);
    if (state.current !== "RUNNING" && state.current !== "CREATED") return state.current;
    await pause();
  }
}

denokvTest(
  "a server on a database server keeps what it acknowledged when either is killed",
  () =>
    withTempDir(async (directory) => {
      const dataDir = `${directory}/data`;
      await using database = await Denokv.start(`${directory}/database.db`);
      await using first = await startServer(dataDir, database.url);
      const headers = { "content-type": "application/x-yaml" };
      await first.json("POST", "/flows", { headers, body: FLOW });
      const load = new Load(first.url);
      await load.more(20);
      await database.kill();
      await database.restart();
      await load.more(20);
      await first.kill();
      await using second = await startServer(dataDir, database.url);
      load.url = second.url;
      await load.more(20);
      await database.kill();
      await database.restart();
      await load.more(20);
      await load.stop();
      const states = await Promise.all(load.acknowledged.map((id) => endOf(second, id)));
      assertEquals([...new Set(states)], ["SUCCESS"]);
      assertEquals([...load.statuses].filter((status) => status !== 503 && status !== 504), []);
      const { total } = await second.json<{ total: number }>("GET", "/executions/search?namespace=demo");
      assert(total >= load.acknowledged.length);
      const health = await (await fetch(`${second.url}/health`)).json();
      assertEquals(health, { status: "UP", database: "kv_connect" });
      assertEquals(await Deno.stat(dataDir).catch(() => "absent"), "absent");
      for (const { log } of [first, second]) assert(!log.includes(DENOKV_TOKEN));
    }),
);

denokvTest(
  "a server refuses a database with another key, and one that it cannot use",
  () =>
    withTempDir(async (directory) => {
      await using database = await Denokv.start(`${directory}/database.db`);
      const args = ["--database", database.url, "--port", "0"];
      await using server = await startServer(`${directory}/data`, database.url);
      await server.kill("SIGTERM");
      const other = { ...environment(), SLUICE_ENCRYPTION_KEY: btoa("o".repeat(32)) };
      const { log: otherKey } = await ServerProcess.run(args, { env: other });
      assertMatch(otherKey, /Cannot use the database "http:.*": its secrets are encrypted with another key/);
      const wrong = await ServerProcess.run(args, { env: environment("wrong-secret-token") });
      assertMatch(wrong.log, /Cannot use the database "http:.*": .* 401: Invalid access token/);
      assert(!wrong.log.includes("wrong-secret-token"));
      await database.kill();
      const down = await ServerProcess.run(args, { env: environment() });
      assertEquals(down.code, 1);
      assertMatch(down.log, /Cannot use the database "http:.*Connection refused.*check its address/);
    }),
);
