/** Puts the parts of a server together over a store: services, runtime, HTTP application; starts and stops them in order. */
import { Cipher } from "../base/crypto/cipher.ts";
import type { Instant } from "../base/time/clock.ts";
import { IdSource } from "../base/id.ts";
import { rawPath } from "../http/pipeline/canonical_path.ts";
import { EventStreams } from "../http/streams/sse.ts";
import { DomainError } from "../model/errors.ts";
import type { ScriptPlaces } from "../model/ports/processes.ts";
import { MAX_WORKERS } from "../model/limits.ts";
import { TemplateCache } from "../rendering/renderer.ts";
import { Executor } from "../runtime/executor.ts";
import { undelivered } from "../runtime/live/messages.ts";
import { Auth } from "../services/access/auth.ts";
import { FirstUser } from "../services/access/first_user.ts";
import { FlowHeads } from "../services/flows/flow_heads.ts";
import { Blobs } from "../store/blobs/blobs.ts";
import { ExecutionRecords } from "../store/records/executions/execution_records.ts";
import { Changes } from "../store/changes.ts";
import { Committer } from "../store/committer.ts";
import { INSTANCE } from "../store/keys.ts";
import { Manifests } from "../store/manifests.ts";
import { SpaceWatch } from "../store/space_watch.ts";
import { createTaskCatalog } from "../tasks/registry.ts";
import { createHttpApp, type HttpApp } from "./http.ts";
import { honoursIdempotencyKey } from "./proxy/repeatable.ts";
import type { AssemblyOptions } from "./options.ts";
import { createAdapters, logContainers } from "./platform.ts";
import { Problems } from "./problems.ts";
import { QueuedFlows } from "./queued_flows.ts";
import { createRuntime, type Runtime } from "./runtime.ts";
import { createServices, type Services } from "./services.ts";

const PROBE_PATH = /^https?:\/\/[^/]+\/(?:ping|health(?:\/(?:liveness|readiness))?)$/;

/** All parts of a server; it handles requests but does not listen. */
export class Assembly {
  readonly services: Services;
  readonly committer: Committer;
  readonly executor: Executor;
  /** Resolves with the reason when this process must stop writing. */
  readonly failed: Promise<string>;
  readonly #options: AssemblyOptions;
  readonly #app: HttpApp;
  readonly #runtime: Runtime;
  readonly #scriptPlaces: ScriptPlaces;
  readonly #manifests: Manifests;
  readonly #queuedFlows: QueuedFlows;
  readonly #space: SpaceWatch;
  readonly #auth: Auth;
  readonly #firstUser?: FirstUser;
  readonly #eventStreams: EventStreams;
  readonly #workerStreams: EventStreams;
  readonly #started = Promise.withResolvers<void>();
  readonly #takesStarts = Promise.withResolvers<void>();
  /** Reads the catalog in the background, so that the first list does not wait for it. */
  #warming: Promise<void> = Promise.resolve();
  #isReady = false;

