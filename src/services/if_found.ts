/** What is not there, as a value. */
import { DomainError } from "../model/errors.ts";

/** What a promise gives, or `undefined` when it is refused with `not_found`. */
export async function ifFound<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof DomainError && error.code === "not_found") return undefined;
    throw error;
  }
}
