/** The cron of Deno Deploy. The platform finds it only if it is registered while the main module loads, before anything listens. */

type Tick = () => Promise<void>;

/** A cron that runs what is connected to it later; ticks wait until then. */
class HostCron {
  readonly #tick = Promise.withResolvers<Tick>();

  /** Registers the cron, each minute. */
  register(): void {
    void Deno.cron("tick", "* * * * *", async () => await (await this.#tick.promise)());
  }

  /** Sets what it runs, once. A tick is over when it settles: the platform may then stop the process. */
  connect(tick: Tick): void {
    this.#tick.resolve(tick);
  }
}

/** The cron of this process. */
export const hostCron = new HostCron();