  private constructor(options: AssemblyOptions, cipher: Cipher) {
    const { store, clock, logger, randomBytes, lease, mayAct } = options;
    const failed = Promise.withResolvers<string>();
    const ids = new IdSource(randomBytes);
    const changes = new Changes();
    const tasks = createTaskCatalog(options.extraTasks);
    this.failed = failed.promise;
    this.#options = options;
    const writer = { store, instance: INSTANCE, clock, logger, randomBytes };
    const committer = new Committer({ ...writer, lease, mayWrite: mayAct, onFatal: failed.resolve });
    const manifests = new Manifests(INSTANCE, store.hasQueue);
    this.committer = committer;
    this.#manifests = manifests;
    const blobs = new Blobs({ store, committer, ids, clock });
    const flowHeads = new FlowHeads();
    const records = new ExecutionRecords(store, blobs, (flowNo) => flowHeads.byNumber(flowNo));
    const stored = { store, committer, records, changes };
    const deps = { ...stored, clock, logger, catalog: tasks, mayAct };
    const executor = new Executor({ ...deps, templates: new TemplateCache() });
    this.executor = executor;
    const adapters = createAdapters(options, () => services.tenants.count);
    this.#scriptPlaces = adapters.scriptPlaces;
    const services: Services = createServices({
      ...options,
      ...stored,
      ...adapters,
      blobs,
      flowHeads,
      executor,
      cipher,
      tasks,
      ids,
    });
    this.services = services;
    this.#queuedFlows = new QueuedFlows({ clock, logger, executor, flows: services.flows });
    committer.addRider(manifests);
    committer.addRider(services.catalog);
    this.#space = new SpaceWatch({ store, committer, logger });
    committer.addRider(this.#space);
    this.#runtime = createRuntime({
      options,
      services,
      committer,
      manifests,
      executor,
      space: this.#space,
      ...adapters,
    });
    dropRemovedTenants({ services, executor, records, changes });
    const { users, tokens } = services;
    this.#auth = new Auth({ ...options, users, tokens });
    if (options.isUserStored) this.#firstUser = new FirstUser({ users, logger, randomBytes });
    this.#eventStreams = new EventStreams({ clock, logger });
    this.#workerStreams = createWorkerStreams(options, services);
    const problems = new Problems({ store, committer, clock });
    this.#app = createHttpApp({
      options,
      auth: this.#auth,
      firstUser: this.#firstUser,
      services,
      eventStreams: this.#eventStreams,
      workerStreams: this.#workerStreams,
      isReady: () => this.#isReady,
      findProblem: () => problems.find(),
      committer,
      ids,
      liveCount: () => this.executor.liveCount,
      containers: adapters.containers,
    });
  }

  /** Builds the parts of a server. */
  static async create(options: AssemblyOptions): Promise<Assembly> {
    const assembly = new Assembly(options, await Cipher.fromKey(options.encryptionKey, options.randomBytes));
    // A stop before it is ready rejects this; no request may wait for it.
    assembly.#started.promise.catch(() => undefined);
    assembly.#takesStarts.promise.catch(() => undefined);
    return assembly;
  }

  /** Who can log in: the user, or, before the first user is set, the token that sets it. */
  get login(): { readonly user?: string; readonly setupToken?: string } {
    return { user: this.services.users.firstName, setupToken: this.#firstUser?.token };
  }

  /** Whether a stop interrupts no attempt: what workers run continues there. */
  get isInterruptible(): boolean {
    return this.executor.attemptCount <= this.services.workers.leaseCount;
  }

  /** Resolves when starts are handled: executions of the process before may still be recovered. */
  get takesStarts(): Promise<void> {
    return this.#takesStarts.promise;
  }

  /** Handles a request. Until the server is ready, only probes and then starts are handled; other requests wait. */
  fetch(request: Request, info?: unknown): Response | Promise<Response> {
    if (this.#isReady || PROBE_PATH.test(request.url)) return this.#app.fetch(request, info);
    const isStart = honoursIdempotencyKey(request.method, rawPath(request.url));
    const ready = isStart ? this.#takesStarts : this.#started;
    return ready.promise.then(() => this.#app.fetch(request, info));
  }

  /** Looks in the background for what runs containers, and logs it. */
  findContainers(): void {
    void logContainers(this.#scriptPlaces, this.#options);
  }

  /** Takes over the database and continues where the last process stopped. */
  async start(): Promise<void> {
    const { clock } = this.#options;
    const { tenants, users, tokens, flows, namespaceDefaults, namespaceRenames } = this.services;
    const { catalog, triggers } = this.services;
    const { sweep, loops } = this.#runtime;
    const bootedAt = clock.now();
    await this.committer.start();
    await tenants.start();
    await users.start();
    await tokens.start();
    this.#firstUser?.start();
    const tenantIds = tenants.internalIds();
    await namespaceDefaults.load(tenantIds);
    await flows.load(tenantIds);
    await triggers.load(tenantIds);
    await namespaceRenames.resume(tenantIds);
    await catalog.start();
    await this.#runtime.triggers.find();
    await this.services.workers.start();
    await this.#recover();
    this.#runtime.triggers.start();
    this.executor.timers.start();
    sweep.start();
    for (const loop of loops) loop.start();
    await this.#cleanUp(bootedAt);
    await this.#space.check();
    this.#isReady = true;
    this.#started.resolve();
    this.#warming = catalog.warm().catch((error: Error) =>
      this.#options.logger.warn("Cannot read the catalog in the background; the first list reads it", {
        error: error.message,
      })
    );
  }

  /** Checks executions and timers now: for a host that stops idle processes and calls a cron handler. */
  async tick(): Promise<void> {
    await this.#started.promise;
    this.#runtime.triggers.check();
    await this.#runtime.sweep.run();
  }

  /** Ends requests that would stay open: event streams, and starts that wait for the end of an execution. */
  async releaseRequests(): Promise<void> {
    this.services.workers.close();
    await this.#eventStreams[Symbol.asyncDispose]();
    await this.#workerStreams[Symbol.asyncDispose]();
    await this.services.executions.close();
  }

  /** Interrupts all attempts here at once, for a leader that has lost its lease: connections that they opened must not be used. */
  abandon(): void {
    this.services.workers.close();
    this.executor.interruptAll();
  }

  /** Stops all parts in order; live executions continue at the next start. The store is the caller's: it stays open. */
  async stop(): Promise<void> {
    const { executor } = this;
    const { sweep, loops, platform } = this.#runtime;
    await this.releaseRequests();
    this.#isReady = false;
    const text = "Cannot serve the request: the server stops";
    for (const { reject } of [this.#started, this.#takesStarts]) {
      reject(new DomainError("unavailable", text, { retryAfter: 1 }));
    }
    await this.services.backups[Symbol.asyncDispose]();
    for (const loop of loops) await loop[Symbol.asyncDispose]();
    sweep.stop();
    this.services.namespaceRenames[Symbol.dispose]();
    this.#queuedFlows[Symbol.dispose]();
    await executor.timers.stop();
    await this.#runtime.triggers.stop();
    await executor.stop();
    await platform[Symbol.asyncDispose]();
    await this.#auth[Symbol.asyncDispose]();
    await this.services.users[Symbol.asyncDispose]();
    await this.services.secrets.writeUses().catch((error: Error) =>
      this.#options.logger.debug("Cannot store the last uses of secrets", { error: error.message })
    );
    await this.#warming;
    await this.services.catalog[Symbol.asyncDispose]();
    await this.committer[Symbol.asyncDispose]();
  }

  /** Resolves when the store, closed after {@link stop}, delivers no more messages of its queue. */
  async closed(): Promise<void> {
    await this.#runtime.sweep.closed();
  }

  /** Removes orphaned data of a crash. Values written since this boot belong to running executions. */
  async #cleanUp(bootedAt: Instant): Promise<void> {
    const { blobs, cleanup, executionFiles, backups } = this.services;
    await backups.tidy();
    const attempts = await executionFiles.collectUnfinished(bootedAt);
    const values = await blobs.collectOrphans(bootedAt);
    const executions = await cleanup.resume();
    if (attempts + values + executions === 0) return;
    this.#options.logger.info("Removed orphaned data", { attempts, values, executions });
  }

  async #recover(): Promise<void> {
    const { store } = this.#options;
    await this.#manifests.moveOld(store, (entry) => this.committer.commit(entry));
    const listed = await this.#manifests.read(store);
    this.#manifests.adopt(listed);
    for (const tenant of this.services.tenants.internalIds()) {
      await this.executor.loadSlots(tenant);
    }
    // Read before anything runs: later messages are delivered by the executor itself, once.
    const messages = await Array.fromAsync(undelivered(store));
    this.#takesStarts.resolve();
    const recovered = await this.executor.recover(listed);
    for (const message of messages) await this.executor.deliver(message);
    await this.#queuedFlows.grant();
    if (recovered > 0) {
      this.#options.logger.info("Recovered executions", { executions: recovered });
    }
  }
}

