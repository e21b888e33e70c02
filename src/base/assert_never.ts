/** Exhaustiveness: reached only when a union grew and a switch did not. */

/** Marks a branch that the types rule out. @throws Error always */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
