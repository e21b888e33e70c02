/** What tells one server's data from another's. */
import { createHash } from "node:crypto";

const LABEL = "sluice instance ";

/** An id that stays with the data, since the encryption key does; it tells nothing of the key. */
export function instanceId(encryptionKey: Uint8Array): string {
  const hex = createHash("sha256").update(LABEL).update(encryptionKey).digest("hex");
  // RFC 9562, version 8: a form of one's own.
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}
