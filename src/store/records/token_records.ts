/** API tokens in the store: `[token, hash]` → a positional list. */
import type { JsonValue } from "../../base/json.ts";
import type { ApiToken } from "../../model/access/token.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import { tokenKey, TOKENS } from "../keys.ts";
import type { Mutation, Store } from "../store.ts";

/** A token and the SHA-256 of its secret. */
interface StoredToken {
  readonly hash: string;
  readonly token: ApiToken;
}

/** Writes a token. */
export function setToken({ hash, token }: StoredToken): Mutation {
  const value = encodeJson([
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
  ]);
  return { type: "set", key: tokenKey(hash), value };
}

/** Removes a token. */
export function deleteToken(hash: string): Mutation {
  return { type: "delete", key: tokenKey(hash) };
}

/** All tokens, in order of their hashes. */
export async function readTokens(store: Store): Promise<StoredToken[]> {
  const tokens: StoredToken[] = [];
  for await (const { key, value } of store.list(TOKENS)) {
    tokens.push({ hash: String(key[1]), token: decodeToken(decodeJson(value) as JsonValue[]) });
  }
  return tokens;
}

function decodeToken(fields: JsonValue[]): ApiToken {
  const [id, name, description, prefix, user, tenants, issuedAt, expiresAt, maxAgeMs, extended, lastUsedAt] =
    fields;
  return {
    id: id as string,
    name: name as string,
    description: description as string | null ?? undefined,
    prefix: prefix as string,
    user: user as string,
    tenants: tenants as string[] | null ?? undefined,
    issuedAt: issuedAt as number,
    expiresAt: expiresAt as number | null ?? undefined,
    maxAgeMs: maxAgeMs as number | null ?? undefined,
    extended: extended as boolean,
    lastUsedAt: lastUsedAt as number | null ?? undefined,
  };
}
