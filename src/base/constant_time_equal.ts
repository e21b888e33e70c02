/** Comparing what is secret. */
import { createHash, timingSafeEqual } from "node:crypto";

/** Whether two texts are the same. It compares digests: neither lengths nor the first difference show in the time it takes. */
export function constantTimeEqual(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
