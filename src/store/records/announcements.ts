/** Announcements as stored. */
import type { Announcement } from "../../model/triggers/announcement.ts";
import { decodeJson } from "../codec.ts";
import type { Key } from "../store.ts";
import { triggerKeyOf } from "./trigger_records.ts";

/** The announcement of a stored entry. */
export function announcementFrom(key: Key, value: Uint8Array): Announcement {
  const stored = decodeJson(value) as unknown as Pick<Announcement, "state" | "at" | "isOwn">;
  return {
    ...stored,
    tenant: String(key[1]),
    executionId: String(key[2]),
    index: Number(key[3]),
    trigger: triggerKeyOf(key),
  };
}
