/** Users of the server. The password is never stored, only its hash. */
import type { Instant } from "../../base/time/clock.ts";
import { invalidEntity } from "../errors.ts";
import type { TenantId } from "../flows/flow.ts";
import type { Role } from "./role.ts";

/** User name if the server requires no credentials; no user can have it. */
export const ANONYMOUS = "anonymous";

/** Maximum number of stored users. */
export const MAX_USERS = 1_000;

/** User name and password. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** A user. */
export interface User {
  readonly name: string;
  readonly role: Role;
  /** The only tenants that it may enter; `undefined` means all, an empty list none. */
  readonly tenants?: readonly TenantId[];
  /** The user cannot log in, and its tokens are refused. */
  readonly isDisabled: boolean;
  /** The user of an option of the server: it is always an admin, and cannot be changed over the API. */
  readonly isConfigured: boolean;
  /** Absent for the configured user. */
  readonly createdAt?: Instant;
}

/** What may change of a stored user; absent members keep their values. */
export interface UserChange {
  readonly role?: Role;
  /** `null`: all tenants. */
  readonly tenants?: readonly TenantId[] | null;
  readonly isDisabled?: boolean;
  readonly password?: string;
}

/** Request to create a user. */
export interface UserRequest extends Credentials {
  readonly role: Role;
  readonly tenants?: readonly TenantId[];
}

const MIN_PASSWORD_LENGTH = 8;
const MAX_LENGTH = 256;

/** Whether the user may administer the server. */
export function isActiveAdmin({ role, isDisabled }: User): boolean {
  return role === "admin" && !isDisabled;
}

/** Why a user cannot have that name; `undefined` if it can. */
export function userNameProblem(name: string): string | undefined {
  // deno-lint-ignore no-control-regex
  const isGood = name !== "" && name !== ANONYMOUS && !/[:\u0000-\u001f\u007f]/.test(name);
  if (isGood) return undefined;
  return `the user name must not be empty, "${ANONYMOUS}", or contain ":" or control characters`;
}

/** @throws DomainError invalid_entity */
export function checkCredentials({ user, password }: Credentials): void {
  const problem = userNameProblem(user);
  if (problem) throw invalidEntity(`username: ${problem}`);
  if (user.length > MAX_LENGTH) throw invalidEntity(`username: at most ${MAX_LENGTH} characters are allowed`);
  checkPassword(password);
}

/** `member` names the password in the refusal. @throws DomainError invalid_entity */
export function checkPassword(password: string, member = "password"): void {
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_LENGTH) {
    throw invalidEntity(`${member}: must have ${MIN_PASSWORD_LENGTH} to ${MAX_LENGTH} characters`);
  }
}

/** @throws DomainError invalid_entity: an admin is not limited to tenants, since it could undo that */
export function checkUser({ role, tenants }: Pick<User, "role" | "tenants">): void {
  if (role === "admin" && tenants) throw invalidEntity("tenants: a user with the role admin enters all");
}
