/** One attempt that waits for a worker or runs on one. */
import type { JsonObject } from "../../base/json.ts";
import { isJsonObject, type JsonValue, ownProperty, setOwnProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { AttemptOutcome } from "../../model/executions/execution.ts";
import type { RemoteAttempt, RemoteEnd } from "../../model/ports/workers.ts";
import {
  type AttemptEndReport,
  type AttemptReport,
  type LeasedAttempt,
  sealMark,
} from "../../model/http/worker_protocol.ts";
import { type Assignment, deleteAssignment, setAssignment } from "../../store/records/assignment_records.ts";
import type { Mutation } from "../../store/store.ts";
import { givenUp, Receipt } from "./receipt.ts";

/** An attempt and its reports. */
export class Lease {
  readonly id: string;
  readonly attempt: RemoteAttempt;
  /** Id of its worker; absent while it waits for one. */
  workerId: string | undefined;
  /** The worker was told to run it. */
  isSent = false;
  /** Time, on the monotonic clock, since which its worker does not confirm it. */
  missingSinceMs: number | undefined;
  /** The commit of its end removes its record. */
  isEndStored = false;
  /** Names of the files that the worker has uploaded. */
  readonly uploads = new Set<string>();
  /** How the attempt ended, for the runtime. */
  readonly ended: Promise<RemoteEnd>;
  readonly #end = Promise.withResolvers<RemoteEnd>();
  #isOver = false;
  /** Number of the last report that was taken. */
  #seq: number;
  /** The wait for the commit of that report. */
  #stored: Receipt | undefined;

  constructor(id: string, attempt: RemoteAttempt, seq = 0) {
    this.id = id;
    this.attempt = attempt;
    this.#seq = seq;
    this.ended = this.#end.promise;
  }

  /** True once it has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends it without a report of the worker; does nothing if it has ended. */
  finish(end: RemoteEnd): void {
    this.#isOver = true;
    this.#end.resolve(end);
  }

  /** Ends it without its worker, which was lost or has stopped. */
  lose(end: "lost" | "stopped"): void {
    this.finish(this.attempt.context.signal.aborted ? { state: "KILLED" } : end);
  }

  /** Ends the wait for commits: the server stops. */
  disconnect(error: DomainError): void {
    this.#stored?.fail(error);
  }

  /** Writes that a worker runs it. */
  assignment(): Mutation {
    const { tenant, executionId, attemptNumber } = this.attempt.context;
    const { ordinal, group } = this.attempt;
    const record: Assignment = {
      tenant,
      executionId,
      ordinal,
      attemptNumber,
      lease: this.id,
      group,
      workerId: this.workerId ?? "",
      seq: this.#seq,
    };
    return setAssignment(record);
  }

  /** True if both are attempts of the same task run, of which one record is stored. */
  isOfSameTaskRun({ attempt: { context, ordinal } }: Lease): boolean {
    const own = this.attempt.context;
    return ordinal === this.attempt.ordinal && context.executionId === own.executionId &&
      context.tenant === own.tenant;
  }

  /** Removes what {@link assignment} wrote. */
  removal(): Mutation {
    const { context: { tenant, executionId }, ordinal } = this.attempt;
    return deleteAssignment({ tenant, executionId, ordinal });
  }

  /** What its worker gets; `undefined` for an attempt that was given to one before this server was started. */
  payload(folder: string): LeasedAttempt | undefined {
    const { context, type, properties, secrets } = this.attempt;
    if (properties === undefined) return undefined;
    const { tenant, namespace, flowId, flowRevision, executionId, taskId, taskRunId, attemptNumber } =
      context;
    return {
      ...{ tenant, namespace, flowId, flowRevision, executionId, taskId, taskRunId, attemptNumber },
      value: context.value,
      lease: this.id,
      type,
      properties,
      written: context.written,
      labels: context.labels,
      variables: context.variables,
      secrets,
      folder,
      serverRoot: context.ports.workingDirectories.pathOf(""),
      maxFileBytes: context.ports.storage.maxFileBytes,
    };
  }

  /** Adds log lines; resolves once they are stored. A repeated report adds nothing. @throws DomainError not_found */
  async report({ seq, lines }: AttemptReport): Promise<void> {
    if (seq <= this.#seq) return await this.#stored?.durable;
    this.#checkOpen();
    this.#seq = seq;
    this.#log(lines);
    const receipt = new Receipt([this.assignment()]);
    this.#stored = receipt;
    this.attempt.keep(receipt);
    await receipt.durable;
  }

  /** Ends the attempt; resolves once its end is stored. @throws DomainError not_found; conflict: files are missing; invalid_entity */
  async end(report: AttemptEndReport): Promise<void> {
    if (this.#isOver) throw givenUp();
    const missing = report.files.find((name) => !this.uploads.has(name));
    if (missing !== undefined) {
      throw new DomainError("conflict", `Cannot end the attempt: its file "${missing}" was not uploaded`);
    }
    const { context } = this.attempt;
    for (const metric of report.metrics) context.metric(metric);
    this.#seq = report.seq;
    this.#log(report.lines);
    if (report.message !== undefined) context.log("ERROR", report.message);
    // A stopped attempt has nothing to store, and its execution may be gone.
    if (context.signal.aborted) return this.finish({ state: "KILLED" });
    const receipt = new Receipt([this.removal()], context.files.pending);
    context.files.pending = receipt;
    this.#stored = receipt;
    this.isEndStored = true;
    this.finish(this.#outcomeOf(report));
    await receipt.durable;
  }

  /** @throws DomainError not_found: the attempt has ended */
  checkRuns(): void {
    this.#checkOpen();
  }

  #checkOpen(): void {
    if (this.#isOver || this.attempt.context.files.isOver) throw givenUp();
  }

  #log(lines: AttemptReport["lines"]): void {
    for (const [level, message] of lines) this.attempt.context.log(level, message);
  }

  #outcomeOf({ state, outputs }: AttemptEndReport): AttemptOutcome {
    return { state, ...(outputs && { outputs: this.#sealed(outputs) as JsonObject }) };
  }

  /** The outputs with encrypted values in place of marked ones. */
  #sealed(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return value.map((item) => this.#sealed(item));
    if (!isJsonObject(value)) return value;
    const marked = ownProperty(value, sealMark(this.id));
    const { context } = this.attempt;
    if (typeof marked === "string") return context.ports.cipher.seal(context, marked);
    const sealed: JsonObject = {};
    for (const name of Object.keys(value)) {
      setOwnProperty(sealed, name, this.#sealed(ownProperty(value, name) ?? null));
    }
    return sealed;
  }
}
