/**
 * Authenticates requests: without credentials (mode none), by HTTP Basic credentials of the one user, by an API token, or
 * by a session that a log-in opened. Every refusal is the same, whatever the reason.
 */
import { Buffer } from "node:buffer";
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { RandomBytes } from "../../base/id.ts";
import type { Logger } from "../../base/log.ts";
import { DomainError, illegalArgument } from "../../model/errors.ts";
import { FAILED_LOGIN_WINDOW_MS, MAX_FAILED_LOGINS, VERIFIED_CREDENTIAL_MS } from "../../model/limits.ts";
import { ANONYMOUS, Caller } from "./caller.ts";
import { networkOf } from "../../base/network/ip.ts";
import { FailureLimiter } from "./failure_limiter.ts";
import { LoginQueue } from "./login_queue.ts";
import { type HashWork, PasswordHash } from "./password.ts";
import { constantTimeEqual } from "../../base/crypto/constant_time_equal.ts";
import { Sessions } from "./sessions.ts";
import type { TokenGrant, Tokens } from "./tokens.ts";

/** User name and password. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

interface AuthOptions {
  /** The configured user. Absent: no credentials are required, and every caller may do everything. */
  readonly basic?: Credentials;
  /** Credentials are required although none are configured: the user is given later, by {@link Auth.useHash}. */
  readonly isUserStored?: boolean;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomBytes: RandomBytes;
  readonly hashWork?: HashWork;
}

interface User {
  readonly name: string;
  readonly hash: PasswordHash;
  readonly caller: Caller;
}

/** Credentials that were verified and need not be hashed again. */
interface Verified {
  readonly caller: Caller;
  readonly until: Instant;
  /** Set for a token, which is checked at each use. */
  readonly grant?: TokenGrant;
}

/** Cached header values. Only valid ones are cached, so this bounds the users and tokens in use. */
const MAX_VERIFIED = 1_000;
const FAILED_LOGINS = {
  ofName: MAX_FAILED_LOGINS,
  ofNetwork: 10 * MAX_FAILED_LOGINS,
  windowMs: FAILED_LOGIN_WINDOW_MS,
};
/** Characters of a user name in the log. */
const MAX_LOGGED_NAME = 200;

/** Authenticates requests by the value of their `Authorization` header. */
export class Auth {
  /** False if the server requires no credentials. */
  readonly isProtected: boolean;
  readonly #options: AuthOptions;
  readonly #anonymous = new Caller(ANONYMOUS);
  readonly #limiter = new FailureLimiter(FAILED_LOGINS);
  readonly #queue = new LoginQueue();
  readonly #verified = new Map<string, Verified>();
  readonly #pending = new Map<string, Promise<Caller>>();
  readonly #sessions: Sessions;
  /** Hashing takes a quarter of a second; the first log-in waits for it, the start of the server does not. */
  #user: Promise<User> | undefined;
  #userName: string | undefined;

  constructor(options: AuthOptions) {
    this.#options = options;
    this.isProtected = options.basic !== undefined || options.isUserStored === true;
    this.#sessions = new Sessions(options.clock, options.randomBytes);
  }

  /** Sets the configured credentials. @throws DomainError invalid_argument */
  start(): void {
    if (this.#options.basic) this.setCredentials(this.#options.basic);
  }

  /** Waits for running hashes; refuses log-ins that wait. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#queue[Symbol.dispose]();
    await Promise.allSettled([this.#user, ...this.#pending.values()]);
  }

  /** Replaces user and password; ends sessions; cached credentials are verified again. @throws DomainError invalid_argument */
  setCredentials({ user, password }: Credentials): void {
    const problem = userNameProblem(user) ?? (password === "" ? "the password must not be empty" : undefined);
    if (problem) throw illegalArgument(problem);
    const { randomBytes, hashWork } = this.#options;
    const hashed = PasswordHash.create(password, randomBytes, hashWork);
    hashed.catch((error: Error) =>
      this.#options.logger.error("Cannot hash the password", { error: error.message })
    );
    this.#replaceUser(user, hashed);
  }

  /** As {@link setCredentials}, for a user with a stored hash. */
  useHash(user: string, hash: PasswordHash): void {
    this.#replaceUser(user, Promise.resolve(hash));
  }

  /** The name of the user; `undefined` without a login. */
  get userName(): string | undefined {
    return this.#userName;
  }

  #replaceUser(name: string, hashed: Promise<PasswordHash>): void {
    this.#userName = name;
    this.#user = hashed.then((hash) => ({ name, hash, caller: new Caller(name) }));
    this.#user.catch(() => {}); // Reported where the hash is computed.
    this.#verified.clear();
    this.#pending.clear();
    this.#sessions.closeAll();
  }

  /**
   * Opens a session of the user with that password; returns its value. `undefined` if no credentials are required.
   * @throws DomainError as {@link authenticate}
   */
  async logIn({ user, password }: Credentials, address: string): Promise<string | undefined> {
    const value = Buffer.from(`${user}:${password}`, "utf8").toString("base64");
    const caller = await this.authenticate(`Basic ${value}`, address);
    return this.isProtected ? this.#sessions.open(caller) : undefined;
  }

  /** Ends a session. */
  logOut(session: string): void {
    this.#sessions.close(session);
  }

