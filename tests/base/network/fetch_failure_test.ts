import { assertEquals } from "@std/assert";
import { fetchFailure } from "../../../src/base/network/fetch_failure.ts";

function failed(reason: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(reason) });
}

const CASES: readonly (readonly [what: string, error: unknown, reason: string])[] = [
  [
    "a closed port",
    failed(
      "error sending request for url (http://h:1/): client error (Connect): tcp connect error: Connection refused (os error 111)",
    ),
    "tcp connect error: Connection refused (os error 111)",
  ],
  [
    "a certificate of an unknown authority",
    failed(
      "error sending request for url (https://h/): client error (Connect): invalid peer certificate: UnknownIssuer",
    ),
    "invalid peer certificate: UnknownIssuer; if it is that of your own authority, name the file of its certificate in DENO_CERT",
  ],
  ["a name in parentheses", failed("error sending request for url (http://h/a(b)): x"), "x"],
  [
    "an error without a cause",
    new TypeError("Fetch failed: Requests to port 1 are blocked"),
    "Fetch failed: Requests to port 1 are blocked",
  ],
  ["a time-out", new DOMException("Signal timed out.", "TimeoutError"), "Signal timed out."],
  ["what is no error", "closed", "closed"],
];

for (const [what, error, reason] of CASES) {
  Deno.test(`fetchFailure() says why a request failed: ${what}`, () => {
    assertEquals(fetchFailure(error), reason);
  });
}
