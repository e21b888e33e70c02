/** What is not there, as a value. */
import { DomainError } from "../model/errors.ts";

/** What a search gives, or `undefined` when it is refused with `not_found`. */
export async function undefinedIfMissing<T>(find: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof DomainError && error.code === "not_found") return undefined;
    throw error;
  }
}
