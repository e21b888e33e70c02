/** Roles of users, and what each may do. */

/** `viewer` reads, `editor` also changes what belongs to a tenant, `admin` also administers the server. Each includes the one before. */
export const ROLES = ["viewer", "editor", "admin"] as const;

/** The role of a user or a token. */
export type Role = typeof ROLES[number];

/**
 * What a route needs. `read`: nothing is changed, no code of a flow runs, no secret is shown. `own`: it concerns only the
 * caller. `change`: something within a tenant changes, an execution starts, or expressions are evaluated. `administer`: users,
 * tokens of others, tenants, the server.
 */
export const RIGHTS = ["read", "own", "change", "administer"] as const;

/** What a route needs. */
export type Right = typeof RIGHTS[number];

const RANKS: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, admin: 2 };
const NEEDED: Readonly<Record<Right, Role>> = {
  read: "viewer",
  own: "viewer",
  change: "editor",
  administer: "admin",
};

/** The lowest role that has the right. */
export function roleFor(right: Right): Role {
  return NEEDED[right];
}

/** Whether the role has the right. */
export function hasRight(role: Role, right: Right): boolean {
  return RANKS[role] >= RANKS[NEEDED[right]];
}

/** The rights of a role. */
export function rightsOf(role: Role): Right[] {
  return RIGHTS.filter((right) => hasRight(role, right));
}

/** The role that may do less. */
export function lowerRole(one: Role, other: Role): Role {
  return RANKS[one] <= RANKS[other] ? one : other;
}

/** The role of that name; `undefined` if there is none. */
export function roleNamed(name: unknown): Role | undefined {
  return ROLES.find((role) => role === name);
}

/** What a role must be, for refusals. */
export const ROLE_RULE = `must be ${ROLES.map((role) => `"${role}"`).join(", ")}`;