  /** The caller of an open session. */
  callerOfSession(session: string): Caller | undefined {
    return this.#sessions.find(session);
  }

  /** The caller if nothing needs to be hashed: the server is unprotected, or the credentials were verified recently. */
  known(header: string | null): Caller | undefined {
    if (!this.isProtected) return this.#anonymous;
    if (header === null) return undefined;
    const verified = this.#verified.get(header);
    if (verified === undefined) return undefined;
    const now = this.#options.clock.now();
    const isGood = verified.until > now &&
      (verified.grant === undefined || this.#options.tokens.use(verified.grant, now));
    if (isGood) return verified.grant?.caller ?? verified.caller;
    this.#verified.delete(header);
    return undefined;
  }

  /**
   * The caller with that `Authorization` header and IP address. Synchronous if the credentials are cached or a token,
   * else resolves once the password is hashed.
   * @throws DomainError unauthorized; too_many_requests after too many failures
   */
  authenticate(header: string | null, address: string): Caller | Promise<Caller> {
    const caller = this.known(header);
    if (caller) return caller;
    const [scheme, value] = splitHeader(header);
    if (scheme === "bearer" && value !== "") return this.#acceptToken(header ?? "", value, address);
    if (scheme === "basic" && value !== "") return this.#checkPassword(header ?? "", value, address);
    if (header !== null) this.#logRefusal(unauthorized(), undefined, address);
    throw unauthorized();
  }

  #acceptToken(header: string, secret: string, address: string): Caller {
    const { tokens, clock } = this.#options;
    const now = clock.now();
    const grant = tokens.find(secret);
    // Anyone could create a token while the server required no credentials.
    if (!grant || grant.token.user === ANONYMOUS || !tokens.use(grant, now)) {
      this.#logRefusal(unauthorized(), grant?.token.user, address);
      throw unauthorized();
    }
    this.#remember(header, { caller: grant.caller, until: now + VERIFIED_CREDENTIAL_MS, grant });
    return grant.caller;
  }

  /** Concurrent requests with the same credentials share one hash. */
  #checkPassword(header: string, value: string, address: string): Promise<Caller> {
    const given = decodeCredentials(value);
    const user = this.#user;
    if (!given || !user) {
      this.#logRefusal(unauthorized(), given?.user, address);
      throw unauthorized();
    }
    const key = `${address}\n${header}`;
    const pending = this.#pending.get(key);
    if (pending) return pending;
    const check = this.#verify(header, given, user, networkOf(address)).catch((error: Error) => {
      this.#logRefusal(error, given.user, address);
      throw error;
    }).finally(() => this.#pending.delete(key));
    this.#pending.set(key, check);
    return check;
  }

  async #verify(
    header: string,
    given: Credentials,
    expected: Promise<User>,
    network: string,
  ): Promise<Caller> {
    const { clock } = this.#options;
    const place = { name: given.user, network };
    this.#checkFailures(place);
    return await this.#queue.run(network, async () => {
      // Others of the network may have failed meanwhile. Counted before the result, so that concurrent attempts count.
      this.#checkFailures(place);
      this.#limiter.add(place, clock.now());
      const user = await expected;
      const isPassword = await user.hash.matches(given.password);
      if (!constantTimeEqual(given.user, user.name) || !isPassword || expected !== this.#user) {
        throw unauthorized();
      }
      this.#limiter.forgive(place);
      this.#queue.remember(network);
      this.#remember(header, { caller: user.caller, until: clock.now() + VERIFIED_CREDENTIAL_MS });
      return user.caller;
    });
  }

  #checkFailures(place: { readonly name: string; readonly network: string }): void {
    const waitMs = this.#limiter.waitMs(place, this.#options.clock.now());
    if (waitMs === undefined) return;
    const retryAfter = Math.max(1, Math.ceil(waitMs / 1000));
    throw new DomainError("too_many_requests", "Too many failed log-ins: try again later", { retryAfter });
  }

  #remember(header: string, verified: Verified): void {
    if (this.#verified.size >= MAX_VERIFIED) this.#verified.clear();
    this.#verified.set(header, verified);
  }

  /** Each refused log-in is one line; `user` is as the caller gave it. */
  #logRefusal({ message: reason }: Error, user: string | undefined, address: string): void {
    this.#options.logger.warn("Refused a log-in", { user: user?.slice(0, MAX_LOGGED_NAME), address, reason });
  }
}

/** Why a user cannot have that name; `undefined` if it can. */
export function userNameProblem(name: string): string | undefined {
  // deno-lint-ignore no-control-regex
  const isGood = name !== "" && name !== ANONYMOUS && !/[:\u0000-\u001f\u007f]/.test(name);
  if (isGood) return undefined;
  return `the user name must not be empty, "${ANONYMOUS}", or contain ":" or control characters`;
}

/** The only refusal: it must not distinguish missing, wrong, expired and revoked credentials. */
function unauthorized(): DomainError {
  return new DomainError("unauthorized", "Unauthorized: valid credentials are needed");
}

function splitHeader(header: string | null): [scheme: string, value: string] {
  const space = header?.indexOf(" ") ?? -1;
  if (header === null || space === -1) return ["", ""];
  return [header.slice(0, space).toLowerCase(), header.slice(space + 1).trim()];
}

function decodeCredentials(value: string): Credentials | undefined {
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
