/**
 * Evaluates templates that take long in a thread of their own, one at a time, tenants in turn. An evaluation ends itself when it
 * exceeds its time. One that does not is given up together with its thread, which Deno ends only when it pauses; the next
 * one gets a new thread.
 */
import { Worker } from "node:worker_threads";
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import { sizeOf } from "../../base/json_size.ts";
import { sourceUrl } from "../../base/source_url.ts";
import { ExpressionError } from "../../expr/mod.ts";
import type {
  SlowRender,
  SlowRenderHost,
  SlowRenders,
  SlowResult,
} from "../../rendering/host_functions/mod.ts";
import type { FromWorker, Supply, ToWorker } from "./messages.ts";

/** Evaluations of one tenant that wait; each may take a second. */
const MAX_WAITING = 10_000;
/** Characters of the variables that they keep in memory. */
const MAX_WAITING_SIZE = 32_000_000;
/** Characters of a variable that are sent to the thread; writing them takes some 20 ms. */
const MAX_HANDED_OVER = 4_000_000;
/** Time for the start of the thread, its messages, and threads that go first, besides that of the evaluation. */
const GRACE_MS = 10_000;
/**
 * Memory of the thread, which else grows to several times of what it needs. The charges of expressions bound what an
 * evaluation keeps; a thread that exceeds the limit may not respond any more, and its evaluation fails when its time is over.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 4 };
/** The thread ends after a time without work. */
const IDLE_MS = 30_000;
const MODULE = sourceUrl("server/render_worker/worker.ts");

type Result = SlowResult | undefined;

interface Job {
  readonly render: SlowRender;
  readonly host: SlowRenderHost;
  readonly result: PromiseWithResolvers<Result>;
}

/** The variables of one execution, while jobs that read them wait. */
interface Held {
  size: number;
  jobs: number;
}

/** The jobs of one tenant, oldest first. Jobs of one execution share its variables, so the largest of them counts. */
class WaitingJobs {
  readonly #jobs: Job[] = [];
  readonly #held = new Map<object, Held>();
  #size = 0;

  get count(): number {
    return this.#jobs.length;
  }

  all(): Iterable<Job> {
    return this.#jobs;
  }

  /** The reason for which the job is refused. */
  push(job: Job): string | undefined {
    const { owner } = job.host;
    const held = this.#held.get(owner) ?? { size: 0, jobs: 0 };
    const size = Math.max(held.size, sizeOfVariables(job));
    const total = this.#size + size - held.size;
    if (this.count >= MAX_WAITING) return `${MAX_WAITING} long expressions of the tenant are waiting already`;
    if (total > MAX_WAITING_SIZE && this.count > 0) {
      return `long expressions of the tenant with ${this.#size} characters of variables are waiting already`;
    }
    this.#size = total;
    this.#held.set(owner, { size, jobs: held.jobs + 1 });
    this.#jobs.push(job);
    return undefined;
  }

  /** Takes the oldest job; there is one. */
  shift(): Job {
    const job = this.#jobs.shift() as Job;
    const { owner } = job.host;
    const held = this.#held.get(owner) as Held;
    if (--held.jobs === 0) {
      this.#held.delete(owner);
      this.#size -= held.size;
    }
    return job;
  }
}

function sizeOfVariables({ render: { template }, host }: Job): number {
  let size = 0;
  for (const name of template.variableNames) {
    try {
      size += sizeOf(host.variable(name, false) ?? null, MAX_HANDED_OVER);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
    }
  }
  return size;
}

