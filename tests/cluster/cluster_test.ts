/** One cycle of each kind of `deno task test:cluster`. */
import { assert, assertEquals } from "@std/assert";
import { denokvTest } from "../support/denokv.ts";
import { withTempDir } from "../support/temp_dir.ts";
import { runCampaign } from "./campaign.ts";

denokvTest(
  "servers on one database lose and double nothing when their leader is killed, frozen or stopped",
  () =>
    withTempDir(async (folder) => {
      const result = await runCampaign({
        ...{ folder, servers: 2, clients: 4, seed: 1 },
        leaseTtl: "4s",
        blows: ["kill", "freeze", "stop"],
        report: () => {},
      });
      const { lost, doubled, notEnded, problems } = result;
      assertEquals({ lost, doubled, notEnded, problems }, {
        lost: [],
        doubled: [],
        notEnded: [],
        problems: [],
      });
      assert(result.acknowledged > 60);
      const other = [...result.refused.keys()].filter((status) => ![0, 502, 503, 504].includes(status));
      assertEquals(other, []);
    }),
);
