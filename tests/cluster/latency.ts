/**
 * `deno task test:cluster:latency`: what a follower adds to a request, p50 in milliseconds, directly and
 * through the mailbox. Commits of the database and requests at leader and follower alternate, so that all see the same
 * load; `TMPDIR` is where the database is.
 */
import { print, runTask, type ValuesOf, wholeNumber } from "../support/processes/command_line.ts";
import { systemClock } from "../../src/base/time/clock.ts";
import { KvConnectStore } from "../../src/store/kv_connect/kv_connect_store.ts";
import type { Store } from "../../src/store/store.ts";
import { DENOKV_TOKEN, hasDenokv } from "../support/servers/denokv.ts";
import { Cluster, type Member } from "./cluster.ts";

const FLOW = `
id: one
namespace: demo
tasks:
  - {id: first, type: io.svc.plugin.core.debug.Return, format: "{{ execution.id }}"}
`;
const WARM_UP = 30;

interface RequestKind {
  readonly name: string;
  readonly path: string;
  readonly method: "GET" | "POST";
}

const KINDS: readonly RequestKind[] = [
  { name: "GET a flow", method: "GET", path: "/flows/demo/one" },
  { name: "POST a start", method: "POST", path: "/executions/demo/one" },
];

async function send({ url }: Member, { method, path }: RequestKind): Promise<number> {
  const sinceMs = performance.now();
  const response = await fetch(`${url}/api/v1/main${path}`, { method });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return performance.now() - sinceMs;
}

interface Medians {
  /** Of one key, by this process. */
  readonly commit: number;
  readonly direct: number;
  readonly forwarded: number;
  /** Of the difference of the two of one turn. */
  readonly added: number;
}

async function timeCommit(store: Store): Promise<number> {
  const sinceMs = performance.now();
  const value = new Uint8Array(100);
  await store.commit({ checks: [], mutations: [{ type: "set", key: ["latency"], value }], messages: [] });
  return performance.now() - sinceMs;
}

async function measure(cluster: Cluster, kind: RequestKind, requests: number): Promise<Medians> {
  const store = await KvConnectStore.open({
    url: cluster.databaseUrl,
    token: DENOKV_TOKEN,
    clock: systemClock,
  });
  const leader = await cluster.leader();
  const follower = cluster.members.find((member) => member !== leader) ?? leader;
  const commit: number[] = [];
  const direct: number[] = [];
  const forwarded: number[] = [];
  for (let n = -WARM_UP; n < requests; n++) {
    const ms = [await timeCommit(store), await send(leader, kind), await send(follower, kind)] as const;
    if (n < 0) continue;
    commit.push(ms[0]);
    direct.push(ms[1]);
    forwarded.push(ms[2]);
  }
  store.close();
  const added = forwarded.map((ms, n) => ms - (direct[n] ?? 0));
  return {
    commit: median(commit),
    direct: median(direct),
    forwarded: median(forwarded),
    added: median(added),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

async function measureCluster(hasNoAddresses: boolean, requests: number): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-latency-" });
  {
    await using cluster = await Cluster.start({ folder, servers: 2, leaseTtl: "5s", hasNoAddresses });
    const leader = await cluster.leader();
    const headers = { "content-type": "application/x-yaml" };
    const saved = await fetch(`${leader.url}/api/v1/main/flows`, { method: "POST", headers, body: FLOW });
    await saved.body?.cancel();
    for (const kind of KINDS) {
      const figures = await measure(cluster, kind, requests);
      const way = hasNoAddresses ? "through the mailbox" : "through a follower";
      const [commit, direct, forwarded, added] = Object.values(figures).map((ms: number) => ms.toFixed(2));
      print(
        `${kind.name} ${way}: ${forwarded} ms, at the leader ${direct} ms, added ${added} ms; a commit ${commit} ms`,
      );
    }
  }
  await Deno.remove(folder, { recursive: true });
}

const OPTIONS = { requests: wholeNumber("requests of each kind", 300) };

async function run({ requests }: ValuesOf<typeof OPTIONS>): Promise<number> {
  if (!hasDenokv()) {
    print("Skipped: there is no program denokv; the variable DENOKV names it");
    return 0;
  }
  for (const hasNoAddresses of [false, true]) await measureCluster(hasNoAddresses, requests);
  return 0;
}

if (import.meta.main) await runTask("test:cluster:latency", OPTIONS, run);
