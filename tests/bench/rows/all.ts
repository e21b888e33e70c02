/** Every row, in the order of their numbers. */
import { authenticationRow } from "./authentication.ts";
import { bootRow } from "./boot.ts";
import { commitsRow } from "./commits.ts";
import { expressionsRow } from "./expressions.ts";
import { filtersRow } from "./filters.ts";
import { flowControlRow } from "./flow_control.ts";
import { fullStoreRow } from "./full_store.ts";
import { latencyRow } from "./latency.ts";
import { memoryRow } from "./memory.ts";
import { newestPageRow } from "./newest_page.ts";
import { pureFlowRow } from "./pure_flow.ts";
import type { Row } from "./row.ts";
import { throughputRow } from "./throughput.ts";
import { validationRow } from "./validation.ts";

const ROWS: readonly Row[] = [
  throughputRow,
  latencyRow,
  pureFlowRow,
  authenticationRow,
  fullStoreRow,
  newestPageRow,
  filtersRow,
  bootRow,
  memoryRow,
  commitsRow,
  expressionsRow,
  validationRow,
  flowControlRow,
];

/** The rows of these numbers or names; all without any. @throws Error for a name that no row has */
export function selectRows(only: readonly string[]): readonly Row[] {
  const isAsked = (row: Row, text: string) => text === row.name || text === String(row.number);
  const unknown = only.find((text) => !ROWS.some((row) => isAsked(row, text)));
  if (unknown !== undefined) {
    const known = ROWS.map((row) => `${row.number} or ${row.name}`).join(", ");
    throw new Error(`Cannot measure row "${unknown}": rows are ${known}`);
  }
  return only.length === 0 ? ROWS : ROWS.filter((row) => only.some((text) => isAsked(row, text)));
}
