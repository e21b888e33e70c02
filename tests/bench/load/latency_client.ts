/** One client in a process of its own, which asks one thing after the other and times each; see {@link measureLatency}. */
import { startPath } from "../api.ts";
import { median, quantile } from "../figures.ts";
import { KeepAliveClient } from "./keep_alive_client.ts";

/** A request to time. */
export interface TimedRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

/** What the client does: all requests in turn, until the time or the rounds are over. */
export interface LatencyJob {
  readonly url: string;
  readonly requests: readonly TimedRequest[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly seconds?: number;
  readonly rounds?: number;
  /** Each request starts an execution; the time ends when a GET of it, sent again and again, shows SUCCESS. */
  readonly untilSuccess?: boolean;
}

/** Times of one request of the job. */
export interface Latency {
  readonly path: string;
  readonly count: number;
  readonly firstMs: number;
  /** Of all but the first. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const TERMINAL_FAILURE = /"current":"(FAILED|KILLED|CANCELLED)"/;

/** Runs a job in a process of its own; one result a request. @throws Error when an answer is not a success */
export async function measureLatency(job: LatencyJob): Promise<Latency[]> {
  const script = new URL(import.meta.url).pathname;
  const args = ["run", "-A", "--no-check", "--no-lock", "--quiet", script, JSON.stringify(job)];
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) throw new Error(`The client failed:\n${new TextDecoder().decode(stderr)}`);
  return JSON.parse(new TextDecoder().decode(stdout)) as Latency[];
}

/** From the start of an execution to the answer with its end: the middle of what one client measures in so many seconds. */
export async function waitedMs(url: string, flowId: string, seconds: number): Promise<number> {
  const requests = [{ method: "POST", path: startPath(flowId, "?wait=true") } as const];
  return (await measureLatency({ url, requests, seconds }))[0]?.p50Ms ?? NaN;
}

async function runJob(job: LatencyJob): Promise<Latency[]> {
  const client = await KeepAliveClient.connect(job.url, job.headers);
  const times = job.requests.map((): number[] => []);
  const deadline = job.seconds === undefined ? Infinity : performance.now() + job.seconds * 1000;
  const rounds = job.rounds ?? Infinity;
  for (let round = 0; round < rounds && performance.now() < deadline; round++) {
    for (const [index, request] of job.requests.entries()) {
      const start = performance.now();
      const body = await ask(client, request);
      if (job.untilSuccess) await awaitSuccess(client, request.path, body);
      times[index]?.push(performance.now() - start);
    }
  }
  client.close();
  return job.requests.map(({ path }, index) => summary(path, times[index] ?? []));
}

function summary(path: string, times: readonly number[]): Latency {
  const warm = times.length > 1 ? times.slice(1) : times;
  const [firstMs = NaN] = times;
  return {
    path,
    count: times.length,
    firstMs,
    p50Ms: median(warm),
    p99Ms: quantile(warm, 0.99),
    maxMs: quantile(warm, 1),
  };
}

async function ask(client: KeepAliveClient, { method, path, body }: TimedRequest): Promise<string> {
  const answer = await client.request(method, path, body);
  if (answer.status === 200) return answer.body;
  throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body}`);
}

async function awaitSuccess(client: KeepAliveClient, startPath: string, started: string): Promise<void> {
  const path = startPath.replace(
    /\/executions\/.*/,
    `/executions/${(JSON.parse(started) as { id: string }).id}`,
  );
  for (;;) {
    const body = await ask(client, { method: "GET", path });
    if (body.includes('"state":{"current":"SUCCESS"')) return;
    if (TERMINAL_FAILURE.test(body)) throw new Error(`The execution did not succeed: ${body}`);
  }
}

if (import.meta.main) {
  const latencies = await runJob(JSON.parse(Deno.args[0] ?? "") as LatencyJob);
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(latencies)));
}
