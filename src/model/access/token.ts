/** API tokens. The secret itself is never stored, only its hash. */
import type { Instant } from "../../base/time/clock.ts";
import { isWorkerGroup, WORKER_GROUP_RULE } from "../../base/worker_group.ts";
import { DomainError } from "../errors.ts";
import type { TenantId } from "../flows/flow.ts";
import type { Role } from "./role.ts";

/** Prefix of every token, so that secret scanners and people recognise one. */
export const TOKEN_START = "sluice_";

/** Number of characters after {@link TOKEN_START} that lists show. */
export const TOKEN_PREFIX_LENGTH = 5;

/** Maximum number of tokens of one server. At this limit a new token replaces expired ones. */
export const MAX_TOKENS = 10_000;

/** A stored token. */
export interface ApiToken {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** The first characters of the secret. */
  readonly prefix: string;
  /** The user who created it; requests with the token act as this user. */
  readonly user: string;
  /** At most this role; `undefined` means that of its user. */
  readonly role?: Role;
  /** The tenants that it gives access to; `undefined` means all, an empty list none. */
  readonly tenants?: readonly TenantId[];
  /** The token is for workers of these groups, and for nothing else. */
  readonly workerGroups?: readonly string[];
  readonly issuedAt: Instant;
  /** `undefined` means never. */
  readonly expiresAt?: Instant;
  readonly maxAgeMs?: number;
  /** Each use extends the expiry by {@link maxAgeMs}. */
  readonly extended: boolean;
  /** Accurate to one minute. */
  readonly lastUsedAt?: Instant;
}

/** Request to create a token. */
export interface TokenRequest {
  readonly name: string;
  readonly description?: string;
  readonly maxAgeMs?: number;
  readonly extended: boolean;
  readonly role?: Role;
  readonly tenants?: readonly TenantId[];
  readonly workerGroups?: readonly string[];
}

const TOKEN_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_LENGTH = 63;
const MAX_DESCRIPTION_LENGTH = 1_000;
const MAX_AGE_DAYS = 36_500;
const DAY_MS = 86_400_000;

/** True if the token has expired. */
export function isExpired(token: ApiToken, now: Instant): boolean {
  return token.expiresAt !== undefined && token.expiresAt <= now;
}

/** Validates a request. @throws DomainError invalid_entity */
export function checkTokenRequest(request: TokenRequest): void {
  const reason = requestProblem(request);
  if (reason) throw new DomainError("invalid_entity", `Invalid entity: ${reason}`);
}

function requestProblem(request: TokenRequest): string | undefined {
  if (!TOKEN_NAME.test(request.name) || request.name.length > MAX_NAME_LENGTH) {
    return `name: "${
      request.name.slice(0, 80)
    }" must be 1 to ${MAX_NAME_LENGTH} lower-case letters and digits, joined by "-"`;
  }
  if ((request.description?.length ?? 0) > MAX_DESCRIPTION_LENGTH) {
    return `description: at most ${MAX_DESCRIPTION_LENGTH} characters are allowed`;
  }
  if (
    request.maxAgeMs !== undefined && !(request.maxAgeMs > 0 && request.maxAgeMs <= MAX_AGE_DAYS * DAY_MS)
  ) {
    return `maxAge: must be positive and at most "P${MAX_AGE_DAYS}D"`;
  }
  const badGroup = request.workerGroups?.find((group) => !isWorkerGroup(group));
  if (badGroup !== undefined) {
    return `workerGroups: "${badGroup.slice(0, 80)}" must be ${WORKER_GROUP_RULE}`;
  }
  if (request.workerGroups?.length === 0) return "workerGroups: at least one group is needed";
  if (request.workerGroups && request.role) return "role: a token for workers has none";
  if (request.extended && request.maxAgeMs === undefined) {
    return 'extended: a token without "maxAge" never expires and cannot be prolonged';
  }
  return undefined;
}