/** The thread of long evaluations and its queue. */
export class RenderWorker implements SlowRenders, Disposable {
  readonly #clock: Clock;
  /** Waiting jobs by tenant; the tenant whose turn it is comes first. */
  readonly #waiting = new Map<string, WaitingJobs>();
  #worker: Worker | undefined;
  #current: Job | undefined;
  #cancelTimer: CancelTimer | undefined;
  /** A thread has started before. */
  #hasAnswered = false;
  #isDisposed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @inheritDoc */
  render(render: SlowRender, host: SlowRenderHost): Promise<Result> {
    const { tenant } = render;
    const jobs = this.#waiting.get(tenant) ?? new WaitingJobs();
    if (this.#isDisposed) {
      return Promise.reject(new ExpressionError("limit", "Cannot evaluate: the server stops"));
    }
    const result = Promise.withResolvers<Result>();
    const refusal = jobs.push({ render, host, result });
    if (refusal) return Promise.reject(new ExpressionError("limit", `Cannot evaluate: ${refusal}`));
    this.#waiting.set(tenant, jobs);
    if (!this.#current) this.#next();
    return result.promise;
  }

  /** Ends the thread; evaluations under way fail. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#stopWorker();
    const jobs = [this.#current, ...[...this.#waiting.values()].flatMap((waiting) => [...waiting.all()])];
    this.#waiting.clear();
    for (const job of jobs) {
      job?.result.reject(new ExpressionError("limit", "Cannot evaluate: the server stops"));
    }
  }

  #next(): void {
    this.#cancelTimer?.();
    this.#current = undefined;
    const [turn] = this.#waiting;
    if (!turn) return this.#rest();
    const [tenant, jobs] = turn;
    const job = jobs.shift();
    this.#waiting.delete(tenant);
    if (jobs.count > 0) this.#waiting.set(tenant, jobs);
    this.#current = job;
    const supplies = suppliesOf(job);
    if (!supplies) return this.#end(undefined);
    this.#worker ??= this.#startWorker();
    this.#send({ type: "render", render: job.render, supplies });
    this.#startTimer(job);
  }

  #rest(): void {
    this.#cancelTimer = this.#clock.setTimer(IDLE_MS, () => this.#stopWorker());
  }

  #startTimer({ render: { limitMs } }: Job): void {
    this.#cancelTimer = this.#clock.setTimer(limitMs + GRACE_MS, () => {
      this.#stopWorker();
      this.#fail("limit", `Cannot evaluate for more than ${Math.ceil(limitMs)} ms`);
    });
  }

  #startWorker(): Worker {
    const worker = new Worker(MODULE, { resourceLimits: RESOURCE_LIMITS });
    worker.on("message", (message: FromWorker) => void this.#receive(message, worker));
    worker.on("error", ({ message }: Error) => this.#workerFailed(worker, message));
    return worker;
  }

  #workerFailed(worker: Worker, message: string): void {
    if (worker !== this.#worker) return;
    this.#stopWorker();
    // The thread may not be allowed to start; the thread of the server evaluates then.
    if (!this.#hasAnswered) return this.#end(undefined);
    this.#fail("limit", `Cannot evaluate in another thread: ${message}`);
  }

  #stopWorker(): void {
    this.#cancelTimer?.();
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  async #receive(message: FromWorker, worker: Worker): Promise<void> {
    const job = this.#current;
    if (!job || worker !== this.#worker) return;
    this.#hasAnswered = true;
    switch (message.type) {
      case "text":
        return this.#end({ value: message.text, usedMs: message.usedMs });
      case "value":
        return this.#end({ value: parseJson(message.json), usedMs: message.usedMs });
      case "only here":
        return this.#end(undefined);
      case "failed":
        return this.#fail(message.code, message.message);
    }
    this.#cancelTimer?.();
    const supply = await supplyOf(message, job.host);
    if (job !== this.#current) return;
    if (!supply) return this.#end(undefined);
    this.#send(supply);
    this.#startTimer(job);
  }

  #end(result: Result): void {
    this.#current?.result.resolve(result);
    this.#next();
  }

  #fail(code: ExpressionError["code"], message: string): void {
    this.#current?.result.reject(new ExpressionError(code, message));
    this.#next();
  }
}

type Lack = Extract<FromWorker, { readonly type: "lacks variable" | "lacks call" }>;

/** What the evaluation lacks; `undefined` if it is too large, or reading it fails: the thread of the server evaluates then. */
async function supplyOf(lack: Lack, host: SlowRenderHost): Promise<Supply | undefined> {
  if (lack.type === "lacks variable") return variableOf(lack, host);
  const { key, name } = lack;
  try {
    const args = parseJson(lack.args) as [string, JsonValue][];
    const value = await host.call(name, new Map(args));
    return sizeOf(value, MAX_HANDED_OVER) > MAX_HANDED_OVER
      ? undefined
      : { type: "call", key, json: stringifyJson(value) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = error instanceof ExpressionError ? error.code : "host";
    return { type: "refused call", key, code, message: error.message };
  }
}

/** The variables that the template names; `undefined` if one cannot be sent. */
function suppliesOf({ render: { template }, host }: Job): Supply[] | undefined {
  const supplies: Supply[] = [];
  for (const name of template.variableNames) {
    const supply = variableOf({ type: "lacks variable", name, isAuthored: false }, host);
    if (!supply) return undefined;
    supplies.push(supply);
  }
  return supplies;
}

function variableOf(
  { name, isAuthored }: Extract<Lack, { readonly type: "lacks variable" }>,
  host: SlowRenderHost,
): Supply | undefined {
  try {
    const value = host.variable(name, isAuthored);
    if (value === undefined) return { type: "variable", name, isAuthored };
    const isTooLarge = sizeOf(value, MAX_HANDED_OVER) > MAX_HANDED_OVER;
    return isTooLarge ? undefined : { type: "variable", name, isAuthored, json: stringifyJson(value) };
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}
