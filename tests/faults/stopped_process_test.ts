/** A server whose process is stopped for a while, as a suspended machine does. */
import { assert, assertEquals } from "@std/assert";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";
import { Pairs } from "./pairs.ts";

const STOPPED_MS = 3_000;
const TICK_MS = 1_000;
const CATCH_UP_MS = 60_000;
const POLL_MS = 50;

const TICKING = `id: ticking
namespace: faults
tasks:
  - {id: say, type: io.svc.plugin.core.log.Log, message: tick}
triggers:
  - {id: each, type: io.svc.plugin.core.trigger.Schedule, cron: "* * * * * *", withSeconds: true}
`;
const SLEEPING = `id: sleeping
namespace: faults
tasks:
  - {id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT1S}
`;

interface Tick {
  readonly trigger?: { readonly variables: { readonly date: string } };
}

async function save(server: ServerProcess, body: string): Promise<void> {
  await server.json("POST", "/flows", { headers: { "content-type": "application/x-yaml" }, body });
}

/** The dates that have started an execution, oldest first. */
async function ticks(server: ServerProcess): Promise<number[]> {
  const query = "/executions/search?size=200&filters[flowId][EQUALS]=ticking&sort=id:asc";
  const { results } = await server.json<{ results: Tick[] }>("GET", query);
  return results.map(({ trigger }) => Date.parse(trigger?.variables.date ?? ""));
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + CATCH_UP_MS;
  while (!await isDone()) {
    assert(performance.now() < deadline, "it did not catch up");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

Deno.test("a process that was stopped continues: each due date has one execution, and what slept wakes up", async () => {
  await withTempDir(async (root) => {
    await using server = await ServerProcess.start({ dataDir: `${root}/data` });
    const pairs = new Pairs();
    await save(server, TICKING);
    await save(server, SLEEPING);
    const { id } = await server.json<{ id: string }>("POST", "/executions/faults/sleeping");
    await pairs.put(server, "before", "1");
    await until(async () => (await ticks(server)).length > 0);
    server.signal("SIGSTOP");
    const stoppedAt = Date.now();
    // Accepted by the system while the process stands still.
    const written = pairs.put(server, "during", "2");
    await new Promise((resolve) => setTimeout(resolve, STOPPED_MS));
    server.signal("SIGCONT");
    const continuedAt = Date.now();
    assertEquals((await written).status, 200);
    await until(async () => (await ticks(server)).some((date) => date > continuedAt));
    const found = await ticks(server);
    assertEquals(new Set(found).size, found.length, "a date has started two executions");
    for (let date = Math.ceil(stoppedAt / TICK_MS) * TICK_MS; date <= continuedAt; date += TICK_MS) {
      assert(found.includes(date), `${new Date(date).toISOString()} has started nothing: ${found}`);
    }
    await until(async () => {
      const { state } = await server.json<{ state: { current: string } }>("GET", `/executions/${id}`);
      return state.current === "SUCCESS";
    });
    await pairs.verify(server);
  });
});
