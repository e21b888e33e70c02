/** Comparison of secrets. */
import { createHash, timingSafeEqual } from "node:crypto";

/** Whether two texts are equal. Compares digests, so that the time reveals neither length nor first difference. */
export function constantTimeEqual(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