/** Ends what runs for a tenant that is being removed, and drops what is cached of it. */
function dropRemovedTenants({ services, executor, records, changes }: {
  readonly services: Services;
  readonly executor: Executor;
  readonly records: ExecutionRecords;
  readonly changes: Changes;
}): void {
  const forget = (tenant: string) => {
    services.flows.forget(tenant);
    services.namespaceDefaults.forget(tenant);
    services.triggers.forget(tenant);
    services.webhooks.forget(tenant);
    services.quotas.forget(tenant);
  };
  services.tenants.onRemove({
    closed: async (tenant) => {
      await executor.dropTenant(tenant);
      forget(tenant);
    },
    removed: (tenant) => {
      // Requests that were under way may have read data again.
      forget(tenant);
      executor.slots.forgetTenant(tenant);
      records.forgetAll();
      services.catalog.forget(tenant);
      changes.publishTenant(tenant);
    },
  });
}

/** All workers may use one token. */
function createWorkerStreams({ clock, logger }: AssemblyOptions, services: Services): EventStreams {
  const limits = {
    maxStreams: MAX_WORKERS,
    maxStreamsPerTenant: MAX_WORKERS,
    maxStreamsPerCaller: MAX_WORKERS,
  };
  const streams = new EventStreams({ clock, logger, ...limits });
  streams.endWithCredentials(services);
  return streams;
}
