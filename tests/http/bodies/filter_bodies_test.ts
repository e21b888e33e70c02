/** Bodies that hold only filters are short: reading a long one blocks all other requests. */
import { assertEquals } from "@std/assert";
import {
  MAX_FILTER_BODY_BYTES,
  MAX_FLOW_ID_LENGTH,
  MAX_NAMESPACE_LENGTH,
} from "../../../src/model/limits.ts";
import { Harness } from "../../support/harness.ts";
import { json } from "../../support/flows/request_bodies.ts";

const READS: readonly string[] = [
  "/dashboards/charts/export/to-csv",
  "/dashboards/charts/preview",
  "/dashboards/default/charts/executions",
  "/dashboards/default/charts/executions/export/to-csv",
  "/stats/executions/daily",
  "/stats/executions/daily/group-by-flow",
  "/stats/executions/daily/group-by-namespace",
  "/stats/executions/latest/group-by-flow",
  "/stats/logs/daily",
  "/stats/summary",
  "/stats/taskruns/daily",
  "/triggers/unlock/by-query",
];

Deno.test("bodies of filters have at most 512 KiB", async (t) => {
  await using server = await Harness.start();
  for (const path of READS) {
    await t.step(path, async () => {
      const sent = async (length: number) => {
        const response = await server.request("POST", path, json(`{}${" ".repeat(length - 2)}`));
        await response.body?.cancel();
        return response.status;
      };
      assertEquals(await sent(MAX_FILTER_BODY_BYTES + 1), 413);
      assertEquals(await sent(MAX_FILTER_BODY_BYTES) === 413, false);
    });
  }
});

Deno.test("a body of filters names a thousand flows, whatever their names are", async () => {
  await using server = await Harness.start();
  const each = { namespace: "n".repeat(MAX_NAMESPACE_LENGTH), id: "i".repeat(MAX_FLOW_ID_LENGTH) };
  const body = { flows: Array.from({ length: 1_000 }, () => each) };
  assertEquals(await server.json("POST", "/stats/executions/latest/group-by-flow", json(body)), []);
});
