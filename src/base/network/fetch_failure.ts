/** Why a request by `fetch` failed, in words for a log line or a message. */

/** What the run-time says before the reason. */
const PREFIX = /^(?:error sending request(?: for url \(.*?\))?: )?(?:client error \(\w+\): )?/;
const UNTRUSTED = "invalid peer certificate";

/** The reason; the error of `fetch` has it in its cause. */
export function fetchFailure(error: unknown): string {
  const { message } = reasonOf(error);
  const reason = message.replace(PREFIX, "");
  return reason.startsWith(UNTRUSTED)
    ? `${reason}; if it is that of your own authority, name the file of its certificate in DENO_CERT`
    : reason;
}

function reasonOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  return error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
}
