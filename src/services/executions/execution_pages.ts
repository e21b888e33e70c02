/** Pages of executions as lists show them: read piece by piece, so that a large page is never in memory. */
import type { BodyForm } from "../../model/executions/execution_body.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import {
  MAX_FULL_PAGE_CHARS,
  MAX_LISTED_VALUE_BYTES,
  MAX_LISTED_VALUE_BYTES_BEYOND,
} from "../../model/executions/shortened_value.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";

/** One page of executions. */
export interface ExecutionPage {
  /** Number of executions of all pages. */
  readonly total: number;
  /** The JSON texts of those of this page, without task runs, in pieces that are read on demand. */
  readonly pieces: AsyncGenerator<string[]>;
}

/** Rows that are read together: at most 32 × 4 values of 64 KiB, but usually 20 KiB in all. */
const ROWS_PER_PIECE = 32;

/** The texts of the executions, in order. Beyond `fullChars` characters, values over 1 KiB are shortened. */
export async function* executionPieces(
  records: ExecutionRecords,
  { tenant, ids, fullChars = MAX_FULL_PAGE_CHARS, ...form }: BodyForm & {
    readonly tenant: TenantId;
    readonly ids: readonly string[];
    readonly fullChars?: number;
  },
): AsyncGenerator<string[]> {
  let chars = 0;
  for (let i = 0; i < ids.length; i += ROWS_PER_PIECE) {
    const maxValueBytes = chars < fullChars ? MAX_LISTED_VALUE_BYTES : MAX_LISTED_VALUE_BYTES_BEYOND;
    const rows = ids.slice(i, i + ROWS_PER_PIECE);
    const texts = await Promise.all(
      rows.map((id) => records.summary(tenant, id, { ...form, maxValueBytes })),
    );
    const known = texts.filter((text) => text !== undefined);
    for (const text of known) chars += text.length;
    yield known;
  }
}
