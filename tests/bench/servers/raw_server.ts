/**
 * The limit of this machine: what the server's own stack can do without a workflow engine. `POST /raw` reads the body and
 * commits it as one record through the group committer; `GET /` answers nothing. Arguments: `--data-dir`, `--port`.
 */
import { parseArgs } from "node:util";
import { Hono } from "hono";
import { systemClock } from "../../../src/base/time/clock.ts";
import { IdSource } from "../../../src/base/id.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { Committer } from "../../../src/store/committer.ts";
import { KvStore } from "../../../src/store/kv_store.ts";

/** A body about as large as the compact record of a one-task execution. */
export const RAW_BODY: string = JSON.stringify({ text: "x".repeat(168) });

async function serve(dataDir: string, port: number): Promise<void> {
  const store = await KvStore.open(`${dataDir}/raw.db`);
  const committer = new Committer({
    store,
    instance: "raw",
    clock: systemClock,
    logger: silentLogger(systemClock),
    onFatal: (reason) => {
      throw new Error(reason);
    },
  });
  await committer.start();
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, createApp(committer).fetch);
  const stop = async () => {
    Deno.removeSignalListener("SIGTERM", stop);
    await server.shutdown();
    await committer[Symbol.asyncDispose]();
    store.close();
  };
  Deno.addSignalListener("SIGTERM", stop);
  await server.finished;
}

function createApp(committer: Committer): Hono {
  const ids = new IdSource();
  const encoder = new TextEncoder();
  const app = new Hono();
  app.get("/", (c) => c.body(""));
  app.get("/health", (c) => c.json({ status: "UP" }));
  app.post("/raw", async (c) => {
    const body = await c.req.text();
    const id = ids.next(systemClock.now());
    await committer.commit({
      mutations: [{ type: "set", key: ["main", "raw", id], value: encoder.encode(body) }],
    });
    return c.json({ id });
  });
  return app;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { "data-dir": { type: "string" }, "port": { type: "string" } } });
  await serve(values["data-dir"] ?? "", Number(values.port));
}
