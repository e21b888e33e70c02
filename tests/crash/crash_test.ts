/** The real process on a real file, killed again and again under load: nothing acknowledged may be lost. */
import { assertEquals, assertGreater } from "@std/assert";
import { withTempDir } from "../support/temp_dir.ts";
import { runCampaign } from "./campaign.ts";
import { FINDING_KINDS } from "./verification/findings.ts";

/** Enough for SIGKILL in a start, in a recovery and under load; `deno task test:crash` takes other seeds and more cycles. */
const CYCLES = 6;
const SEED = 20_261_121;

Deno.test("SIGKILL under load: nothing is lost, doubled, stuck or illegal after the restart", async () => {
  await withTempDir(async (folder) => {
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const options = { cycles: CYCLES, seed: SEED, folder, workers: 16, maxLifeMs: 1_500, report };
    const { acknowledged, findings } = await runCampaign(options);
    const counts = Object.fromEntries(FINDING_KINDS.map((kind) => [kind, findings.count(kind)]));
    const details = [...lines, ...findings.examples].join("\n");
    assertEquals(counts, { lost: 0, doubled: 0, stuck: 0, illegal: 0, orphaned: 0 }, details);
    assertGreater(acknowledged, 50, details);
  });
});
