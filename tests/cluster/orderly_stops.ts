/** Clients that start executions at followers, once each, while the leaders are stopped in order one after the other. */
import { Cluster, type Member, pause } from "./cluster.ts";

const CLIENTS = 8;
const BEFORE_STOP_MS = 300;
const FLOW = "{id: one, namespace: demo, tasks: [{id: a, type: io.svc.plugin.core.debug.Return, format: x}]}";

/** What the clients were told. */
interface OrderlyStops {
  /** Number of responses by status; 0: no response. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Of the longest request. */
  readonly longestMs: number;
}

/** Stops so many leaders. */
export async function stopLeaders(
  folder: string,
  { stops, servers }: { readonly stops: number; readonly servers: number },
): Promise<OrderlyStops> {
  // A stop in order hands the lease over at once, so its length delays nothing.
  const options = { leaseTtl: "30s", args: ["--drain-timeout", "60s"] };
  await using cluster = await Cluster.start({ folder, servers, ...options });
  const { url } = await cluster.leader();
  const headers = { "content-type": "application/x-yaml" };
  const saved = await fetch(`${url}/api/v1/main/flows`, { method: "POST", headers, body: FLOW });
  await saved.body?.cancel();
  const statuses = new Map<number, number>();
  let longestMs = 0;
  for (let stop = 0; stop < stops; stop++) {
    const leader = await cluster.leader();
    const others = cluster.up.filter((member) => member !== leader);
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, async (_, n) => {
      while (!isOver) {
        const sinceMs = performance.now();
        const status = await start(others[n % others.length] ?? leader);
        longestMs = Math.max(longestMs, performance.now() - sinceMs);
        statuses.set(status, 1 + (statuses.get(status) ?? 0));
      }
    });
    await pause(BEFORE_STOP_MS);
    await leader.end("SIGTERM");
    await cluster.leader(others);
    isOver = true;
    await Promise.all(clients);
    await leader.start();
  }
  return { statuses, longestMs };
}

/** The status of the response to a start without an `Idempotency-Key`; 0 without a response. */
async function start({ url }: Member): Promise<number> {
  const response = await fetch(`${url}/api/v1/main/executions/demo/one`, { method: "POST" }).catch(() =>
    undefined
  );
  await response?.body?.cancel();
  return response?.status ?? 0;
}
