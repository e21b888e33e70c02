/** A follower and a leader without an address, over one database. Timers are those of a fake clock. */
import { IdSource } from "../../../src/base/id.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { RequestIds } from "../../../src/http/pipeline/request_id.ts";
import { MailboxCarrier } from "../../../src/server/mailbox/mailbox_carrier.ts";
import { MailboxDesk } from "../../../src/server/mailbox/mailbox_desk.ts";
import type { RemoteEnv } from "../../../src/server/proxy/client_request.ts";
import { LeaderForwarder } from "../../../src/server/proxy/leader_forwarder.ts";
import { UnderWay } from "../../../src/server/proxy/under_way.ts";
import type { Committer } from "../../../src/store/committer.ts";
import type { Store } from "../../../src/store/store.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { FakeLeaderView } from "../../support/fakes/leader_view.ts";
import { quietCommitter } from "../../support/fakes/quiet_committer.ts";

type Handler = (request: Request, env: RemoteEnv) => Response | Promise<Response>;

/** A follower and, after {@link MailboxPair.lead}, a leader. */
export class MailboxPair implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly view = new FakeLeaderView();
  readonly store: Store;
  readonly carrier: MailboxCarrier;
  readonly #underWay = new UnderWay(this.view, this.clock);
  readonly #forwarder: LeaderForwarder;
  readonly #desks: MailboxDesk[] = [];
  readonly #committers: Committer[] = [];
  /** Commits under way. */
  #commits = 0;

  constructor(store: Store, storeOfFollower: Store = store) {
    const { clock, view } = this;
    this.store = store;
    for (const each of new Set([store, storeOfFollower])) this.#countCommits(each);
    this.carrier = new MailboxCarrier({
      ...{
        store: storeOfFollower,
        clock,
        ids: new IdSource(),
        process: "follower",
        underWay: this.#underWay,
      },
    });
    this.#forwarder = new LeaderForwarder({
      leaseTtlMs: 5_000,
      ...{
        view,
        clock,
        logger: silentLogger(clock),
        requestIds: new RequestIds((buffer) => void buffer.fill(1)),
      },
      direct: { send: () => Promise.reject(new Error("no leader has an address")) },
      mailbox: this.carrier,
    });
  }

  /** A new leader of the epoch, which also becomes the leader that the follower sees. */
  async lead(epoch: number, handler: Handler): Promise<MailboxDesk> {
    const { store, clock } = this;
    const committer = quietCommitter(store, clock);
    await committer.start();
    this.#committers.push(committer);
    const desk = new MailboxDesk({
      ...{ store, committer, clock, epoch, handler, logger: silentLogger(clock), process: `holder-${epoch}` },
    });
    this.#desks.push(desk);
    desk.start();
    this.view.set(epoch);
    return desk;
  }

  /** Sends a request of a client to the follower. */
  send(path: string, init: RequestInit = {}): Promise<Response> {
    const request = new Request(`http://sluice.example${path}`, init);
    return this.#forwarder.forward(request, { remoteAddress: "192.0.2.7" });
  }

  /**
   * Advances the clock step by step until the condition holds. It stands still during a commit: of a real database on a busy
   * machine one can take seconds, and minutes of the clock would pass meanwhile.
   */
  async until(isTrue: () => boolean | Promise<boolean>, stepMs = 0): Promise<void> {
    while (!await isTrue()) await this.clock.advance(this.#commits > 0 ? 0 : stepMs);
  }

  #countCommits(store: Store): void {
    const commit = store.commit.bind(store);
    store.commit = async (batch) => {
      this.#commits++;
      return await commit(batch).finally(() => this.#commits--);
    };
  }

  /** Waits until nothing of a request is stored. What was read is removed later. */
  async untilEmpty(): Promise<void> {
    await this.until(async () => await this.stored() === 0, 100);
  }

  /** Number of entries of the mailbox but the bells. */
  async stored(): Promise<number> {
    const mail = await Array.fromAsync(this.store.list({ prefix: ["mb"] }));
    const responses = await Array.fromAsync(this.store.list({ prefix: ["mr"] }));
    return mail.filter(({ key }) => key[1] !== "w").length + responses.length;
  }

  /** Ends all; the store stays open. */
  async [Symbol.asyncDispose](): Promise<void> {
    let isOver = false;
    const disposed = Promise.all(this.#desks.map((desk) => desk[Symbol.asyncDispose]())).finally(() =>
      isOver = true
    );
    await this.until(() => isOver, 1_000);
    await disposed;
    for (const committer of this.#committers) await committer[Symbol.asyncDispose]();
    this.carrier[Symbol.dispose]();
    this.#underWay[Symbol.dispose]();
  }
}
