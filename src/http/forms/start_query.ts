/** Reads the query of a request that starts an execution. */
import type { Instant } from "../../base/clock.ts";
import { DomainError } from "../../model/errors.ts";
import { type ExecutionKind, STARTABLE_KINDS } from "../../model/executions/execution.ts";
import { type Label, parseLabel } from "../../model/flows/label.ts";
import { normalizeTimestamp } from "../../base/iso_8601.ts";
import { readBoolean } from "./params.ts";

/** How an execution is to be started. */
interface StartQuery {
  readonly labels: readonly Label[];
  readonly kind: ExecutionKind;
  readonly revision?: number;
  readonly scheduleDate?: Instant;
  /** Tasks before which it stops: `taskId` or `taskId.value`. */
  readonly breakpoints?: readonly string[];
  readonly isWaiting: boolean;
}

const NOTHING_ASKED: StartQuery = Object.freeze({
  labels: Object.freeze([]),
  kind: "NORMAL",
  isWaiting: false,
});

/** `labels` (repeated `key:value`), `wait`, `revision`, `scheduleDate`, `breakpoints` and `kind`. @throws DomainError invalid_entity, invalid_argument, bad_request */
export function readStartQuery(url: string): StartQuery {
  const mark = url.indexOf("?");
  if (mark === -1) return NOTHING_ASKED;
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

/** `key:value`, repeated, without the space around either. @throws DomainError invalid_entity: also for a key that has two values */
function readLabels(query: URLSearchParams): Label[] {
  const labels = query.getAll("labels").map((text) => {
    const { key, value } = parseLabel(text);
    return { key: key.trim(), value: value.trim() };
  });
  const byKey = new Map(labels.map((label) => [label.key, label]));
  const twice = labels.find(({ key, value }) => byKey.get(key)?.value !== value);
  if (!twice) return [...byKey.values()];
  throw new DomainError("invalid_entity", `Invalid entity: labels: "${twice.key}" has two values; give one`);
}

/** `breakpoints`, repeated or comma-joined; `undefined` when there is none. */
export function readBreakpoints(query: URLSearchParams): string[] | undefined {
  if (!query.has("breakpoints")) return undefined;
  const names = query.getAll("breakpoints").flatMap((text) => text.split(","));
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

/** The number of a flow revision, when there is one. @throws DomainError bad_request */
export function readRevision(query: URLSearchParams): number | undefined {
  const text = query.get("revision");
  if (!text) return undefined;
  const revision = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (revision >= 1) return revision;
  throw new DomainError(
    "bad_request",
    `Bad Request: "revision" must be a whole number from 1, but received "${text}"`,
  );
}

function readKind(text: string | null): ExecutionKind {
  if (!text) return "NORMAL";
  const kind = STARTABLE_KINDS.find((kind) => kind === text.toUpperCase());
  if (kind) return kind;
  throw new DomainError(
    "bad_request",
    `Bad Request: "kind" must be one of ${STARTABLE_KINDS.join(", ")}, but received "${text}"`,
  );
}

/** A plus sign that was not escaped arrives as a space; the name of the zone may follow the offset in brackets. */
function readScheduleDate(text: string | null): Instant | undefined {
  if (!text) return undefined;
  const plain = text.trim().replace(/ (?=\d\d:\d\d(\[|$))/, "+");
  const normalized = normalizeTimestamp(plain);
  if (normalized !== undefined) return Date.parse(normalized);
  throw new DomainError(
    "invalid_argument",
    `Illegal argument: "scheduleDate" must be a date-time with a zone, as "2026-01-31T08:15:30Z", but received "${text}"`,
  );
}
