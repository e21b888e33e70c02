/** Derives keys of passwords in a thread of its own, so that many log-ins do not delay the requests of others. */
import { Worker } from "node:worker_threads";
import { type DerivePasswordKey, passwordKey, type PasswordKeyInput } from "../base/crypto/password_key.ts";
import { sourceUrl } from "../base/source_url.ts";
import type { CancelTimer, Clock } from "../base/time/clock.ts";

/** The thread ends after a time without work. */
const IDLE_MS = 10_000;
/** Of its script; scrypt takes its memory elsewhere. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
const MODULE = sourceUrl("machine/password_worker.ts");

interface Job {
  readonly input: PasswordKeyInput;
  readonly key: PromiseWithResolvers<Uint8Array>;
}

/** A thread with a low priority, which exists while there is work for it. */
export class PasswordThread implements Disposable {
  readonly #clock: Clock;
  /** What the thread has been given, in the order of its responses. */
  readonly #jobs: Job[] = [];
  #worker: Worker | undefined;
  #isOver = false;
  #cancelTimer: CancelTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Derives a key, one at a time. */
  readonly derive: DerivePasswordKey = (input) => {
    if (this.#isOver) return passwordKey(input);
    this.#cancelTimer?.();
    const key = Promise.withResolvers<Uint8Array>();
    this.#jobs.push({ input, key });
    this.#worker ??= this.#start();
    this.#worker.postMessage(input);
    return key.promise;
  };

  /** Ends the thread; what it has not derived is derived without it. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#stop();
    for (const { input, key } of this.#jobs.splice(0)) key.resolve(passwordKey(input));
  }

  #start(): Worker {
    const worker = new Worker(MODULE, { resourceLimits: RESOURCE_LIMITS });
    worker.on("message", (key: Uint8Array | undefined) => this.#receive(key));
    // It may not be allowed to start.
    worker.on("error", () => this[Symbol.dispose]());
    return worker;
  }

  #receive(derived: Uint8Array | undefined): void {
    const job = this.#jobs.shift();
    if (!job) return;
    job.key.resolve(derived ?? passwordKey(job.input));
    if (this.#jobs.length > 0) return;
    this.#cancelTimer = this.#clock.setTimer(IDLE_MS, () => this.#stop());
  }

  #stop(): void {
    this.#cancelTimer?.();
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}
