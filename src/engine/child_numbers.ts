/** What is kept of the many executions that one task run has started. */
import type { Instant } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";

/** What a Loop decides when it begins. */
export interface PassRules {
  /** Its values, or where they are; what they are is the runtime's. */
  readonly values: JsonObject;
  /** Passes under way at once. */
  readonly limit: number;
  /** What becomes of the outputs of the passes; absent when nothing does. */
  readonly collects?: "FETCH" | "STORE";
}

/** Many executions of one task run; stored as the member `children` of its decision. */
export interface ChildNumbers {
  readonly total: number;
  /** Those with a lower index were created. */
  readonly started: number;
  /** The execution that has created them: a replay of it has its numbers too. */
  readonly executionId: string;
  readonly madeAt: Instant;
  /** Number of the attempt that creates them. */
  readonly attempt: number;
  readonly waits: boolean;
  readonly transmitsFailed: boolean;
  /** How many have ended, by state. */
  readonly ended: Readonly<Record<string, number>>;
  /** Of a Loop. */
  readonly passes?: PassRules;
  /** No further one is started: the loop was broken off, or a pass has failed. */
  readonly isOver?: boolean;
  /** The loop itself has failed. */
  readonly isBroken?: boolean;
  /** A pass was the last one that the loop wanted. */
  readonly breaks?: boolean;
  /** Of a Loop that was restarted. */
  readonly again?: PassesAgain;
}

/** Passes that run again; until each has ended once more, its former end counts. */
interface PassesAgain {
  /** Those with a lower index were looked at. */
  readonly next: number;
  /** How many of the others are to run again. */
  readonly left: number;
  readonly running: number;
}
