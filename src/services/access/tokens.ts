/** API tokens: created, shown once, accepted, extended, revoked. All are in memory; changes are written through. */
import { createHash } from "node:crypto";
import { type Clock, type Instant, toIso } from "../../base/time/clock.ts";
import type { IdSource, RandomBytes } from "../../base/id.ts";
import { toBase62 } from "../../base/id.ts";
import type { Logger } from "../../base/log.ts";
import { DomainError, invalidEntity, notFound } from "../../model/errors.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import { lowerRole } from "../../model/access/role.ts";
import { publicTenantId } from "../../model/access/tenant.ts";
import {
  type ApiToken,
  checkTokenRequest,
  isExpired,
  MAX_TOKENS,
  TOKEN_PREFIX_LENGTH,
  TOKEN_START,
  type TokenRequest,
} from "../../model/access/token.ts";
import { ANONYMOUS } from "../../model/access/user.ts";
import type { Committer } from "../../store/committer.ts";
import type { Store } from "../../store/store.ts";
import { deleteToken, readTokens, setToken } from "../../store/records/access/token_records.ts";
import { Caller } from "./caller.ts";
import type { Tenants } from "./tenants.ts";
import type { Users } from "./users.ts";

interface TokensDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly tenants: Tenants;
  readonly users: Pick<Users, "find" | "firstName" | "isProtected" | "list" | "listen">;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly randomBytes: RandomBytes;
  readonly logger: Logger;
}

/** A token in memory; {@link Tokens.use} tells whether it is still valid. */
export interface TokenGrant {
  readonly hash: string;
  token: ApiToken;
  /** `undefined` while its user cannot log in. */
  caller: Caller | undefined;
  /** Its delete is being committed: a later write would restore it at the next start. */
  isEnding: boolean;
  isRevoked: boolean;
}

/** Deletes of one entry. */
const DELETES_PER_ENTRY = 500;
/** Shortest time between writes of the last use. */
const USE_INTERVAL_MS = 60_000;
const SECRET_BYTES = 32;
/** Base62 digits of 6 bytes and of 2 bytes; each group is padded, so all secrets have the same length. */
const DIGITS_OF_6_BYTES = 9;
const DIGITS_OF_2_BYTES = 3;

/** The tokens of the server. */
export class Tokens {
  readonly #deps: TokensDeps;
  readonly #grants = new Map<string, TokenGrant>();
  /** By user: no token is created while those of the user are revoked. */
  readonly #lock = new KeyedLock();
  readonly #listeners: ((tokenId: string) => void)[] = [];

  constructor(deps: TokensDeps) {
    this.#deps = deps;
  }

  /** Calls back with the id of each token that is revoked. */
  listen(revoked: (tokenId: string) => void): void {
    this.#listeners.push(revoked);
  }

