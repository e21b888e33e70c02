/** The HTTP application on a memory store and a stopped clock. */
import { Hono } from "hono";
import { IdSource } from "../../src/base/id.ts";
import { type LogFields, Logger, type ServerLogLevel, silentLogger } from "../../src/base/log.ts";
import { type AppDeps, createApp } from "../../src/http/app.ts";
import type { DatabaseKind } from "../../src/model/server_health.ts";
import type { AppEnv } from "../../src/http/env.ts";
import type { Mount } from "../../src/http/pipeline/mount.ts";
import { ClientAddresses } from "../../src/http/pipeline/client_addresses.ts";
import { DomainError } from "../../src/model/errors.ts";
import { EventStreams } from "../../src/http/streams/sse.ts";
import { Auth } from "../../src/services/access/auth.ts";
import type { Credentials } from "../../src/model/access/user.ts";
import { FirstUser } from "../../src/services/access/first_user.ts";
import { Tenants } from "../../src/services/access/tenants.ts";
import { Tokens } from "../../src/services/access/tokens.ts";
import { Users } from "../../src/services/access/users.ts";
import type { Committer } from "../../src/store/committer.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { quietCommitter } from "../support/fakes/quiet_committer.ts";

/** The configured user of a protected application. */
export const ADMIN: Credentials = { user: "admin", password: "correct:horse" };
/** A hash that is quick; production takes a hundred thousand times the work. */
export const QUICK_HASH = { cost: 2, passes: 1 };

/** How an application under test is set up. */
export interface AppSetup {
  readonly isProtected?: boolean;
  /** Protected without a configured user. */
  readonly isUserStored?: boolean;
  readonly config?: Partial<AppDeps["config"]>;
  readonly tenantRoutes?: readonly Mount[];
  readonly globalRoutes?: readonly Mount[];
  readonly webRoutes?: Hono<AppEnv>;
  readonly isReady?: () => boolean;
  readonly database?: DatabaseKind;
  readonly trustedProxies?: readonly string[];
  readonly maxStreams?: number;
  readonly maxStreamsPerCaller?: number;
  /** Receives the log lines of the server. */
  readonly log?: string[];
  readonly logLevel?: ServerLogLevel;
  /** Receives the events of the audit log. */
  readonly audit?: AppDeps["audit"];
  readonly store?: MemoryStore;
  readonly clock?: FakeClock;
}

/** An application and what it is made of. */
export interface AppUnderTest extends AsyncDisposable {
  readonly app: Hono<AppEnv>;
  readonly auth: Auth;
  readonly firstUser?: FirstUser;
  readonly users: Users;
  readonly tokens: Tokens;
  readonly tenants: Tenants;
  readonly clock: FakeClock;
  readonly store: MemoryStore;
  readonly committer: Committer;
  readonly eventStreams: EventStreams;
  /** Sends a request from an address of its own. */
  send(path: string, init?: RequestInit, address?: string): Promise<Response>;
}

/** Starts an application. */
export async function startApp(setup: AppSetup = {}): Promise<AppUnderTest> {
  const { isUserStored = false, clock = new FakeClock(), store = new MemoryStore(clock), log } = setup;
  const isProtected = setup.isProtected === true || isUserStored;
  const logger = log
    ? new Logger({ level: setup.logLevel ?? "info", format: "json", clock, write: (line) => log.push(line) })
    : silentLogger(clock);
  const committer = quietCommitter(store, clock, { logger });
  await committer.start();
  const tenants = new Tenants({ store, committer });
  await tenants.start();
  const ids = new IdSource();
  const randomBytes = (bytes: Uint8Array<ArrayBuffer>) => void crypto.getRandomValues(bytes);
  const basic = isProtected && !isUserStored ? ADMIN : undefined;
  const hashing = { clock, logger, randomBytes, hashWork: QUICK_HASH };
  const users = new Users({ basic, isUserStored, store, committer, tenants, ...hashing });
  await users.start();
  const tokens = new Tokens({ store, committer, tenants, users, clock, ids, randomBytes, logger });
  await tokens.start();
  const auth = new Auth({ users, tokens, ...hashing });
  const firstUser = isUserStored ? new FirstUser({ users, logger, randomBytes }) : undefined;
  firstUser?.start();
  const { maxStreams, maxStreamsPerCaller } = setup;
  const eventStreams = new EventStreams({ clock, logger, maxStreams, maxStreamsPerCaller });
  const app = createApp({
    auth,
    firstUser,
    tenants,
    users,
    tokens,
    logger,
    clock,
    config: {
      host: "127.0.0.1",
      port: 8080,
      isProtected,
      maxUploadBytes: 1_000_000,
      version: "1.2.3",
      ...setup.config,
    },
    isReady: setup.isReady ?? (() => true),
    database: setup.database,
    tenantRoutes: setup.tenantRoutes ?? sampleMounts(),
    globalRoutes: setup.globalRoutes,
    webRoutes: setup.webRoutes,
    eventStreams,
    randomBytes,
    audit: setup.audit,
    clients: new ClientAddresses(setup.trustedProxies),
  });
  return {
    app,
    auth,
    firstUser,
    users,
    tokens,
    tenants,
    clock,
    store,
    committer,
    eventStreams,
    async send(path, init, address = "192.0.2.1") {
      const url = path.startsWith("http") ? path : `http://localhost:8080${path}`;
      return await app.fetch(new Request(url, init), { remoteAddr: { hostname: address } });
    },
    async [Symbol.asyncDispose]() {
      await auth[Symbol.asyncDispose]();
      await users[Symbol.asyncDispose]();
      await eventStreams[Symbol.asyncDispose]();
      await committer[Symbol.asyncDispose]();
      store.close();
    },
  };
}

/** Routes that stand for those of the product: literals beside parameters, and the open webhook. */
export function sampleMounts(): Mount[] {
  const flows = new Hono<AppEnv>();
  flows.get("/:namespace/:id", (c) => c.json({ ...c.get("actor"), ...c.req.param() }));
  flows.get("/search", (c) => c.json({ ...c.get("actor"), isSearch: true }));
  flows.post("/", (c) => c.json({ ...c.get("actor"), isCreated: true }));
  const executions = new Hono<AppEnv>();
  executions.post("/:namespace/:id", (c) => c.json({ ...c.get("actor"), ...c.req.param() }));
  executions.get("/:id", (c) => c.json({ ...c.get("actor"), ...c.req.param() }));
  const webhook = new Hono<AppEnv>();
  for (const method of ["GET", "POST", "PUT"]) {
    webhook.on(
      method,
      "/:namespace/:id/:key",
      (c) => {
        const actor = c.get("actor");
        // Nothing is stored in no tenant.
        if (actor.tenant === "") throw new DomainError("not_found", "Not Found: Webhook not found");
        return c.json({ ...actor, started: c.req.param("id") });
      },
    );
  }
  return [
    { path: "/flows", routes: flows },
    { path: "/executions/webhook", routes: webhook, access: "webhook" },
    { path: "/executions", routes: executions },
  ];
}

/** The `Authorization` header of credentials. */
export function basicHeader({ user, password }: Credentials = ADMIN): Record<string, string> {
  return { authorization: `Basic ${btoa(`${user}:${password}`)}` };
}

/** The `Authorization` header of a token. */
export function bearerHeader(secret: string): Record<string, string> {
  return { authorization: `Bearer ${secret}` };
}

/** The facts of a line of the log. */
export function parseLine(line: string | undefined): LogFields & { message?: string } {
  return JSON.parse(line ?? "{}");
}
