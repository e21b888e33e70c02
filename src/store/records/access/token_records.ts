/** Stored API tokens: positional lists by the hash of the secret. */
import type { JsonValue } from "../../../base/json.ts";
import type { ApiToken } from "../../../model/access/token.ts";
import { decodeJson } from "../../codec.ts";
import { tokenKey, TOKENS } from "../../keys.ts";
import type { Mutation, Store, StoredEntry } from "../../store.ts";
import { deleteKey, readEntries, setJson } from "../../stored_entries.ts";
import { decodeRole } from "./user_records.ts";

/** A token and the SHA-256 of its secret. */
interface StoredToken {
  readonly hash: string;
  /** Stored by a version that had one user: it belongs to that user, whatever the name is now. */
  readonly isBeforeRoles?: boolean;
  readonly token: ApiToken;
}

/** Place of the role, the last member. */
const ROLE_AT = 12;

/** Writes a token. */
export function setToken({ hash, token }: StoredToken): Mutation {
  return setJson(tokenKey(hash), [
    token.id,
    token.name,
    token.description ?? null,
    token.prefix,
    token.user,
    token.tenants ?? null,
    token.issuedAt,
    token.expiresAt ?? null,
    token.maxAgeMs ?? null,
    token.extended,
    token.lastUsedAt ?? null,
    token.workerGroups ?? null,
    token.role ?? null,
  ]);
}

/** Removes a token. */
export function deleteToken(hash: string): Mutation {
  return deleteKey(tokenKey(hash));
}

/** All tokens, ordered by hash. */
export function readTokens(store: Store): Promise<StoredToken[]> {
  return Array.fromAsync(readEntries(store, TOKENS, decodeToken));
}

/** A stored token. */
export function decodeToken({ key, value }: StoredEntry): StoredToken {
  const stored = decodeJson(value) as JsonValue[];
  const [id, name, description, prefix, user, tenants, issuedAt, expiresAt, maxAgeMs, extended] = stored;
  const [lastUsedAt, workerGroups, role = null] = stored.slice(10);
  const token: ApiToken = {
    id: id as string,
    name: name as string,
    description: description as string | null ?? undefined,
    prefix: prefix as string,
    user: user as string,
    role: decodeRole(role),
    tenants: tenants as string[] | null ?? undefined,
    workerGroups: workerGroups as string[] | null ?? undefined,
    issuedAt: issuedAt as number,
    expiresAt: expiresAt as number | null ?? undefined,
    maxAgeMs: maxAgeMs as number | null ?? undefined,
    extended: extended as boolean,
    lastUsedAt: lastUsedAt as number | null ?? undefined,
  };
  return { hash: String(key[1]), token, isBeforeRoles: stored.length <= ROLE_AT };
}
