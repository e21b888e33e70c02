/** Addresses in messages, log lines and outputs. */

/**
 * The URI without user, password and fragment. Of a text that is no address with a host, all up to the last `@` but the scheme
 * is left out: where the password ends is not known.
 */
export function shownUri(uri: string): string {
  const url = URL.parse(uri);
  if (!url?.host) {
    const [scheme = ""] = /^[a-z][a-z\d+.-]*:\/\//i.exec(uri) ?? [];
    return uri.includes("@") ? scheme + uri.slice(uri.lastIndexOf("@") + 1) : uri;
  }
  if (!url.username && !url.password) return uri.replace(/#.*$/s, "");
  url.username = url.password = url.hash = "";
  return url.href;
}
