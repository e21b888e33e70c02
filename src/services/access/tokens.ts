/** API tokens: created, shown once, accepted, extended, revoked. All are in memory; changes are written through. */
import { createHash } from "node:crypto";
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { IdSource, RandomBytes } from "../../base/id.ts";
import { toBase62 } from "../../base/id.ts";
import type { Logger } from "../../base/log.ts";
import { DomainError, invalidEntity, notFound } from "../../model/errors.ts";
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
import type { Committer } from "../../store/committer.ts";
import type { Store } from "../../store/store.ts";
import { deleteToken, readTokens, setToken } from "../../store/records/access/token_records.ts";
import { Caller } from "./caller.ts";
import type { Tenants } from "./tenants.ts";

interface TokensDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly tenants: Tenants;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly randomBytes: RandomBytes;
  readonly logger: Logger;
}

/** A token in memory; {@link Tokens.use} tells whether it is still valid. */
export interface TokenGrant {
  readonly hash: string;
  token: ApiToken;
  caller: Caller;
  /** Its delete is being committed: a later write would restore it at the next start. */
  isEnding: boolean;
  isRevoked: boolean;
}

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

  constructor(deps: TokensDeps) {
    this.#deps = deps;
  }

  /** Reads all tokens; call it once. */
  async start(): Promise<void> {
    const { store, tenants } = this.#deps;
    for (const { hash, token } of await readTokens(store)) this.#add(hash, token);
    const named = new Set([...this.#grants.values()].flatMap(({ token }) => token.tenants ?? []));
    // A crash interrupted the removal of a tenant before its tokens were changed.
    for (const tenant of named) if (!tenants.has(tenant)) await this.#forgetTenant(tenant);
    tenants.onRemove({ closed: (tenant) => this.#forgetTenant(publicTenantId(tenant)) });
  }

  /** All tokens, newest first. */
  list(): ApiToken[] {
    const tokens = [...this.#grants.values()].map((grant) => grant.token);
    return tokens.sort((a, b) => a.id < b.id ? 1 : -1);
  }

  /** Creates a token of a user; `secret` is returned only here. @throws DomainError invalid_entity, conflict */
  async create(user: string, request: TokenRequest): Promise<{ token: ApiToken; secret: string }> {
    checkTokenRequest(request);
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
    return { token, secret };
  }

  /** Revokes a token. @throws DomainError not_found */
  async revoke(id: string): Promise<void> {
    const grant = [...this.#grants.values()].find((candidate) => candidate.token.id === id);
    if (!grant) throw notFound(`there is no token "${id}"`);
    grant.isEnding = true;
    await this.#deps.committer.commit({ mutations: [deleteToken(grant.hash)] });
    grant.isRevoked = true;
    this.#grants.delete(grant.hash);
  }

  /** The grant of a secret, which may be expired or revoked: check it with {@link use}. */
  find(secret: string): TokenGrant | undefined {
    return secret.startsWith(TOKEN_START) ? this.#grants.get(hashOf(secret)) : undefined;
  }

  /** True if the token is neither revoked nor expired; records the use, and extends an `extended` token. */
  use(grant: TokenGrant, now: Instant): boolean {
    const { token } = grant;
    if (grant.isRevoked || isExpired(token, now)) return false;
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
      grant.caller = callerOf(grant.token);
      await this.#deps.committer.commit({ mutations: [setToken(grant)] });
    }
  }

  #add(hash: string, token: ApiToken): void {
    this.#grants.set(hash, {
      hash,
      token,
      caller: callerOf(token),
      isEnding: false,
      isRevoked: false,
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

function callerOf({ id: tokenId, user, tenants, workerGroups: groups }: ApiToken): Caller {
  return new Caller(user, tenants, groups && { tokenId, groups, tenants }, tokenId);
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
