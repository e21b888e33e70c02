/** Every row, in the order of their numbers. */
import { UsageError } from "../../support/processes/command_line.ts";
import { authenticationRow } from "./authentication.ts";
import { bootRow } from "./boot.ts";
import { commitsRow } from "./commits.ts";
import { databaseServerRow } from "./database_server.ts";
import { dormantRow } from "./dormant.ts";
import { expressionsRow } from "./expressions.ts";
import { fairnessRow } from "./fairness.ts";
import { filtersRow } from "./filters.ts";
import { flowControlRow } from "./flow_control.ts";
import { followersRow } from "./followers.ts";
import { fullStoreRow } from "./full_store.ts";
import { largeStoreRow } from "./large_store.ts";
import { integrationsRow } from "./integrations.ts";
import { latencyRow } from "./latency.ts";
import { memoryRow } from "./memory.ts";
import { newestPageRow } from "./newest_page.ts";
import { pureFlowRow } from "./pure_flow.ts";
import { retentionRow } from "./retention.ts";
import type { Row } from "./row.ts";
import { schedulesRow } from "./schedules.ts";
import { scriptsRow } from "./scripts.ts";
import { sideEffectRow } from "./side_effect.ts";
import { storedRowsRow } from "./stored_rows.ts";
import { taskRunsRow } from "./task_runs.ts";
import { throughputRow } from "./throughput.ts";
import { validationRow } from "./validation.ts";
import { uploadsRow } from "./uploads.ts";
import { webhookRow } from "./webhook.ts";

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
  sideEffectRow,
  followersRow,
  fairnessRow,
  taskRunsRow,
  dormantRow,
  schedulesRow,
  retentionRow,
  scriptsRow,
  webhookRow,
  databaseServerRow,
  largeStoreRow,
  storedRowsRow,
  uploadsRow,
  integrationsRow,
];

/** The rows of these numbers or names; all without any. @throws Error for a name that no row has */
export function selectRows(only: readonly string[]): readonly Row[] {
  const isAsked = (row: Row, text: string) => text === row.name || text === String(row.number);
  const unknown = only.find((text) => !ROWS.some((row) => isAsked(row, text)));
  if (unknown !== undefined) {
    const known = ROWS.map((row) => `${row.number} or ${row.name}`).join(", ");
    throw new UsageError(`Cannot measure row "${unknown}": rows are ${known}`);
  }
  return only.length === 0 ? ROWS : ROWS.filter((row) => only.some((text) => isAsked(row, text)));
}
