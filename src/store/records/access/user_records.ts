/** Stored users: positional lists by name. The password itself is never stored, only its hash. */
import type { Instant } from "../../../base/time/clock.ts";
import type { JsonValue } from "../../../base/json.ts";
import { decodeJson } from "../../codec.ts";
import { userKey, USERS } from "../../keys.ts";
import type { Mutation, Store, StoredEntry } from "../../store.ts";
import { readEntries, setJson } from "../../stored_entries.ts";

/** A user and the salted scrypt hash of the password. */
interface UserRecord {
  readonly name: string;
  readonly hash: Uint8Array;
  readonly salt: Uint8Array;
  /** Parameters of scrypt: N and p. */
  readonly work: { readonly cost: number; readonly passes: number };
  readonly createdAt: Instant;
}

/** Writes a user. */
export function setUser({ name, hash, salt, work, createdAt }: UserRecord): Mutation {
  return setJson(userKey(name), [hash.toBase64(), salt.toBase64(), work.cost, work.passes, createdAt]);
}

/** All users, ordered by name. */
export function readUsers(store: Store): Promise<UserRecord[]> {
  return Array.fromAsync(readEntries(store, USERS, decodeUser));
}

/** A stored user. */
export function decodeUser({ key, value }: StoredEntry): UserRecord {
  const [hash, salt, cost, passes, createdAt] = decodeJson(value) as JsonValue[];
  return {
    name: String(key[1]),
    hash: Uint8Array.fromBase64(String(hash)),
    salt: Uint8Array.fromBase64(String(salt)),
    work: { cost: Number(cost), passes: Number(passes) },
    createdAt: Number(createdAt),
  };
}
