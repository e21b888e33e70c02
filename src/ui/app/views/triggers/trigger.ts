/** Triggers as the API describes them, and the requests on them. */
import { apiPath } from "../../core/places.ts";
import { shellQuoted } from "../../core/shell.ts";
import { get, type Page, type Query, send } from "../../api/client.ts";
import type { Tone } from "../../kit/state_badge.tsx";

/** Names a trigger. */
export interface TriggerKey {
  readonly namespace: string;
  readonly flowId: string;
  readonly triggerId: string;
}

/** One evaluation: what it started, or why it started nothing. */
export interface Evaluation {
  readonly evaluatedAt: string;
  readonly outcome: "STARTED" | "FAILED" | "SKIPPED";
  /** The date of a schedule. */
  readonly date?: string;
  readonly reason?: string;
  readonly executionId?: string;
}

/** A backfill that has not ended. */
export interface Backfill {
  readonly start: string;
  readonly end: string;
  readonly currentDate: string;
  readonly paused: boolean;
}

/** A trigger in a list: its declaration and its state. */
export interface TriggerRow {
  readonly trigger: {
    readonly id: string;
    readonly type?: string;
    readonly key?: string;
    readonly cron?: string;
    readonly disabled?: boolean;
    readonly inputs?: Readonly<Record<string, unknown>>;
  };
  readonly state: TriggerKey & {
    readonly kind?: "SCHEDULE" | "POLLING";
    readonly date?: string;
    readonly nextExecutionDate?: string;
    readonly evaluateRunningDate?: string;
    readonly disabled: boolean;
    /** An execution of it runs, and it waits for its end. */
    readonly locked: boolean;
    readonly executionId?: string;
    readonly backfill?: Backfill;
    /** The latest first. */
    readonly evaluations: readonly Evaluation[];
  };
}

/** A page of triggers. */
export function searchTriggers(query: Query, signal: AbortSignal): Promise<Page<TriggerRow>> {
  return get<Page<TriggerRow>>("/triggers/search", query, signal);
}

/** `namespace/flow/trigger`, as in the address. */
export function keyText({ namespace, flowId, triggerId }: TriggerKey): string {
  return [namespace, flowId, triggerId].join("/");
}

/** Reads {@link keyText}. */
export function parseKey(text: string): TriggerKey | undefined {
  const [namespace, flowId, triggerId] = text.split("/");
  return namespace && flowId && triggerId ? { namespace, flowId, triggerId } : undefined;
}

/** Only the members that name it. */
export function keyOf({ namespace, flowId, triggerId }: TriggerKey): TriggerKey {
  return { namespace, flowId, triggerId };
}

/** The last part of a type. */
export function shortType(type = ""): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

/** Enables or disables a trigger. */
export function setDisabled(key: TriggerKey, disabled: boolean): Promise<unknown> {
  return send("PUT", "/triggers/set-disabled", { body: { ...keyOf(key), disabled } });
}

/** Enables or disables several triggers. */
export function setAllDisabled(keys: readonly TriggerKey[], disabled: boolean): Promise<unknown> {
  const body = { triggers: keys.map(keyOf), disabled };
  return send("POST", "/triggers/set-disabled/by-triggers", { body });
}

/** Lets a trigger start executions although one of it runs. */
export function unlock({ namespace, flowId, triggerId }: TriggerKey): Promise<unknown> {
  return send("POST", `/triggers${apiPath(namespace, flowId, triggerId)}/unlock`);
}

/** Starts the flow with the inputs of the trigger that are no templates; the id of the execution. */
export async function startFlow({ trigger, state }: TriggerRow): Promise<string> {
  const body = new FormData();
  for (const [name, value] of Object.entries(trigger.inputs ?? {})) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (!text.includes("{{")) body.append(name, text);
  }
  const path = `/executions${apiPath(state.namespace, state.flowId)}`;
  return (await send<{ readonly id: string }>("POST", path, { body })).id;
}

/** Part of a backfill that is done, from 0 to 1. */
export function backfillProgress({ start, end, currentDate }: Backfill): number {
  const [from, to, at] = [start, end, currentDate].map((each) => Date.parse(each)) as [
    number,
    number,
    number,
  ];
  return to > from ? Math.min(1, Math.max(0, (at - from) / (to - from))) : 1;
}

/** Tones of outcomes. */
export const OUTCOME_TONES: Readonly<Record<Evaluation["outcome"], Tone>> = {
  STARTED: "good",
  SKIPPED: "warn",
  FAILED: "bad",
};

/** Methods that a webhook accepts. */
export const WEBHOOK_METHODS = ["GET", "POST", "PUT"] as const;

interface WebhookCall {
  readonly method: typeof WEBHOOK_METHODS[number];
  readonly url: string;
  /** JSON; empty: no body. Left out with GET. */
  readonly body: string;
}

/** The call as a command of a shell. */
export function curlText({ method, url, body }: WebhookCall): string {
  const data = method === "GET" || body.trim() === ""
    ? []
    : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(body.trim())}`];
  return ["curl", "-X", method, ...data, shellQuoted(url)].join(" ");
}
