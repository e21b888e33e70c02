/** `deno task fuzz:http`: sends a real server malformed requests, and checks what must hold for every response. */
import {
  print,
  runTask,
  seedNumber,
  text,
  type ValuesOf,
  wholeNumber,
} from "../../support/processes/command_line.ts";
import { type CampaignResult, fuzzHttp } from "./campaign.ts";
import { type HttpFinding, readHttpFinding, saveHttpFinding, shownRequest } from "./findings.ts";
import { FuzzedServer } from "./fuzzed_server.ts";
import { replayFinding } from "./replay.ts";

const FOLDER = new URL("../findings", import.meta.url).pathname;

const OPTIONS = {
  requests: wholeNumber("requests that are sent", 100_000),
  seed: seedNumber("of the requests"),
  connections: wholeNumber("connections at the same time", 12),
  rate: wholeNumber("requests a second at most", 100_000),
  minutes: wholeNumber("the run ends after them", 1_000),
  replay: text("a finding that is sent again; nothing else is done then", "<path>", undefined),
};
type Options = ValuesOf<typeof OPTIONS>;

async function report(finding: HttpFinding): Promise<void> {
  const path = await saveHttpFinding(FOLDER, finding);
  print(`FINDING ${finding.kind}`);
  print(`  ${shownRequest(finding.request)}`);
  print(`  ${finding.detail.split("\n").slice(0, 8).join("\n  ").slice(0, 1_500)}`);
  print(`  --seed ${finding.seed}, request ${finding.index}, saved as ${path}`);
}

async function fuzz({ replay: _replay, ...options }: Options): Promise<number> {
  print(`seed ${options.seed}, ${options.requests} requests, ${options.connections} connections`);
  await using server = await FuzzedServer.start();
  const stop = new AbortController();
  // Ended at once, it would leave the server behind.
  for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, () => stop.abort());
  const result = await fuzzHttp(server, { ...options, signal: stop.signal, report: print, found: report });
  for (const line of summary(result)) print(line);
  return result.findings > 0 || result.memory.isGrowing ? 1 : 0;
}

function summary(result: CampaignResult): string[] {
  const { sent, seconds, statuses, operations, slowestMs, findings, memory } = result;
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  const [first, last, slope] = [memory.first, memory.last, memory.perHour].map((bytes) =>
    (bytes / 1e6).toFixed(1)
  );
  return [
    `${sent} requests in ${seconds.toFixed(0)} s, ${Math.round(sent / seconds)} a second`,
    `statuses ${counts.join(", ")}`,
    `${operations} operations had a successful response; the slowest response took ${
      slowestMs.toFixed(0)
    } ms`,
    `resident memory ${first} MB → ${last} MB, ${slope} MB an hour: ${memory.isGrowing ? "growing" : "flat"}`,
    `${findings} findings`,
  ];
}

async function run(options: Options): Promise<number> {
  if (options.replay === undefined) return await fuzz(options);
  const mistake = await replayFinding(await readHttpFinding(options.replay));
  print(mistake ? `${mistake.kind}\n${mistake.detail}` : "Nothing is wrong any more");
  return mistake ? 1 : 0;
}

if (import.meta.main) await runTask("fuzz:http", OPTIONS, run);
