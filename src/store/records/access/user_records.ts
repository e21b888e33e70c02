/** Stored users: positional lists by name. The password itself is never stored, only its hash. */
import type { Instant } from "../../../base/time/clock.ts";
import type { JsonValue } from "../../../base/json.ts";
import { type Role, roleNamed } from "../../../model/access/role.ts";
import type { User } from "../../../model/access/user.ts";
import { decodeJson } from "../../codec.ts";
import { userKey, USERS } from "../../keys.ts";
import type { Mutation, Store, StoredEntry } from "../../store.ts";
import { deleteKey, readEntries, setJson } from "../../stored_entries.ts";

/** A user and the salted scrypt hash of the password. */
interface UserRecord extends Pick<User, "name" | "tenants" | "isDisabled"> {
  /** Absent in records from before there were roles: of the first user, who is an admin. */
  readonly role?: Role;
  readonly hash: Uint8Array;
  readonly salt: Uint8Array;
  /** Parameters of scrypt: N and p. */
  readonly work: { readonly cost: number; readonly passes: number };
  readonly createdAt: Instant;
}

/** Writes a user. */
export function setUser(user: UserRecord & { readonly role: Role }): Mutation {
  const { name, hash, salt, work, createdAt, role, tenants, isDisabled } = user;
  const password = [hash.toBase64(), salt.toBase64(), work.cost, work.passes];
  return setJson(userKey(name), [...password, createdAt, role, tenants ?? null, isDisabled]);
}

/** Removes a user. */
export function deleteUser(name: string): Mutation {
  return deleteKey(userKey(name));
}

/** All users, ordered by name. */
export function readUsers(store: Store): Promise<UserRecord[]> {
  return Array.fromAsync(readEntries(store, USERS, decodeUser));
}

/** A stored user. @throws Error it has a role that this version does not know */
export function decodeUser({ key, value }: StoredEntry): UserRecord {
  const stored = decodeJson(value) as JsonValue[];
  const [hash, salt, cost, passes, createdAt, role = null, tenants = null, isDisabled = false] = stored;
  return {
    name: String(key[1]),
    hash: Uint8Array.fromBase64(String(hash)),
    salt: Uint8Array.fromBase64(String(salt)),
    work: { cost: Number(cost), passes: Number(passes) },
    createdAt: Number(createdAt),
    role: decodeRole(role),
    tenants: tenants as string[] | null ?? undefined,
    isDisabled: isDisabled === true,
  };
}

/** A stored role; `undefined` if none is stored. @throws Error it is unknown */
export function decodeRole(stored: JsonValue): Role | undefined {
  const role = roleNamed(stored);
  if (role === undefined && stored !== null) {
    throw new Error(`Cannot read a role: "${String(stored)}" is unknown`);
  }
  return role;
}
