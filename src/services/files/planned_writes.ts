/** What a group of saved files changes: records, and the contents that come and go. */
import type { Instant } from "../../base/time/clock.ts";
import { DomainError } from "../../model/errors.ts";
import type { StagedBlob } from "../../store/blobs/blobs.ts";
import { bytesOf, type FileContent, type FileRecord } from "../../store/records/file_records.ts";
import type { StagedFile } from "./file_contents.ts";
import { revisionWith, withRevision } from "./file_revisions.ts";
import { notAFile } from "./file_tree.ts";

/** How files are saved. */
export interface SaveOptions {
  /** The expected latest revision; 0: there is no such file. Absent: any. */
  readonly expected?: number;
  /** See `FileRevision`. */
  readonly author?: string;
}

interface WriteDeps extends SaveOptions {
  readonly now: Instant;
  readonly maxRevisions: number;
}

/** The changes of one entry. */
export class PlannedWrites {
  readonly changed: FileRecord[] = [];
  readonly dropped: FileContent[] = [];
  readonly #unused = new Set<StagedBlob>();
  /** Bytes of the files beyond those that they had. */
  addedBytes = 0;

  /**
   * Adds a file; `old` is what its path has now. The content of the latest revision changes nothing, so that a repeated
   * upload does not displace the history.
   * @throws DomainError invalid_argument, precondition_failed
   */
  add({ path, blob, digest }: StagedFile, old: FileRecord | undefined, deps: WriteDeps): void {
    if (old && !old.content) throw notAFile(path);
    checkExpected(path, old, deps.expected);
    const known = old ?? { path, createdAt: deps.now, modifiedAt: deps.now, revision: 0 };
    const content = { blobId: blob.blobId, size: blob.size, digest };
    const same = revisionWith(known, content);
    if (same) this.#unused.add(blob);
    if (same && same.revision === old?.revision) return;
    const { record, dropped } = withRevision(known, { ...deps, content: same?.content ?? content });
    this.changed.push(record);
    this.dropped.push(...dropped);
    this.addedBytes += bytesOf(record) - bytesOf(known);
  }

  /** False for a staged content that a revision has already. */
  isUsed(blob: StagedBlob): boolean {
    return !this.#unused.has(blob);
  }
}

function checkExpected(path: string, old: FileRecord | undefined, expected: number | undefined): void {
  const present = old?.revision ?? 0;
  if (expected === undefined || expected === present) return;
  const found = present === 0 ? "it does not exist" : `the latest is ${present}`;
  const wanted = expected === 0 ? "no such file" : `revision ${expected}`;
  throw new DomainError(
    "precondition_failed",
    `Cannot save file ${JSON.stringify(path)}: ${wanted} was expected, but ${found}`,
  );
}
