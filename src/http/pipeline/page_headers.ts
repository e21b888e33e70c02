/** Security headers of pages: only own resources, no inline scripts, no framing. */

const PAGE_HEADERS: readonly (readonly [name: string, value: string])[] = [
  [
    "content-security-policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; " +
    "frame-ancestors 'none'",
  ],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "same-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), geolocation=(), microphone=()"],
];

/** A year, the minimum for the preload lists of browsers. */
const TRANSPORT_SECURITY = "max-age=31536000";

/** Adds the headers that the page has not set; `isHttps`: the public address of the server uses HTTPS. */
export function setPageHeaders(headers: Headers, isHttps: boolean): void {
  for (const [name, value] of PAGE_HEADERS) if (!headers.has(name)) headers.set(name, value);
  if (isHttps) headers.set("strict-transport-security", TRANSPORT_SECURITY);
}
