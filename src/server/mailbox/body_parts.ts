/** Cuts bodies into parts for the database. */
import { MAX_PART_BYTES } from "../../store/records/mailbox_records.ts";

/** The parts of some bytes, in order; none for no bytes. */
export function partsOf(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += MAX_PART_BYTES) {
    parts.push(bytes.subarray(at, at + MAX_PART_BYTES));
  }
  return parts;
}
