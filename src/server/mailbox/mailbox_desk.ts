/** The side of the leader: claims posted requests, handles them and writes their responses, all through its chain. */
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { idTime, isId } from "../../base/id.ts";
import type { Logger } from "../../base/log.ts";
import { failureResponse, plainResponse } from "../../machine/http_server/options.ts";
import type { Committer } from "../../store/committer.ts";
import {
  ABANDONED_MS,
  claimMutation,
  dropMutation,
  LeaderMail,
  type PostedHead,
  removalMutations,
  unclaimMutation,
} from "../../store/records/mailbox_records.ts";
import type { Mutation, Store } from "../../store/store.ts";
import { clientRequest, type RemoteEnv } from "../proxy/client_request.ts";
import { isSafe } from "../proxy/repeatable.ts";
import { Bell } from "./bell.ts";
import { ResponseWriter } from "./response_writer.ts";

interface MailboxDeskOptions {
  readonly store: Store;
  readonly committer: Pick<Committer, "commit">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of this process, as of `LeaderView.holder`. */
  readonly process: string;
  /** Epoch in which this process leads. */
  readonly epoch: number;
  /** Handles a request of a client. */
  readonly handler: (request: Request, env: RemoteEnv) => Response | Promise<Response>;
  /** Called after the response to a request that the process has posted. */
  readonly onServed?: (process: string) => void;
}

/** Requests that are handled at once; further ones stay posted. */
const MAX_OPEN = 256;
/** Time for the responses under way at a stop. */
const STOP_MS = 1_000;
/** Safe requests are claimed when they take longer. Most have their response by then, which saves a commit and a read. */
const LATE_CLAIM_MS = 1_000;
const SWEEP_INTERVAL_MS = 60_000;
/** Keys that are removed by one commit. */
const MAX_REMOVED = 500;

/** Handles the posted requests of one epoch. */
export class MailboxDesk implements AsyncDisposable {
  readonly #options: MailboxDeskOptions;
  readonly #mail: LeaderMail;
  readonly #bell: Bell;
  readonly #open = new Map<string, ResponseWriter>();
  /** Requests that may still be listed: each is handled once. */
  readonly #handled = new Set<string>();
  readonly #work = new Set<Promise<void>>();
  #loop: Promise<void> = Promise.resolve();
  #isStopping = false;
  #cancelSweep: CancelTimer = () => {};

  constructor(options: MailboxDeskOptions) {
    this.#options = options;
    this.#mail = new LeaderMail(options.store);
    this.#bell = new Bell(options);
  }

  /** Number of requests under way. */
  get openCount(): number {
    return this.#open.size;
  }

  /** Begins to handle requests, and removes what earlier leaders and their followers have left. */
  start(): void {
    this.#bell.use();
    this.#loop = this.#run();
    this.#sweepLater(0);
  }

  /** Ends the requests under way; their followers learn that the responses broke off. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    this.#cancelSweep();
    this.#bell[Symbol.dispose]();
    await this.#loop;
    const cancel = this.#options.clock.setTimer(STOP_MS, () => {
      for (const writer of this.#open.values()) writer.stop();
    });
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
    cancel();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const rung = this.#bell.next();
      try {
        await this.#look();
      } catch (error) {
        const reason = (error as Error).message;
        this.#options.logger.repeated("warn", "Cannot read the mailbox", { reason });
      }
      await rung;
    }
  }

  async #look(): Promise<void> {
    await Promise.all([this.#receive(), this.#open.size > 0 ? this.#readProgress() : undefined]);
  }

  async #readProgress(): Promise<void> {
    for (const [id, count] of await this.#mail.progress()) this.#open.get(id)?.onProgress(count);
  }

  /** Begins requests as they are read: the end of the list costs a read of its own. */
  async #receive(): Promise<void> {
    const { epoch, committer } = this.#options;
    const listed = new Set<string>();
    const former: Mutation[] = [];
    for await (const { id, head } of this.#mail.posted()) {
      listed.add(id);
      // A request is listed until its response begins.
      const posted = this.#handled.has(id) ? undefined : head();
      if (!posted) continue;
      if (posted.epoch < epoch) former.push(dropMutation(id));
      else if (posted.epoch === epoch && this.#canBegin) this.#begin(id, posted);
    }
    for (const id of this.#handled) if (!listed.has(id) && !this.#open.has(id)) this.#handled.delete(id);
    if (former.length > 0) await committer.commit({ mutations: former });
  }

  get #canBegin(): boolean {
    return this.#open.size < MAX_OPEN && !this.#isStopping;
  }

