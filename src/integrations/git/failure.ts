/** Errors of git that name host, operation and the words of the server. */

/** Runs an operation, such as `push to "example.com"`. @throws Error whose message says what the server responded */
export async function withTextFailure<T>(
  operation: string,
  work: () => Promise<T>,
  http: { readonly refusal?: string } = {},
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DOMException) throw error; // The attempt was stopped.
    const { code, message } = error as Error & { readonly code?: string };
    const words = code === "HttpError" || code === "UserCanceledError" ? http.refusal : undefined;
    throw new Error(`Cannot ${operation}: ${words ?? message}`);
  }
}
