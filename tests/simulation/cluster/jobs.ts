/** Jobs that a leader gives to workers: the real service of workers, and what an executor would do around it. */
import type { Clock } from "../../../src/base/time/clock.ts";
import type { RandomBytes } from "../../../src/base/id.ts";
import type { Logger } from "../../../src/base/log.ts";
import type { PendingFiles } from "../../../src/model/executions/pending_files.ts";
import type { RunContext } from "../../../src/model/ports/run_context.ts";
import { Workers } from "../../../src/services/workers/workers.ts";
import type { Committer } from "../../../src/store/committer.ts";
import type { Mutation, Store } from "../../../src/store/store.ts";

interface JobsDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomBytes: RandomBytes;
  readonly mayAct: () => boolean;
  readonly mark: Mark;
  readonly note: (event: string) => void;
}

/** Writes a key that no other call writes: what is applied twice is there twice. */
export type Mark = (...key: readonly string[]) => Mutation;

/** Number of jobs; all exist from the start. */
const JOBS = 3;
const SWEEP_MS = 1_000;
const RETRY_MS = 1_000;
const GROUP = "g";

/** The jobs of one term. */
export class Jobs {
  readonly workers: Workers;
  readonly #deps: JobsDeps;
  #isStopped = false;

  constructor(deps: JobsDeps) {
    this.#deps = deps;
    this.workers = new Workers({
      ...deps,
      files: { folderOf: () => "/", put: () => Promise.resolve(0) },
      runsScripts: () => false,
      isExpected: () => true,
    });
  }

  /** Continues where the leader before stopped. */
  async start(): Promise<void> {
    await this.workers.start();
    this.#sweepLater();
    for (let n = 0; n < JOBS; n++) void this.#continue(`j${n}`);
  }

  /** Ends everything here; workers continue. */
  stop(): void {
    this.#isStopped = true;
    this.workers.close();
  }

  #sweepLater(): void {
    this.#deps.clock.setTimer(SWEEP_MS, () => {
      if (this.#isStopped || !this.#deps.mayAct()) return;
      this.workers.sweep();
      this.#sweepLater();
    });
  }

  async #continue(job: string): Promise<void> {
    const stored = await this.#persist(() => this.#deps.store.get(["job", job]));
    if (stored === undefined) return;
    // The value counts the attempts; an empty one is a job that has ended.
    if (stored !== null && stored.value.length === 0) return;
    const count = stored?.value[0] ?? 0;
    const kept = this.workers.keptOf("t", job).get(0);
    const isKept = kept?.attemptNumber === count && count > 0;
    await this.#run(job, isKept ? count : count + 1, isKept);
  }

  async #run(job: string, attemptNumber: number, isKept: boolean): Promise<void> {
    const set = { type: "set", key: ["job", job], value: new Uint8Array([attemptNumber]) } as const;
    if (!isKept && await this.#persist(() => this.#commit([set])) === undefined) return;
    const lines: string[] = [];
    const context = contextOf(job, attemptNumber, (text) => lines.push(text));
    const end = await this.workers.run({
      ...{ context, ordinal: 0, type: "job", group: GROUP, secrets: [] },
      ...!isKept && { properties: {} },
      keep: (changes) => void this.#keep(job, changes, lines),
    });
    if (this.#isStopped) return;
    this.#deps.note(`attempt ${end === "lost" ? "lost" : isKept ? "kept" : "ended"}`);
    if (end === "lost" || end === "stopped") return await this.#run(job, attemptNumber + 1, false);
    await this.#end(job, context.files.pending, lines);
  }

  async #end(job: string, pending: PendingFiles | undefined, lines: string[]): Promise<void> {
    const ended = { type: "set", key: ["job", job], value: new Uint8Array() } as const;
    const found = () => [ended, this.#deps.mark("end", job), ...this.#linesOf(job, lines)];
    const isStored = await this.#persist(() => this.#commit([...found(), ...pending?.take() ?? []]));
    if (isStored) await pending?.committed();
  }

  #linesOf(job: string, lines: readonly string[]): Mutation[] {
    return lines.map((line) => this.#deps.mark("line", job, line));
  }

  async #keep(job: string, changes: PendingFiles, lines: string[]): Promise<void> {
    const added = lines.splice(0);
    const isStored = await this.#persist(() =>
      this.#commit([...this.#linesOf(job, added), ...changes.take()])
    );
    if (isStored) await changes.committed();
  }

  async #commit(mutations: readonly Mutation[]): Promise<true> {
    await this.#deps.committer.commit({ mutations });
    return true;
  }

  /** The result of a call, which is repeated while this process leads; `undefined` after that. */
  async #persist<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
    while (!this.#isStopped && this.#deps.mayAct()) {
      try {
        return await call();
      } catch {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#deps.clock.setTimer(RETRY_MS, resolve);
        await promise;
      }
    }
    return undefined;
  }
}

function contextOf(job: string, attemptNumber: number, log: (text: string) => void): RunContext {
  const context = {
    ...{ tenant: "t", namespace: "n", flowId: "f", flowRevision: 1, executionId: job, taskId: "a" },
    ...{ taskRunId: job, attemptNumber, labels: [], variables: {}, written: {}, files: {} },
    signal: new AbortController().signal,
    ports: { workingDirectories: { pathOf: () => "/" }, cipher: {}, storage: { maxFileBytes: 1_000 } },
    log: (_level: string, text: string) => log(text),
    metric: () => {},
  };
  return context as unknown as RunContext;
}
