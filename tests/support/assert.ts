/** The assertions of `@std/assert` that the tests use, with the same names and behaviour, over `node:assert`. */
import { AssertionError as NodeAssertionError, deepStrictEqual, notDeepStrictEqual } from "node:assert";

/** Thrown by every assertion. */
export const AssertionError = NodeAssertionError;

type ErrorClass<E extends Error> = new (...args: never[]) => E;

/** Fails always. */
export function fail(message = "Failed assertion."): never {
  throw new AssertionError({ message });
}

/** `value` is truthy. */
export function assert(value: unknown, message = "Expected a truthy value."): asserts value {
  if (!value) fail(message);
}

/** `value` is falsy. */
export function assertFalse(value: unknown, message = "Expected a falsy value."): void {
  if (value) fail(message);
}

/** Deep equality. */
export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  // Declarations of `node:assert` differ on whether a message may be undefined; the function accepts it.
  deepStrictEqual(actual, expected, message as string);
}

/** Deep inequality. */
export function assertNotEquals<T>(actual: T, expected: T, message?: string): void {
  notDeepStrictEqual(actual, expected, message as string);
}

/** The same reference or primitive. */
export function assertStrictEquals<T>(actual: unknown, expected: T, message?: string): asserts actual is T {
  if (!Object.is(actual, expected)) fail(message ?? `Expected ${String(actual)} to be ${String(expected)}.`);
}

/** Neither `null` nor `undefined`. */
export function assertExists<T>(actual: T, message = "Expected a value."): asserts actual is NonNullable<T> {
  if (actual === null || actual === undefined) fail(message);
}

/** `actual` contains `expected`. */
export function assertStringIncludes(actual: string, expected: string, message?: string): void {
  if (!actual.includes(expected)) {
    fail(message ?? `Expected ${JSON.stringify(actual)} to include ${JSON.stringify(expected)}.`);
  }
}

/** `actual` matches. */
export function assertMatch(actual: string, expected: RegExp, message?: string): void {
  if (!expected.test(actual)) fail(message ?? `Expected ${JSON.stringify(actual)} to match ${expected}.`);
}

/** `actual` does not match. */
export function assertNotMatch(actual: string, expected: RegExp, message?: string): void {
  if (expected.test(actual)) fail(message ?? `Expected ${JSON.stringify(actual)} not to match ${expected}.`);
}

/** `actual` is an instance of the class. */
export function assertInstanceOf<T>(
  actual: unknown,
  type: abstract new (...args: never[]) => T,
): asserts actual is T {
  if (!(actual instanceof type)) fail(`Expected an instance of ${type.name}.`);
}

/** `actual` is at least `expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, message?: string): void {
  if (!(actual >= expected)) fail(message ?? `Expected ${String(actual)} >= ${String(expected)}.`);
}

/** `actual` is greater than `expected`. */
export function assertGreater<T>(actual: T, expected: T, message?: string): void {
  if (!(actual > expected)) fail(message ?? `Expected ${String(actual)} > ${String(expected)}.`);
}

/** `actual` is less than `expected`. */
export function assertLess<T>(actual: T, expected: T, message?: string): void {
  if (!(actual < expected)) fail(message ?? `Expected ${String(actual)} < ${String(expected)}.`);
}

/** `actual` is at most `expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, message?: string): void {
  if (!(actual <= expected)) fail(message ?? `Expected ${String(actual)} <= ${String(expected)}.`);
}

/** Every expected item is in `actual`. */
export function assertArrayIncludes<T>(actual: readonly T[], expected: readonly T[], message?: string): void {
  const text = new Set(actual.map((item) => JSON.stringify(item)));
  const missing = expected.filter((item) => !text.has(JSON.stringify(item)));
  if (missing.length > 0) fail(message ?? `Expected to include ${JSON.stringify(missing)}.`);
}

/** Every member of `expected` is in `actual` with an equal value, at any depth. */
export function assertObjectMatch(actual: object, expected: object): void {
  for (const [name, value] of Object.entries(expected)) {
    const found = (actual as Record<string, unknown>)[name];
    const isNested = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isNested && typeof found === "object" && found !== null) assertObjectMatch(found, value);
    else {assertEquals(
        found,
        value,
        `Member "${name}" differs: ${JSON.stringify(found)} is not ${JSON.stringify(value)}`,
      );}
  }
}

/** `run` throws an error of that class whose message includes `text`; gives the error. */
export function assertThrows<E extends Error = Error>(
  run: () => unknown,
  type?: ErrorClass<E>,
  text = "",
): E {
  try {
    run();
  } catch (error) {
    return checkError(error, type, text);
  }
  fail("Expected function to throw.");
}

/** `run` rejects with an error of that class whose message includes `text`; gives the error. */
export async function assertRejects<E extends Error = Error>(
  run: () => PromiseLike<unknown>,
  type?: ErrorClass<E>,
  text = "",
): Promise<E> {
  try {
    await run();
  } catch (error) {
    return checkError(error, type, text);
  }
  fail("Expected function to reject.");
}

function checkError<E extends Error>(error: unknown, type: ErrorClass<E> | undefined, text: string): E {
  if (!(error instanceof Error)) fail(`Expected an Error, but ${String(error)} was thrown.`);
  if (type && !(error instanceof type)) {
    fail(`Expected ${type.name}, but got ${error.name}: ${error.message}`);
  }
  assertStringIncludes(error.message, text);
  return error as E;
}
