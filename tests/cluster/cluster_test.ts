/** One cycle of each kind of `deno task test:cluster`, and the scripts of a leader that is frozen. */
import { assert, assertEquals } from "@std/assert";
import { denokvTest } from "../support/servers/denokv.ts";
import { withTempDir } from "../support/temp_dir.ts";
import { type Blow, runCampaign } from "./campaign.ts";
import { Cluster, pause } from "./cluster.ts";
import { stopLeaders } from "./orderly_stops.ts";

const POLL_MS = 50;

const CAMPAIGNS: readonly (readonly [string, boolean, readonly Blow[]])[] = [
  ["that reach each other", false, ["kill", "freeze", "stop"]],
  ["without addresses", true, ["kill", "stop"]],
];

for (const [name, hasNoAddresses, blows] of CAMPAIGNS) {
  denokvTest(
    `servers ${name} lose and double nothing when their leader ends (${blows.join(", ")})`,
    () =>
      withTempDir(async (folder) => {
        const result = await runCampaign({
          ...{ folder, servers: 2, clients: 4, seed: 1, hasNoAddresses, blows },
          leaseTtl: "4s",
          report: () => {},
        });
        const { lost, doubled, notEnded, problems } = result;
        assertEquals({ lost, doubled, notEnded, problems }, {
          lost: [],
          doubled: [],
          notEnded: [],
          problems: [],
        });
        assert(result.acknowledged > 20 * blows.length);
        const other = [...result.refused.keys()].filter((status) => ![0, 502, 503, 504].includes(status));
        assertEquals(other, []);
      }),
  );
}

denokvTest(
  "starts at followers get no refusal while their leaders are stopped in order",
  () =>
    withTempDir(async (folder) => {
      const { statuses } = await stopLeaders(folder, { stops: 2, servers: 2 });
      assertEquals([...statuses.keys()], [200]);
    }),
);

/** Each attempt writes the id of its process, which then sleeps. */
const SCRIPT = `
id: script
namespace: demo
tasks:
  - id: sleep
    type: io.svc.plugin.scripts.shell.Commands
    env: {PIDS: "FILE"}
    commands:
      - echo $$ >> "$PIDS"
      - test $(wc -l < "$PIDS") -gt 1 || exec sleep 7662
`;

denokvTest(
  "the script of a frozen leader has ended before another server starts it again",
  () =>
    withTempDir(async (folder) => {
      await using cluster = await Cluster.start({ folder, servers: 2, leaseTtl: "4s" });
      const pids = `${folder}/pids`;
      const leader = await cluster.leader();
      const headers = { "content-type": "application/x-yaml" };
      await send(`${leader.url}/api/v1/main/flows`, { headers, body: SCRIPT.replace("FILE", pids) });
      const { id } = await send(`${leader.url}/api/v1/main/executions/demo/script`, {});
      const [first] = await linesOf(pids, 1);
      leader.signal("SIGSTOP");
      await linesOf(pids, 2);
      assertEquals(isAlive(Number(first)), false);
      const next = await cluster.leader(cluster.members.filter((member) => member !== leader));
      leader.signal("SIGCONT");
      await leader.waitForEndOfTerm();
      assertEquals(await endOf(`${next.url}/api/v1/main/executions/${id}`), "SUCCESS");
    }),
);

interface ExecutionResponse {
  readonly id: string;
  readonly state: { readonly current: string };
}

async function send(url: string, init: RequestInit): Promise<ExecutionResponse> {
  const response = await fetch(url, { method: "POST", ...init });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function endOf(url: string): Promise<string> {
  for (;;) {
    const response = await fetch(url);
    const text = await response.text();
    const { state } = response.ok ? JSON.parse(text) as ExecutionResponse : { state: { current: "RUNNING" } };
    if (!["CREATED", "RUNNING"].includes(state.current)) return state.current;
    await pause(POLL_MS);
  }
}

/** The lines of a file once it has that many. */
async function linesOf(path: string, count: number): Promise<string[]> {
  for (;;) {
    const lines = (await Deno.readTextFile(path).catch(() => "")).split("\n").filter((line) => line !== "");
    if (lines.length >= count) return lines;
    await pause(POLL_MS);
  }
}

/** False for a process that has ended, also while its parent has not asked for its status. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}
