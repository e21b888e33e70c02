/** The headers of a message that a proxy passes on (RFC 9110, section 7.6.1). */
import type { NamedText } from "../../model/ports/http.ts";

/** Headers of one connection. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** All headers but those of the connection, which include those that `Connection` names. */
export function endToEndHeaders(headers: Iterable<NamedText>): NamedText[] {
  const all = [...headers];
  const named = all.filter(([name]) => name.toLowerCase() === "connection").flatMap(([, value]) =>
    value.toLowerCase().split(",").map((name) => name.trim())
  );
  const dropped = new Set([...HOP_HEADERS, ...named]);
  return all.filter(([name]) => !dropped.has(name.toLowerCase()));
}
