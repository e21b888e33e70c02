/** What the servers have acknowledged so far, and what they may have done without saying so. */
import type { Span } from "./execution_check.ts";
import type { FlowId } from "../flows/flows.ts";

/** Whether something was asked for and whether the answer came. */
export type Asked = "no" | "unanswered" | "acknowledged";

/** An execution whose start was acknowledged, or that was found in the list. */
export interface KnownExecution {
  readonly id: string;
  readonly flow: FlowId;
  /** Input; absent when the start was not acknowledged. */
  readonly name?: string;
  /** Milliseconds since the epoch before which it need not have ended. */
  readonly dueAt: number;
  kill: Asked;
  deletion: Asked;
  /** Its final text, once it was seen to have ended; nothing may change it any more. */
  ended?: string;
}

/** A call of a webhook under a key of its own; repeated until it is acknowledged. */
export interface Call {
  /** The key, and the input of the execution. */
  readonly name: string;
  isUnderWay: boolean;
  /** The execution that the answer told of. */
  executionId?: string;
}

/** A version of something that is written again and again under one name. */
export interface Version {
  readonly n: number;
  /** Length of its content. */
  readonly size: number;
  /** Of a flow: the acknowledged revision. */
  revision?: number;
}

/** Kinds of things that are written again and again. */
const REGISTER_KINDS = ["kv", "file", "flow", "secret"] as const;

/** One of {@link REGISTER_KINDS}. */
export type RegisterKind = typeof REGISTER_KINDS[number];

/** One thing under one name, written by one worker at a time. */
export class Register {
  readonly kind: RegisterKind;
  readonly name: string;
  /** The last acknowledged version. */
  acknowledged: Version | undefined;
  /** Versions sent later, of which the server may have stored the last one that arrived. */
  unanswered: Version[] = [];

  constructor(kind: RegisterKind, name: string) {
    this.kind = kind;
    this.name = name;
  }

  /** The server has acknowledged this version: it holds, and nothing older. */
  settle(version: Version): void {
    this.acknowledged = version;
    this.unanswered = [];
  }

  /** What may be stored now. */
  get possible(): readonly Version[] {
    return this.acknowledged ? [this.acknowledged, ...this.unanswered] : this.unanswered;
  }
}

/** Everything a crash run knows. */
export class Ledger {
  readonly executions = new Map<string, KnownExecution>();
  /** Secrets of API tokens that were handed out. */
  readonly tokens: string[] = [];
  /** Calls of the webhook. */
  readonly calls: Call[] = [];
  /** Each from before the signal was sent until the process was gone. */
  readonly crashSpans: Span[] = [];
  readonly #registers = new Map<string, Register>();
  /** Starts whose answer did not come: each may have left an execution. */
  unansweredStarts = 0;
  /** Acknowledged requests of all kinds. */
  acknowledged = 0;
  #versions = 0;

  /** Number of crashes. */
  get crashes(): number {
    return this.crashSpans.length;
  }

  /** A number that was not given before. */
  nextVersion(): number {
    return ++this.#versions;
  }

  /** The register of that name. */
  register(kind: RegisterKind, name: string): Register {
    const key = `${kind}/${name}`;
    const register = this.#registers.get(key) ?? new Register(kind, name);
    this.#registers.set(key, register);
    return register;
  }

  /** All registers of a kind. */
  registersOf(kind: RegisterKind): Register[] {
    return [...this.#registers.values()].filter((register) => register.kind === kind);
  }

  /** Executions that are not known to have ended or to be deleted. */
  openExecutions(): KnownExecution[] {
    return [...this.executions.values()].filter(({ ended, deletion }) =>
      ended === undefined && deletion !== "acknowledged"
    );
  }
}

/** The content of a version, as text: made from its number, so that only the number is kept. */
export function contentOf(name: string, { n, size }: Version): string {
  const line = `${name} ${n} äß\n`;
  return line.repeat(Math.ceil(size / line.length)).slice(0, size);
}
