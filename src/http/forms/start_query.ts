/** Reads the query of a request that starts an execution. */
import type { Instant } from "../../base/time/clock.ts";
import { type ExecutionKind, STARTABLE_KINDS } from "../../model/executions/execution.ts";
import { type Label, parseLabel } from "../../model/flows/label.ts";
import { normalizeTimestamp } from "../../base/time/iso_8601.ts";
import { readBoolean } from "./params.ts";
import { badRequest, invalidArgument, invalidEntity } from "../refusals.ts";

/** Options of a start. */
interface StartQuery {
  readonly labels: readonly Label[];
  readonly kind: ExecutionKind;
  readonly revision?: number;
  readonly scheduleDate?: Instant;
  /** Tasks to stop before: `taskId` or `taskId.value`. */
  readonly breakpoints?: readonly string[];
  readonly isWaiting: boolean;
}

const NO_OPTIONS: StartQuery = Object.freeze({
  labels: Object.freeze([]),
  kind: "NORMAL",
  isWaiting: false,
});

/** `labels` (repeated `key:value`), `wait`, `revision`, `scheduleDate`, `breakpoints` and `kind`. @throws DomainError invalid_entity, invalid_argument, bad_request */
export function readStartQuery(url: string): StartQuery {
  const mark = url.indexOf("?");
  if (mark === -1) return NO_OPTIONS;
  const query = new URLSearchParams(url.slice(mark));
  return {
    labels: readLabels(query),
    kind: readKind(query.get("kind")),
    revision: readRevision(query),
    scheduleDate: readScheduleDate(query.get("scheduleDate")),
    breakpoints: readBreakpoints(query),
    isWaiting: readBoolean(query, "wait", false),
  };
}

/** `key:value`, repeated, both trimmed. @throws DomainError invalid_entity: also for a key with two values */
function readLabels(query: URLSearchParams): Label[] {
  const labels = query.getAll("labels").map((text) => {
    const { key, value } = parseLabel(text);
    return { key: key.trim(), value: value.trim() };
  });
  const byKey = new Map(labels.map((label) => [label.key, label]));
  const twice = labels.find(({ key, value }) => byKey.get(key)?.value !== value);
  if (!twice) return [...byKey.values()];
  throw invalidEntity(`labels: "${twice.key}" has two values; give one`);
}

/** `breakpoints`, repeated or comma-separated; `undefined` when absent. */
export function readBreakpoints(query: URLSearchParams): string[] | undefined {
  if (!query.has("breakpoints")) return undefined;
  const names = query.getAll("breakpoints").flatMap((text) => text.split(","));
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

/** `revision`; `undefined` when absent. @throws DomainError bad_request */
export function readRevision(query: URLSearchParams): number | undefined {
  const text = query.get("revision");
  if (!text) return undefined;
  const revision = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (revision >= 1) return revision;
  throw badRequest(`"revision" must be a whole number from 1, but received "${text}"`);
}

function readKind(text: string | null): ExecutionKind {
  if (!text) return "NORMAL";
  const kind = STARTABLE_KINDS.find((kind) => kind === text.toUpperCase());
  if (kind) return kind;
  throw badRequest(`"kind" must be one of ${STARTABLE_KINDS.join(", ")}, but received "${text}"`);
}

/** An unescaped plus sign arrives as a space; the zone name may follow the offset in brackets. */
function readScheduleDate(text: string | null): Instant | undefined {
  if (!text) return undefined;
  const plain = text.trim().replace(/ (?=\d\d:\d\d(\[|$))/, "+");
  const normalized = normalizeTimestamp(plain);
  if (normalized !== undefined) return Date.parse(normalized);
  throw invalidArgument(
    `"scheduleDate" must be a date-time with a zone, as "2026-01-31T08:15:30Z", but received "${text}"`,
  );
}
