/** Real servers that share one real database server. */
import { DatabaseProxy, type ProxyPlan } from "../support/servers/database_proxy.ts";
import { Denokv, DENOKV_TOKEN } from "../support/servers/denokv.ts";
import { freePort } from "../support/processes/free_port.ts";
import { type Finished, ServerProcess } from "../support/processes/server_process.ts";

/** Value of `--encryption-key` of all servers. */
export const ENCRYPTION_KEY = btoa("k".repeat(32));
const MAX_STARTS = 5;
const POLL_MS = 20;
const TERM_BEGUN = /This process leads/g;
const TERM_END_TIMEOUT_MS = 120_000;

/** How a cluster is started. */
export interface ClusterOptions {
  readonly folder: string;
  readonly servers: number;
  /** Value of `--lease-ttl`. */
  readonly leaseTtl: string;
  /** Without `--advertise`: requests reach the leader by way of the database. */
  readonly hasNoAddresses?: boolean;
  /** Value of the header Authorization where the servers ask for it. */
  readonly authorization?: string;
  /** Further arguments of each server. */
  readonly args?: readonly string[];
  /** What happens to requests of a server to the database; absent: they reach it directly. */
  readonly faults?: ProxyPlan;
}

/** A server of the cluster, which keeps its address when it is started again. */
export class Member implements AsyncDisposable {
  readonly url: string;
  readonly #port: number;
  readonly #options: ClusterOptions;
  readonly #database: string;
  /** Before the database, where there are faults. */
  readonly proxy: DatabaseProxy | undefined;
  /** Logs of the processes that have ended. */
  #logs = "";
  #process: ServerProcess | undefined;

  constructor(options: ClusterOptions, database: string, proxy?: DatabaseProxy) {
    this.#port = freePort();
    this.url = `http://127.0.0.1:${this.#port}`;
    this.#options = options;
    this.#database = proxy?.url ?? database;
    this.proxy = proxy;
  }

  /** Starts it; resolves when it is ready. One that cannot reach its database ends, and is started again as by a supervisor. */
  async start(): Promise<void> {
    for (let tries = this.proxy ? MAX_STARTS : 1;; tries--) {
      try {
        return await this.#start();
      } catch (error) {
        if (tries === 1) throw error;
      }
    }
  }

  async #start(): Promise<void> {
    const { folder, leaseTtl, hasNoAddresses, args = [] } = this.#options;
    const address = hasNoAddresses ? [] : ["--advertise", this.url];
    this.#process = await ServerProcess.start({
      dataDir: `${folder}/data-${this.#port}`,
      port: this.#port,
      args: ["--database", this.#database, "--lease-ttl", leaseTtl, ...address, ...args],
      env: { SLUICE_DATABASE_TOKEN: DENOKV_TOKEN, SLUICE_ENCRYPTION_KEY: ENCRYPTION_KEY },
    });
  }

  /** True until it is killed or stopped. */
  get isUp(): boolean {
    return this.#process !== undefined;
  }

  /** What all its processes have logged. */
  get log(): string {
    return this.#logs + (this.#process?.log ?? "");
  }

  /** Sends a signal that does not end it. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#process?.signal(signal);
  }

  /** Waits until it has noticed that it does not lead any more. @throws Error with its log when it does not */
  async waitForEndOfTerm(): Promise<void> {
    const terms = (this.#process?.log.match(TERM_BEGUN) ?? []).length;
    const pattern = new RegExp(`(?:The term has ended[^]*){${terms}}`);
    await this.#process?.waitForLog(pattern, TERM_END_TIMEOUT_MS);
  }

  /** Ends it by a signal. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<Finished | undefined> {
    const process = this.#process;
    this.#process = undefined;
    const finished = await process?.kill(signal);
    this.#logs += finished?.log ?? "";
    return finished;
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]();
    await this.proxy?.[Symbol.asyncDispose]();
  }
}

/** The database and its servers. */
export class Cluster implements AsyncDisposable {
  readonly members: readonly Member[];
  readonly #database: Denokv;
  readonly #headers: HeadersInit;

  private constructor(database: Denokv, members: readonly Member[], authorization?: string) {
    this.#database = database;
    this.members = members;
    this.#headers = authorization === undefined ? {} : { authorization };
  }

  /** Starts the database and all servers. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const database = await Denokv.start(`${options.folder}/database.db`);
    const { faults, servers } = options;
    const proxyOf = () => faults && DatabaseProxy.start(database.url, faults);
    const members = await Promise.all(
      Array.from({ length: servers }, async () => new Member(options, database.url, await proxyOf())),
    );
    const cluster = new Cluster(database, members, options.authorization);
    try {
      await Promise.all(members.map((member) => member.start()));
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Address of the database. */
  get databaseUrl(): string {
    return this.#database.url;
  }

  /** Kills the database, and starts it again after that time. */
  async interruptDatabase(ms: number): Promise<void> {
    await this.#database.kill();
    await pause(ms);
    await this.#database.restart();
  }

  /** The servers that run. */
  get up(): Member[] {
    return this.members.filter(({ isUp }) => isUp);
  }

  /** The server that leads; waits until one of those does. */
  async leader(among: readonly Member[] = this.up): Promise<Member> {
    for (;;) {
      for (const member of among) if (await isLeader(member.url, this.#headers)) return member;
      await pause(POLL_MS);
    }
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member[Symbol.asyncDispose]()));
    await this.#database[Symbol.asyncDispose]();
  }
}

async function isLeader(url: string, headers: HeadersInit): Promise<boolean> {
  try {
    const response = await fetch(`${url}/metrics`, { headers, signal: AbortSignal.timeout(2_000) });
    return /^sluice_leader 1$/m.test(await response.text());
  } catch {
    return false; // It is stopped.
  }
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
