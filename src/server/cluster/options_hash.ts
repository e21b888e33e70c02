/** The options in which all processes of a cluster must agree. */
import { createHmac } from "node:crypto";
import type { Config } from "../../config/mod.ts";

/** 16 hex digits of those options, which include the password. Keyed, so that it cannot be guessed from what is stored. */
export function optionsHash(config: Config, encryptionKey: Uint8Array): string {
  const { protection, retention, httpAddresses, timezone, quotaLimits } = config;
  const text = JSON.stringify({ protection, retention, httpAddresses, timezone, quotaLimits });
  return createHmac("sha256", encryptionKey).update(`sluice options ${text}`).digest("hex").slice(0, 16);
}
