/** Which contents a file keeps, decided on its record alone. */
import type { Instant } from "../../base/time/clock.ts";
import {
  type FileContent,
  type FileRecord,
  type FileRevision,
  revisionsOf,
} from "../../store/records/file_records.ts";

/** Revisions of a file that are kept by default, the present one included. */
export const DEFAULT_FILE_REVISIONS = 20;
/** Old revisions that one write drops: after the limit was lowered, a write stays as small as before. */
const MAX_DROPPED = 2;

/** A changed record, and the contents that it no longer refers to. */
export interface RevisionChange {
  readonly record: FileRecord;
  readonly dropped: readonly FileContent[];
}

/** A content to save. */
interface Saving {
  readonly content: FileContent;
  readonly author?: string;
  readonly now: Instant;
  /** Revisions to keep, from 1. */
  readonly maxRevisions: number;
}

/** The latest revision with that content; `undefined` without one, or for a content without digest. */
export function revisionWith(record: FileRecord, { digest, size }: FileContent): FileRevision | undefined {
  if (digest === undefined) return undefined;
  return revisionsOf(record).findLast(({ content }) => content.digest === digest && content.size === size);
}

/** Makes a content the present revision. */
export function withRevision(
  record: FileRecord,
  { content, author, now, maxRevisions }: Saving,
): RevisionChange {
  const kept = revisionsOf(record);
  const excess = Math.min(Math.max(0, kept.length + 1 - maxRevisions), MAX_DROPPED);
  return changed(record, {
    ...record,
    modifiedAt: now,
    revision: record.revision + 1,
    content,
    author,
    earlier: kept.slice(excess),
  });
}

/** Drops earlier revisions; the present one stays. */
export function withoutRevisions(
  record: FileRecord,
  isDropped: (revision: FileRevision) => boolean,
): RevisionChange {
  return changed(record, { ...record, earlier: record.earlier?.filter((each) => !isDropped(each)) });
}

/** The contents that a file refers to, each once. */
export function contentsOf(record: FileRecord): FileContent[] {
  return [...new Map(revisionsOf(record).map(({ content }) => [content.blobId, content])).values()];
}

function changed(before: FileRecord, after: FileRecord): RevisionChange {
  const needed = new Set(contentsOf(after).map(({ blobId }) => blobId));
  return { record: after, dropped: contentsOf(before).filter(({ blobId }) => !needed.has(blobId)) };
}
