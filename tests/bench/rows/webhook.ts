/** Row 22: a webhook that answers when its execution has ended ÷ a raw POST of the same client. */
import { createFlow, pureFlow, webhookPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, type RowResult } from "../figures.ts";
import { measureLatency, type TimedRequest } from "../load/latency_client.ts";
import { RAW_BODY } from "../servers/raw_server.ts";
import type { Row } from "./row.ts";

const FLOW = "hooked";
const KEY = "a-key-of-some-length";

/** Webhooks. */
export const webhookRow: Row = {
  number: 22,
  name: "webhook",
  title: "webhook that waits for its execution, 1 client ÷ raw POST",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  await using raw = await bench.startRaw();
  await using server = await bench.startServer();
  const trigger = `{id: hook, type: io.svc.plugin.core.trigger.Webhook, key: ${KEY}, wait: true}`;
  await createFlow(server.url, `${pureFlow(FLOW)}triggers:\n  - ${trigger}\n`);
  const post = (path: string): TimedRequest => ({ method: "POST", path, body: RAW_BODY });
  const side = (url: string, path: string) => async (seconds: number) =>
    (await measureLatency({ url, requests: [post(path)], seconds }))[0]?.p50Ms ?? NaN;
  const [limit = NaN, called = NaN] = await bench.byShortTurns(
    side(raw.url, "/raw"),
    side(server.url, webhookPath(FLOW, KEY)),
  );
  return {
    figures: [{
      row: 22,
      name: "webhook → its answer after SUCCESS p50, 1 client ÷ raw POST p50",
      measured: inMs(called),
      limit: inMs(limit),
      value: called / limit,
      unit: "",
      better: "lower",
      floor: 4,
      goal: 2.5,
    }],
    notes: [],
  };
}
