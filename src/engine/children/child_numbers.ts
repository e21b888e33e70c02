/** The stored counts of a task run that starts many executions. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";

/** What a Loop decides at its start. */
export interface PassRules {
  /** Its values or their location; only the runtime reads this. */
  readonly values: JsonObject;
  /** Passes that may run at a time. */
  readonly limit: number;
  /** How the outputs of the passes are collected; absent when they are not. */
  readonly collects?: "FETCH" | "STORE";
}

/** Stored as the member `children` of the decision of the task run. */
export interface ChildNumbers {
  readonly total: number;
  /** Executions with a lower index exist. */
  readonly started: number;
  /** The execution that created them; a replay of it has these counts too. */
  readonly executionId: string;
  readonly madeAt: Instant;
  /** Number of the attempt that created them. */
  readonly attempt: number;
  readonly waits: boolean;
  readonly transmitsFailed: boolean;
  /** Ended executions by state. */
  readonly ended: Readonly<Record<string, number>>;
  /** Only of a Loop. */
  readonly passes?: PassRules;
  /** No further execution is started. */
  readonly isOver?: boolean;
  /** The task run fails, whatever its executions end in. */
  readonly isBroken?: boolean;
  /** A pass has ended the loop early. */
  readonly breaks?: boolean;
  /** Only after a restart. */
  readonly again?: ChildrenAgain;
}

/** What the ids of all executions are derived from. */
export type ChildNames = Pick<ChildNumbers, "executionId" | "madeAt" | "attempt" | "started">;

/** Executions that run again; the former end of each counts until it has ended again. */
interface ChildrenAgain {
  /** Those with a lower index have been checked. */
  readonly next: number;
  /** The number of the others that must run again. */
  readonly left: number;
  readonly running: number;
  /** The former ends of the running ones, by state; absent in records of earlier versions. */
  readonly former?: Readonly<Record<string, number>>;
}
