/** Ends the leader of a cluster again and again under load, and compares the data with what clients were told. */
import { Cluster, type ClusterOptions, type Member, pause } from "./cluster.ts";
import { Load, type LoadFindings } from "./load.ts";

/** What happens to the leader: it is killed, stopped by its supervisor, or frozen and continued after others took over. */
export type Blow = "kill" | "stop" | "freeze";

/** A campaign. */
export interface CampaignOptions extends ClusterOptions {
  readonly clients: number;
  /** One each cycle. */
  readonly blows: readonly Blow[];
  readonly seed: number;
  readonly report: (line: string) => void;
}

/** What was found. */
export interface CampaignResult extends LoadFindings {
  readonly acknowledged: number;
  readonly refused: ReadonlyMap<number, number>;
  /** Milliseconds from each blow to the next acknowledged start. */
  readonly pauses: ReadonlyMap<Blow, readonly number[]>;
  /** What else is wrong. */
  readonly problems: readonly string[];
}

/** Acknowledged starts between two blows. */
const QUIET_STARTS = 20;
const POLL_MS = 20;

/** Runs it. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  await using cluster = await Cluster.start(options);
  const load = await Load.start(() => cluster.up.map(({ url }) => url), options);
  const pauses = new Map<Blow, number[]>();
  const problems: string[] = [];
  for (const [index, blow] of options.blows.entries()) {
    await quiet(load);
    const leader = await cluster.leader();
    const ms = await strike(blow, { leader, cluster, load, problems });
    pauses.set(blow, [...pauses.get(blow) ?? [], ms]);
    const { acknowledged } = load;
    options.report(
      `cycle ${index + 1}: ${blow}, next acknowledged start after ${
        ms.toFixed(0)
      } ms, ${acknowledged.length} so far`,
    );
  }
  await quiet(load);
  await load.stop();
  const leader = await cluster.leader();
  const findings = await load.verify(leader.url);
  for (const { log } of cluster.members) problems.push(...log.match(/^.*\bERROR\b.*$/gm) ?? []);
  return { ...findings, acknowledged: load.acknowledged.length, refused: load.refused, pauses, problems };
}

interface Target {
  readonly leader: Member;
  readonly cluster: Cluster;
  readonly load: Load;
  readonly problems: string[];
}

/** Milliseconds to the next acknowledged start. The server is up again afterwards. */
async function strike(blow: Blow, { leader, cluster, load, problems }: Target): Promise<number> {
  const sinceMs = performance.now();
  if (blow === "freeze") {
    leader.signal("SIGSTOP");
    const others = cluster.up.filter((member) => member !== leader);
    const ms = await load.nextAcknowledged(sinceMs);
    await cluster.leader(others);
    leader.signal("SIGCONT");
    await leader.waitForEndOfTerm();
    return ms;
  }
  const ended = leader.end(blow === "kill" ? "SIGKILL" : "SIGTERM");
  const ms = await load.nextAcknowledged(sinceMs);
  const finished = await ended;
  if (blow === "stop" && finished?.code !== 0) problems.push(`a leader stops with code ${finished?.code}`);
  await leader.start();
  return ms;
}

async function quiet(load: Load): Promise<void> {
  const from = load.acknowledged.length;
  while (load.acknowledged.length < from + QUIET_STARTS) await pause(POLL_MS);
}
