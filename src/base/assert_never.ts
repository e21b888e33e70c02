/** Exhaustive switches: fails when a union has a member that a switch lacks. */

/** A branch that the types exclude. @throws Error always */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
