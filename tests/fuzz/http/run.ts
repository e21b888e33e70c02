/**
 * `deno task fuzz:http [--requests N] [--seed S] [--connections C] [--rate R] [--minutes M] [--replay path]`: sends a real
 * server malformed requests, and checks what must hold for every response.
 */
import { parseArgs } from "node:util";
import { type CampaignResult, fuzzHttp } from "./campaign.ts";
import { type HttpFinding, readHttpFinding, saveHttpFinding, shownRequest } from "./findings.ts";
import { FuzzedServer } from "./fuzzed_server.ts";
import { replayFinding } from "./replay.ts";

const FOLDER = new URL("../findings", import.meta.url).pathname;

/** What the command line asks for. */
export interface HttpFuzzOptions {
  readonly requests: number;
  readonly seed: number;
  readonly connections: number;
  /** Requests a second at most. */
  readonly rate: number;
  /** The run ends after them. */
  readonly minutes: number;
  /** Path of a finding that is sent again; nothing else is then done. */
  readonly replay?: string;
}

/** Reads the command line. @throws Error for an unknown option or a number that is none */
export function readOptions(args: readonly string[], seed: number): HttpFuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: "string", default: "100000" },
      seed: { type: "string", default: String(seed) },
      connections: { type: "string", default: "12" },
      rate: { type: "string", default: "100000" },
      minutes: { type: "string", default: "1000" },
      replay: { type: "string" },
    },
  });
  return {
    requests: wholeNumber("requests", values.requests),
    seed: wholeNumber("seed", values.seed),
    connections: wholeNumber("connections", values.connections),
    rate: wholeNumber("rate", values.rate),
    minutes: wholeNumber("minutes", values.minutes),
    replay: values.replay,
  };
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new Error(`Invalid option "--${option}": it must be a whole number from 1`);
}

function print(line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let offset = 0; offset < bytes.length;) offset += Deno.stdout.writeSync(bytes.subarray(offset));
}

async function report(finding: HttpFinding): Promise<void> {
  const path = await saveHttpFinding(FOLDER, finding);
  print(`FINDING ${finding.kind}`);
  print(`  ${shownRequest(finding.request)}`);
  print(`  ${finding.detail.split("\n").slice(0, 8).join("\n  ").slice(0, 1_500)}`);
  print(`  --seed ${finding.seed}, request ${finding.index}, saved as ${path}`);
}

async function fuzz({ replay: _replay, ...options }: HttpFuzzOptions): Promise<number> {
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

async function run(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args, 1 + Math.floor(Math.random() * 1_000_000));
    if (options.replay === undefined) return await fuzz(options);
    const mistake = await replayFinding(await readHttpFinding(options.replay));
    print(mistake ? `${mistake.kind}\n${mistake.detail}` : "Nothing is wrong any more");
    return mistake ? 1 : 0;
  } catch (error) {
    print(error instanceof Error ? error.stack ?? error.message : String(error));
    return 2;
  }
}

if (import.meta.main) Deno.exit(await run(Deno.args));