  /** Reads all tokens; call it once, after the users are read. */
  async start(): Promise<void> {
    const { store, tenants, users } = this.#deps;
    for (const stored of await readTokens(store)) {
      const { hash, token } = stored.isBeforeRoles ? await this.#adopted(stored) : stored;
      this.#add(hash, token);
    }
    users.listen({ changed: (user) => this.#refresh(user), leaving: (user) => this.#revokeAllOf(user) });
    this.#logRefused();
    const named = new Set([...this.#grants.values()].flatMap(({ token }) => token.tenants ?? []));
    // A crash interrupted the removal of a tenant before its tokens were changed.
    for (const tenant of named) if (!tenants.has(tenant)) await this.#forgetTenant(tenant);
    tenants.onRemove({ closed: (tenant) => this.#forgetTenant(publicTenantId(tenant)) });
  }

  /** While there was one user, tokens were that user's, also under an earlier name. One of a server without a login stays refused. */
  async #adopted({ hash, token }: { readonly hash: string; readonly token: ApiToken }) {
    const { users, committer } = this.#deps;
    const isOfUser = token.user === ANONYMOUS || users.list().some(({ name }) => name === token.user);
    const user = isOfUser ? token.user : users.firstName;
    if (user === undefined) return { hash, token };
    const adopted = { hash, token: { ...token, user } };
    await committer.commit({ mutations: [setToken(adopted)] });
    return adopted;
  }

  /** The configured user may have had another name when a token was created. */
  #logRefused(): void {
    const { users, logger } = this.#deps;
    const refused = [...this.#grants.values()].filter(({ caller }) => caller === undefined);
    if (!users.isProtected || refused.length === 0) return;
    const names = [...new Set(refused.map(({ token }) => token.user))].slice(0, 10);
    logger.warn("Tokens are refused: their users do not exist or are disabled", {
      tokens: refused.length,
      users: names.join(", "),
    });
  }

  /** All tokens, or those of a user, newest first. */
  list(user?: string): ApiToken[] {
    const tokens = [...this.#grants.values()].map((grant) => grant.token);
    const listed = user === undefined ? tokens : tokens.filter((token) => token.user === user);
    return listed.sort((a, b) => a.id < b.id ? 1 : -1);
  }

  /**
   * Creates a token of a user; `secret` is returned only here. `by` is the id of the token that asks for it.
   * @throws DomainError invalid_entity, also if it would outlive the token that asks; conflict
   */
  create(user: string, request: TokenRequest, by?: string): Promise<{ token: ApiToken; secret: string }> {
    return this.#lock.run(user, () => this.#create(user, request, by));
  }

  async #create(user: string, request: TokenRequest, by: string | undefined) {
    checkTokenRequest(request);
    this.#checkLifetime(request, by);
    if (this.#grants.size >= MAX_TOKENS) await this.#removeExpired();
    // After the removal of expired tokens: a tenant may be removed during that.
    const unknown = request.tenants?.find((tenant) => !this.#deps.tenants.has(tenant));
    if (unknown !== undefined) {
      throw invalidEntity(`tenants: there is no tenant "${unknown}"`);
    }
    if (this.#grants.size >= MAX_TOKENS) {
      throw new DomainError("conflict", `Cannot create a token: there are ${MAX_TOKENS}; revoke some first`);
    }
    const { clock, ids, committer } = this.#deps;
    const now = clock.now();
    const secret = this.#newSecret();
    const token: ApiToken = {
      ...request,
      id: ids.next(now),
      user,
      prefix: secret.slice(0, TOKEN_START.length + TOKEN_PREFIX_LENGTH),
      issuedAt: now,
      expiresAt: request.maxAgeMs === undefined ? undefined : now + request.maxAgeMs,
    };
    const hash = hashOf(secret);
    await committer.commit({ mutations: [setToken({ hash, token })] });
    this.#add(hash, token);
    // Their removal may have begun during the commit.
    const removed = request.tenants?.filter((tenant) => !this.#deps.tenants.has(tenant)) ?? [];
    for (const tenant of removed) await this.#forgetTenant(tenant);
    return { token, secret };
  }

  /** Who finds a token that ends must not get more time by it. One that each use prolongs gives that anyway. */
  #checkLifetime({ maxAgeMs, extended }: TokenRequest, by: string | undefined): void {
    const { token } = [...this.#grants.values()].find(({ token: { id } }) => id === by) ?? {};
    if (token?.expiresAt === undefined || token.extended) return;
    const expiresAt = maxAgeMs === undefined || extended ? Infinity : this.#deps.clock.now() + maxAgeMs;
    if (expiresAt <= token.expiresAt) return;
    throw invalidEntity(
      `maxAge: the token of this request ends at ${
        toIso(token.expiresAt)
      }: give "maxAge", so that the new one does not ` +
        'end later, without "extended"',
    );
  }

  /** Revokes a token, of that user if one is given. @throws DomainError not_found */
  async revoke(id: string, user?: string): Promise<void> {
    const grant = [...this.#grants.values()].find(({ token }) => token.id === id);
    if (!grant || (user !== undefined && grant.token.user !== user)) {
      throw notFound(`there is no token "${id}"`);
    }
    await this.#end([grant]);
  }

  /** Makes room for new tokens. Until it is needed, lists show expired tokens. */
  async #removeExpired(): Promise<void> {
    const now = this.#deps.clock.now();
    const expired = [...this.#grants.values()].filter(({ token }) => isExpired(token, now));
    if (expired.length > 0) await this.#end(expired.slice(0, DELETES_PER_ENTRY));
  }

  #revokeAllOf(user: string): Promise<void> {
    return this.#lock.run(user, async () => {
      const grants = [...this.#grants.values()].filter(({ token }) => token.user === user);
      for (let i = 0; i < grants.length; i += DELETES_PER_ENTRY) {
        await this.#end(grants.slice(i, i + DELETES_PER_ENTRY));
      }
    });
  }

  async #end(grants: readonly TokenGrant[]): Promise<void> {
    for (const grant of grants) grant.isEnding = true;
    try {
      await this.#deps.committer.commit({ mutations: grants.map(({ hash }) => deleteToken(hash)) });
    } catch (error) {
      for (const grant of grants) grant.isEnding = false;
      throw error;
    }
    for (const grant of grants) {
      grant.isRevoked = true;
      grant.caller?.end();
      this.#grants.delete(grant.hash);
      for (const revoked of this.#listeners) revoked(grant.token.id);
    }
  }

  /** The grant of a secret, which may be expired or revoked: check it with {@link use}. */
  find(secret: string): TokenGrant | undefined {
    return secret.startsWith(TOKEN_START) ? this.#grants.get(hashOf(secret)) : undefined;
  }

  /** True if the token is neither revoked nor expired, and its user may log in; records the use, and extends an `extended` token. */
  use(grant: TokenGrant, now: Instant): boolean {
    const { token } = grant;
    if (grant.isRevoked || grant.caller === undefined || isExpired(token, now)) return false;
    const sinceUse = now - (token.lastUsedAt ?? 0);
    const isDue = sinceUse >= USE_INTERVAL_MS || (token.extended && sinceUse * 10 >= (token.maxAgeMs ?? 0));
    if (isDue && !grant.isEnding) this.#recordUse(grant, now);
    return true;
  }

  #recordUse(grant: TokenGrant, now: Instant): void {
    const { maxAgeMs, extended } = grant.token;
    const expiresAt = extended && maxAgeMs !== undefined ? now + maxAgeMs : grant.token.expiresAt;
    grant.token = { ...grant.token, lastUsedAt: now, expiresAt };
    // Not in the bulk lane: it must not be committed after a following delete.
    const { committer, logger } = this.#deps;
    committer.commit({ mutations: [setToken(grant)] }).catch((error: Error) =>
      logger.debug("Cannot store the last use of a token", { reason: error.message })
    );
  }

  /** A new tenant with the same id is another one: old tokens must not open it. */
  async #forgetTenant(tenant: string): Promise<void> {
    const concerned = [...this.#grants.values()].filter(({ token }) => token.tenants?.includes(tenant));
    for (const grant of concerned) {
      const tenants = grant.token.tenants?.filter((id) => id !== tenant);
      grant.token = { ...grant.token, tenants };
      this.#renew(grant);
      // One that was revoked during the commit before must not be stored again.
      if (!grant.isEnding) await this.#deps.committer.commit({ mutations: [setToken(grant)] });
    }
  }

  #add(hash: string, token: ApiToken): void {
    this.#grants.set(hash, {
      hash,
      token,
      caller: this.#callerOf(token),
      isEnding: false,
      isRevoked: false,
    });
  }

  #refresh(user: string): void {
    for (const grant of this.#grants.values()) {
      if (grant.token.user === user) this.#renew(grant);
    }
  }

  #renew(grant: TokenGrant): void {
    grant.caller?.end();
    grant.caller = this.#callerOf(grant.token);
  }

  /** The token acts with the role and in the tenants of its user, or with less. */
  #callerOf(
    { id: tokenId, user: name, role, tenants: own, workerGroups: groups }: ApiToken,
  ): Caller | undefined {
    const user = this.#deps.users.find(name)?.user;
    if (!user) return undefined;
    const tenants = user.tenants && own
      ? own.filter((id) => user.tenants?.includes(id))
      : own ?? user.tenants;
    return new Caller({
      user: name,
      role: role ? lowerRole(role, user.role) : user.role,
      tenants,
      worker: groups && { tokenId, groups, tenants },
      tokenId,
    });
  }

  #newSecret(): string {
    const bytes = new Uint8Array(SECRET_BYTES);
    this.#deps.randomBytes(bytes);
    const view = new DataView(bytes.buffer);
    let digits = "";
    for (let i = 0; i + 6 <= SECRET_BYTES; i += 6) {
      digits += toBase62(view.getUint16(i) * 2 ** 32 + view.getUint32(i + 2), DIGITS_OF_6_BYTES);
    }
    return TOKEN_START + digits + toBase62(view.getUint16(SECRET_BYTES - 2), DIGITS_OF_2_BYTES);
  }
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
