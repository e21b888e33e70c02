/**
 * Authenticates requests: without credentials (mode none), by HTTP Basic credentials of a user, by an API token, or
 * by a session that a log-in opened. Every refusal is the same, whatever the reason.
 */
import { Buffer } from "node:buffer";
import type { DerivePasswordKey, KeyWork } from "../../base/crypto/password_key.ts";
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { RandomBytes } from "../../base/id.ts";
import type { Logger } from "../../base/log.ts";
import { ANONYMOUS, checkPassword, type Credentials } from "../../model/access/user.ts";
import { DomainError, invalidEntity } from "../../model/errors.ts";
import { FAILED_LOGIN_WINDOW_MS, MAX_FAILED_LOGINS, VERIFIED_CREDENTIAL_MS } from "../../model/limits.ts";
import { Caller } from "./caller.ts";
import { networkOf } from "../../base/network/ip.ts";
import { FailureLimiter } from "./failure_limiter.ts";
import { LoginQueue } from "./login_queue.ts";
import { PasswordHash } from "./password.ts";
import { Sessions } from "./sessions.ts";
import type { TokenGrant, Tokens } from "./tokens.ts";
import type { Users } from "./users.ts";

interface AuthOptions {
  readonly users: Users;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomBytes: RandomBytes;
  readonly hashWork?: KeyWork;
  /** Derives keys with a low priority, while other log-ins wait; absent: with the priority of the first one. */
  readonly deriveInBackground?: DerivePasswordKey;
}

/** A new password, and the one that it replaces. */
interface PasswordChange {
  readonly oldPassword: string;
  readonly newPassword: string;
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
  readonly #options: AuthOptions;
  readonly #anonymous = new Caller({ user: ANONYMOUS, role: "admin" });
  readonly #limiter = new FailureLimiter(FAILED_LOGINS);
  readonly #queue = new LoginQueue();
  readonly #verified = new Map<string, Verified>();
  readonly #pending = new Map<string, Promise<Caller>>();
  readonly #sessions: Sessions;
  /** For names without a user, so that they take as long as others. */
  readonly #noUser: PasswordHash;

  constructor(options: AuthOptions) {
    const { clock, randomBytes, hashWork } = options;
    this.#options = options;
    this.#sessions = new Sessions(clock, randomBytes);
    this.#noUser = PasswordHash.unmatched(randomBytes, hashWork);
  }

  /** False if the server requires no credentials. */
  get isProtected(): boolean {
    return this.#options.users.isProtected;
  }

  /** Waits for running hashes; refuses log-ins that wait. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#queue[Symbol.dispose]();
    await Promise.allSettled(this.#pending.values());
  }

  /**
   * Opens a session of the user with that password; returns its value. `undefined` if no credentials are required.
   * @throws DomainError as {@link authenticate}
   */
  async logIn(credentials: Credentials, address: string): Promise<string | undefined> {
    const caller = await this.authenticate(headerOf(credentials), address);
    return this.isProtected ? this.#sessions.open(caller) : undefined;
  }

  /**
   * Changes the password of a user who knows the old one; ends all that the user is logged in with. Returns the value of a
   * new session.
   * @throws DomainError invalid_entity: the old or the new one is not accepted; conflict: the user is configured;
   * too_many_requests
   */
  async changePassword(user: string, change: PasswordChange, address: string): Promise<string> {
    const { oldPassword, newPassword } = change;
    checkPassword(newPassword, "newPassword");
    try {
      const proven = await this.authenticate(headerOf({ user, password: oldPassword }), address);
      const { caller } = await this.#options.users.change(user, { password: newPassword }, proven);
      return this.#sessions.open(caller);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== "unauthorized") throw error;
      throw invalidEntity("oldPassword: it is not the password of the user");
    }
  }

  /** Ends a session. */
  logOut(session: string): void {
    this.#sessions.close(session);
  }

  /** The caller of an open session. */
  callerOfSession(session: string): Caller | undefined {
    const caller = this.#sessions.find(session);
    if (caller && this.#isCurrent(caller)) return caller;
    this.#sessions.close(session);
    return undefined;
  }

  /** Whether the user still is as it was when it became this caller: each change of a user gives it another one. */
  #isCurrent(caller: Caller): boolean {
    return this.#options.users.find(caller.user)?.caller === caller;
  }

  /** The caller if nothing needs to be hashed: the server is unprotected, or the credentials were verified recently. */
  known(header: string | null): Caller | undefined {
    if (!this.isProtected) return this.#anonymous;
    if (header === null) return undefined;
    const verified = this.#verified.get(header);
    if (verified === undefined) return undefined;
    const now = this.#options.clock.now();
    const { grant, caller } = verified;
    const isGood = grant ? this.#options.tokens.use(grant, now) : this.#isCurrent(caller);
    if (isGood && verified.until > now) return grant?.caller ?? caller;
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
    // Anyone could create a token while the server required no credentials: its user does not exist.
    if (!grant?.caller || !tokens.use(grant, now)) {
      this.#logRefusal(unauthorized(), grant?.token.user, address);
      throw unauthorized();
    }
    this.#remember(header, { caller: grant.caller, until: now + VERIFIED_CREDENTIAL_MS, grant });
    return grant.caller;
  }

  /** Concurrent requests with the same credentials share one hash. */
  #checkPassword(header: string, value: string, address: string): Promise<Caller> {
    const given = decodeCredentials(value);
    if (!given) {
      this.#logRefusal(unauthorized(), undefined, address);
      throw unauthorized();
    }
    const key = `${address}\n${header}`;
    const pending = this.#pending.get(key);
    if (pending) return pending;
    const check = this.#verify(header, given, networkOf(address)).catch((error: Error) => {
      this.#logRefusal(error, given.user, address);
      throw error;
    }).finally(() => this.#pending.delete(key));
    this.#pending.set(key, check);
    return check;
  }

  async #verify(header: string, given: Credentials, network: string): Promise<Caller> {
    const { clock, users } = this.#options;
    const place = { name: given.user, network };
    this.#checkFailures(place);
    return await this.#queue.run(network, async () => {
      // Others of the network may have failed meanwhile. Counted before the result, so that concurrent attempts count.
      this.#checkFailures(place);
      this.#limiter.add(place, clock.now());
      const account = users.find(given.user);
      const hash = await account?.hash ?? this.#noUser;
      const isPassword = await hash.matches(given.password, this.#derive);
      // Another object: the user has changed meanwhile.
      if (!account || !isPassword || users.find(given.user) !== account) throw unauthorized();
      this.#limiter.forgive(place);
      this.#queue.remember(network);
      this.#remember(header, { caller: account.caller, until: clock.now() + VERIFIED_CREDENTIAL_MS });
      return account.caller;
    });
  }

  /** A single log-in is checked with the normal priority. While others wait, checks must not delay other requests. */
  get #derive(): DerivePasswordKey | undefined {
    return this.#queue.isWaitedFor ? this.#options.deriveInBackground : undefined;
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

/** The only refusal: it must not distinguish missing, wrong, expired and revoked credentials. */
function unauthorized(): DomainError {
  return new DomainError("unauthorized", "Unauthorized: valid credentials are needed");
}

function splitHeader(header: string | null): [scheme: string, value: string] {
  const space = header?.indexOf(" ") ?? -1;
  if (header === null || space === -1) return ["", ""];
  return [header.slice(0, space).toLowerCase(), header.slice(space + 1).trim()];
}

function headerOf({ user, password }: Credentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`;
}

function decodeCredentials(value: string): Credentials | undefined {
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
