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

/**
 * Equal for names that a person can take for the same. Control and format characters, among them those that change the
 * direction of a text, are not shown.
 */
export function shownUserName(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/[\p{Cc}\p{Cf}]/gu, "").trim();
}

/**
 * @throws DomainError invalid_entity. A log-in page removes white space at both ends, keys replace halves of characters, and
 * addresses cannot contain "." and ".."
 */
export function checkCredentials({ user, password }: Credentials): void {
  const problem = userNameProblem(user);
  if (problem) throw invalidEntity(`username: ${problem}`);
  if (!user.isWellFormed() || user.trim() !== user || /\p{Cf}/u.test(user) || /^\.\.?$/.test(user)) {
    throw invalidEntity(
      'username: it must be well-formed, not be "." or "..", not begin or end with a space, and have no invisible characters',
    );
  }
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
