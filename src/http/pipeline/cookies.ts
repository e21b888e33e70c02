/**
 * Cookies with credentials: the session that a log-in opens, and the user and password that front ends of this API keep in
 * a cookie of their own. A cookie counts only where no `Authorization` header is sent.
 */

/** Name of the cookie with the value of a session. */
export const SESSION_COOKIE = "SLUICE_SESSION";
/** Base64 of `user:password`, written by front ends. */
const BASIC = "BASIC_AUTH";
/** Tells the scripts of front ends that there is a session, which they cannot read; it is no credential. */
const LOGGED_IN = "kestraBasicAuthenticated";

/** Credentials of cookies. */
export interface CookieCredentials {
  readonly session?: string;
  /** As the value of an `Authorization` header. */
  readonly authorization?: string;
}

/** The credentials in a `Cookie` header; `undefined` if it has none. */
export function cookieCredentials(header: string | null): CookieCredentials | undefined {
  if (header === null) return undefined;
  const session = cookieIn(header, SESSION_COOKIE);
  const basic = cookieIn(header, BASIC);
  if (session === undefined && basic === undefined) return undefined;
  return { session, authorization: basic === undefined ? undefined : `Basic ${unescaped(basic)}` };
}

/**
 * Sets the cookies of a log-in. They end with the browser session, the server's session earlier or later. Without a value
 * (no credentials are required) only the mark for front ends is set.
 */
export function setSessionCookies(headers: Headers, session: string | undefined, isHttps: boolean): void {
  if (session !== undefined) {
    headers.append("set-cookie", `${SESSION_COOKIE}=${session}; HttpOnly${attributes(isHttps)}`);
  }
  headers.append("set-cookie", `${LOGGED_IN}=true${attributes(isHttps)}`);
}

/** Removes all cookies with credentials. */
export function removeSessionCookies(headers: Headers, isHttps: boolean): void {
  for (const name of [SESSION_COOKIE, BASIC, LOGGED_IN]) {
    headers.append("set-cookie", `${name}=; Max-Age=0${attributes(isHttps)}`);
  }
}

function attributes(isHttps: boolean): string {
  return `; Path=/; SameSite=Strict${isHttps ? "; Secure" : ""}`;
}

/** The first cookie of that name, without quotes; `undefined` if absent or empty. */
function cookieIn(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals === -1 || pair.slice(0, equals).trim() !== name) continue;
    const value = pair.slice(equals + 1).trim().replace(/^"(.*)"$/, "$1");
    return value === "" ? undefined : value;
  }
  return undefined;
}

/** Some clients percent-encode the characters `+`, `/` and `=` of base64. */
function unescaped(text: string): string {
  return text.replace(/%(2B|2F|3D)/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
}
