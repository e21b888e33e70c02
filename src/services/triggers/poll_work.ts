/** What one poll collects: files and log lines of the execution that it may start, and the state of the trigger. */
import type { Clock } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { sizeOf } from "../../base/json_size.ts";
import type { AttemptFiles, AttemptIdentity, FileKeeper } from "../../model/executions/attempt_identity.ts";
import { addLogLine, type Execution } from "../../model/executions/execution.ts";
import type { PendingFiles } from "../../model/executions/pending_files.ts";
import type { LogLevel, TriggerKey } from "../../model/flows/flow.ts";
import { CollectedLog } from "./collected_log.ts";

/** The state is part of the record of the trigger, which each evaluation writes. */
const MAX_STATE_CHARS = 16 * 1024;

type PollIdentity = TriggerKey & Pick<AttemptIdentity, "tenant" | "flowRevision" | "executionId">;

interface PollWorkOptions {
  readonly clock: Clock;
  /** State of the trigger before the poll. */
  readonly state?: JsonObject;
}

/** One poll. Its files are discarded unless they were committed. */
export class PollWork implements AsyncDisposable {
  /** Id of the execution that the poll may start. */
  readonly id: string;
  readonly keeper: FileKeeper;
  readonly #files: AttemptFiles = {};
  readonly #clock: Clock;
  readonly #previous: JsonObject | undefined;
  readonly #log = new CollectedLog();
  #state: JsonObject | undefined;
  #confirmations: (() => Promise<void>)[] = [];
  readonly #closings: (() => Promise<void>)[] = [];
  #isCommitted = false;

  constructor({ triggerId, ...identity }: PollIdentity, { clock, state }: PollWorkOptions) {
    this.id = identity.executionId;
    const folder = `trigger/${triggerId.toLowerCase().replaceAll("_", "-")}/`;
    const attempt = { taskId: triggerId, taskRunId: this.id, attemptNumber: 1 };
    this.keeper = { ...identity, ...attempt, folder, files: this.#files };
    this.#clock = clock;
    this.#state = this.#previous = state;
  }

  /** The state as it is stored with the evaluation. */
  get state(): JsonObject | undefined {
    return this.#state;
  }

  /** Replaces the state. @throws Error it is too large */
  set(state: JsonObject): void {
    if (sizeOf(state, MAX_STATE_CHARS) > MAX_STATE_CHARS) {
      throw new Error(`Cannot keep the state of the trigger: it has more than ${MAX_STATE_CHARS} characters`);
    }
    this.#state = state;
  }

  /** Registers what {@link confirm} does. */
  whenDurable(confirm: () => Promise<void>): void {
    this.#confirmations.push(confirm);
  }

  /** Registers what is done when the work is disposed of. */
  whenOver(close: () => Promise<void>): void {
    this.#closings.push(close);
  }

  /** To be called when the evaluation is durable. @throws Error with the words of the other system */
  async confirm(): Promise<void> {
    for (const confirm of this.#confirmations) await confirm();
  }

  /** Returns to the state before the poll; nothing is confirmed. */
  reset(): void {
    this.#state = this.#previous;
    this.#confirmations = [];
  }

  /** Collects a line. */
  log(level: LogLevel, message: string): void {
    this.#log.add({ level, message, at: this.#clock.now() });
  }

  /** Adds the collected lines to the log of the execution. */
  addLog(execution: Execution): void {
    for (const line of this.#log.take()) addLogLine(execution, line);
  }

  /** The mutations that store the files; call {@link committed} after their commit. */
  takeFiles(): ReturnType<PendingFiles["take"]> {
    this.#files.isOver = true;
    return this.#files.pending?.take() ?? [];
  }

  /** To be called when the files are durable. */
  async committed(): Promise<void> {
    this.#isCommitted = true;
    await this.#files.pending?.committed();
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#files.isOver = true;
    await Promise.all(this.#closings.map((close) => close()));
    if (!this.#isCommitted) await this.#files.pending?.discard();
  }
}