  #begin(id: string, head: PostedHead): void {
    const { committer, clock } = this.#options;
    const writer = new ResponseWriter({ id, follower: head.follower, committer, clock });
    this.#open.set(id, writer);
    this.#handled.add(id);
    const work = this.#handle(id, head, writer).catch((error: Error) => {
      this.#options.logger.warn("A request of the mailbox has no response", { reason: error.message });
    }).finally(() => {
      if (this.#open.get(id) === writer) this.#open.delete(id);
      this.#work.delete(work);
    });
    this.#work.add(work);
  }

  async #handle(id: string, head: PostedHead, writer: ResponseWriter): Promise<void> {
    const { committer, clock } = this.#options;
    const isSafeRequest = isSafe(head.method, head.target.split("?", 1)[0] ?? "");
    if (!isSafeRequest && !await this.#claimOrLeave(id)) return;
    // A safe request may be handled although it was withdrawn. Its claim only keeps the follower waiting.
    let claiming: Promise<void> | undefined;
    const claimLate = () => void (claiming = this.#claimLate(id, writer));
    const cancelClaim = isSafeRequest ? clock.setTimer(LATE_CLAIM_MS, claimLate) : undefined;
    const received = clientRequest({
      ...head,
      headers: new Headers(head.headers.map(([name, value]): [string, string] => [name, value])),
      body: this.#bodyOf(id, head),
      signal: writer.signal,
    });
    const response = received
      ? await this.#respond(received)
      : plainResponse(400, "The address of the request is malformed\n");
    cancelClaim?.();
    await claiming;
    await writer.write(response);
    if (!writer.isLeft) return this.#options.onServed?.(head.follower);
    await committer.commit({
      mutations: removalMutations(id, head.bodyParts ?? 0, writer.unread),
      bulk: true,
    });
  }

  /** As {@link MailboxDesk.#claim}; a request whose claim fails is begun again by the next look: its claim may be durable. */
  async #claimOrLeave(id: string): Promise<boolean> {
    try {
      return await this.#claim(id);
    } catch (error) {
      this.#open.delete(id);
      this.#handled.delete(id);
      throw new Error(`its claim is tried again: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Claims a request; false if it was withdrawn before. */
  async #claim(id: string): Promise<boolean> {
    const { committer, epoch } = this.#options;
    await committer.commit({ mutations: [claimMutation(id, epoch)] });
    // The claim is durable: a follower that has not withdrawn the request by now cannot do so any more.
    if (await this.#mail.isPosted(id)) return true;
    await committer.commit({ mutations: [unclaimMutation(id)] });
    return false;
  }

  /** Claims a request that is being handled; ends it if it was withdrawn. */
  async #claimLate(id: string, writer: ResponseWriter): Promise<void> {
    const isClaimed = await this.#claim(id).catch(() => true);
    if (!isClaimed) writer.stop();
  }

  /** A follower without a response would wait for ever. */
  async #respond(
    { request, env }: { readonly request: Request; readonly env: RemoteEnv },
  ): Promise<Response> {
    try {
      return await this.#options.handler(request, env);
    } catch (error) {
      return failureResponse(error, this.#options.logger);
    }
  }

  #bodyOf(id: string, { bodyParts }: PostedHead): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (bodyParts === undefined) return null;
    let n = 0;
    return new ReadableStream({
      pull: async (controller) => {
        if (n === bodyParts) return controller.close();
        const bytes = await this.#mail.bodyPart(id, n++);
        if (!bytes) throw new Error(`part ${n} of the body of a posted request is missing`);
        controller.enqueue(bytes);
      },
    }, { highWaterMark: 0 });
  }

  #sweepLater(delayMs: number): void {
    this.#cancelSweep = this.#options.clock.setTimer(delayMs, () => {
      const sweep = this.#sweep().catch((error: Error) =>
        this.#options.logger.repeated("warn", "Cannot sweep the mailbox", { reason: error.message })
      ).finally(() => {
        this.#work.delete(sweep);
        if (!this.#isStopping) this.#sweepLater(SWEEP_INTERVAL_MS);
      });
      this.#work.add(sweep);
    });
  }

  /** Removes what no process waits for any more. */
  async #sweep(): Promise<void> {
    const { clock, committer } = this.#options;
    const before = clock.now() - ABANDONED_MS;
    const mutations: Mutation[] = [];
    for await (const { id, key, bellTime } of this.#mail.all()) {
      if (this.#open.has(id)) continue;
      const time = bellTime ?? (isId(id) ? idTime(id) : 0);
      if (time < before) mutations.push({ type: "delete", key });
    }
    for (let i = 0; i < mutations.length; i += MAX_REMOVED) {
      await committer.commit({ mutations: mutations.slice(i, i + MAX_REMOVED), bulk: true });
    }
  }
}
