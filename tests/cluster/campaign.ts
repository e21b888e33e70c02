/** Ends the leader of a cluster again and again under load, and compares the data with what clients were told. */
import { Cluster, type ClusterOptions, type Member, pause } from "./cluster.ts";
import { Load, type LoadFindings } from "./load.ts";

/**
 * What happens to the leader: it is killed, stopped by its supervisor, frozen and continued after others took over, or cut off
 * from the database until then, which needs {@link ClusterOptions.faults}.
 */
export type Blow = "kill" | "stop" | "freeze" | "cut";

/** A campaign. */
export interface CampaignOptions extends ClusterOptions {
  /** Interval at which late requests reach the database; absent: there are none. */
  readonly landMs?: number;
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
const DATABASE_ERROR = /ERROR +(?:The database cannot be read|Writes are refused until)/;

/** Runs it. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  await using cluster = await Cluster.start(options);
  using _landing = landing(cluster, options.landMs);
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
  for (const { log } of cluster.members) problems.push(...errorsIn(log, options));
  return { ...findings, acknowledged: load.acknowledged.length, refused: load.refused, pauses, problems };
}

/** Sends late requests to the database at intervals. Some were followed by others that make them fail there. */
function landing({ members }: Cluster, landMs: number | undefined): Disposable {
  const land = () => {
    for (const { proxy } of members) proxy?.land().catch(() => {});
  };
  const timer = landMs === undefined ? undefined : setInterval(land, landMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Errors in a log; a database that is cut off on purpose may be reported. */
function errorsIn(log: string, { faults }: CampaignOptions): string[] {
  const errors = log.match(/^.*\bERROR\b.*$/gm) ?? [];
  return faults ? errors.filter((line) => !DATABASE_ERROR.test(line)) : errors;
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
  if (blow === "freeze" || blow === "cut") {
    const goOn = blow === "freeze" ? freeze(leader) : cutOff(leader);
    const others = cluster.up.filter((member) => member !== leader);
    const ms = await load.nextAcknowledged(sinceMs);
    await cluster.leader(others);
    goOn();
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

function freeze(leader: Member): () => void {
  leader.signal("SIGSTOP");
  return () => leader.signal("SIGCONT");
}

function cutOff({ proxy }: Member): () => void {
  if (!proxy) throw new Error("A server without a proxy cannot be cut off");
  const { plan } = proxy;
  proxy.plan = () => "cut";
  return () => proxy.plan = plan;
}

async function quiet(load: Load): Promise<void> {
  const from = load.acknowledged.length;
  while (load.acknowledged.length < from + QUIET_STARTS) await pause(POLL_MS);
}
