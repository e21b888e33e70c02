/** The processes that share the database. */
import { Hono } from "hono";
import { toIso } from "../../../base/time/clock.ts";
import type { ClusterProcess, ClusterState } from "../../../model/cluster.ts";
import type { AppEnv } from "../../env.ts";

/** `GET /cluster`, relative to the tenant: the processes, and the lease of the leader. Names addresses of machines. */
export function clusterRoutes(read: () => Promise<ClusterState>): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/cluster", async (c) => {
    const { epoch, leaseAgeMs, leaseTtlMs, processes } = await read();
    return c.json({
      epoch,
      leaseAge: seconds(leaseAgeMs),
      leaseTtl: seconds(leaseTtlMs),
      processes: processes.map(processBody),
    });
  });
}

function processBody({ id, role, url, version, since, seenAt, refusal }: ClusterProcess): object {
  return { id, role, url, version, since: toIso(since), seenAt: toIso(seenAt), refusal };
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms) / 1_000;
}
