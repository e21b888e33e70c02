/** Requests to the APIs of other systems: repeated where that is safe, and errors with the words of the other system. */
import { systemClock } from "../base/time/clock.ts";
import type { MachineWork } from "../model/tasks/machine_task.ts";
import type { TaskRequest, TaskResponse, WorkContext } from "../model/tasks/task_definition.ts";

/** What sends requests: the attempt of a task, the poll of a trigger. */
export type Sender = Pick<WorkContext, "http" | "signal">;

/** Tries of a request that may be repeated. */
const MAX_TRIES = 5;
const FIRST_PAUSE_MS = 100;
/** Longest wait that a `Retry-After` header may ask for. */
const MAX_PAUSE_MS = 30_000;
/** Longest time for the requests of a cancellation. */
const CANCEL_MS = 5_000;
/** 529 is that of Anthropic. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 500, 502, 503, 504, 529]);
/** Characters of a response in a message. */
const MAX_SHOWN_CHARS = 500;

/** How a request is sent. */
interface CallOptions {
  /** A second request has the same effect as one. Else only a refusal for overload (429) is repeated. */
  readonly isRepeatable: boolean;
}

/** The response to a request, which is made anew for each try: signatures have a time. @throws Error no response */
export async function callRepeatedly(
  sender: Sender,
  request: () => TaskRequest | Promise<TaskRequest>,
  { isRepeatable }: CallOptions,
): Promise<TaskResponse> {
  for (let tries = 1;; tries++) {
    const response = await sender.http(await request());
    const { status, headers } = response;
    const mayRepeat = isRepeatable ? OVERLOADED.has(status) : status === 429;
    if (!mayRepeat || tries === MAX_TRIES) return response;
    const askedMs = Number(headers["retry-after"]) * 1000;
    const ownMs = FIRST_PAUSE_MS * 4 ** (tries - 1);
    await pause(askedMs >= 0 ? Math.min(askedMs, MAX_PAUSE_MS) : ownMs, sender.signal);
  }
}

/** Waits. @throws Error the work must stop */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = systemClock.setTimer(ms, resolve);
  return unlessStopped(promise, signal).finally(cancel);
}

/** What a package does, which itself may continue after a stop. @throws Error the work must stop */
export async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(new Error("The work was stopped"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([stopped.promise, work]);
  } finally {
    signal.removeEventListener("abort", stop);
    work.catch(() => {}); // It fails once more when the work was stopped.
  }
}

/** Work that can end what it has started elsewhere. */
export type CancellableWork = Pick<MachineWork, "signal" | "lastRequest" | "log">;

/**
 * Does what another system would continue without its client. If the work must stop meanwhile, `cancel` ends it there by the
 * sender that it is given; a failure of that is logged. @throws what `run` throws
 */
export async function cancelledOnStop<T>(
  work: CancellableWork,
  run: () => Promise<T>,
  cancel: (sender: Sender) => Promise<unknown>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (work.signal.aborted) await cancelNow(work, cancel);
    throw error;
  }
}

async function cancelNow(
  { lastRequest, log }: CancellableWork,
  cancel: (sender: Sender) => Promise<unknown>,
): Promise<void> {
  const late = new AbortController();
  const clear = systemClock.setTimer(CANCEL_MS, () => late.abort());
  try {
    await cancel({ http: lastRequest, signal: late.signal });
  } catch (error) {
    log("WARN", (error as Error).message);
  } finally {
    clear();
  }
}

/** The parts of an address. @throws Error it is malformed; the message has nothing of it, since it may have credentials */
export function parsedUrl(address: string): URL {
  const url = URL.parse(address);
  if (url) return url;
  throw new Error("Cannot send a request: its URL is malformed");
}

/** What a refusal is about. */
interface Refusal {
  /** Verb and object, such as `read the object "a"`. */
  readonly operation: string;
  readonly url: string;
  readonly status: number;
  /** What the other system says. */
  readonly words?: string;
}

/** The error of a response that refuses a request. */
export function refusalOf({ operation, url, status, words = "" }: Refusal): Error {
  const said = words.trim().slice(0, MAX_SHOWN_CHARS);
  const { host } = new URL(url);
  return new Error(`Cannot ${operation} at "${host}": the response was ${status}${said && `: ${said}`}`);
}
