/** The audit log: adds records, lists them newest first, and removes old ones. */
import type { Clock } from "../../base/time/clock.ts";
import type { IdSource } from "../../base/id.ts";
import {
  type AuditEvent,
  type AuditFilter,
  type AuditPlace,
  type AuditRecord,
  isAuditMatch,
} from "../../model/audit.ts";
import type { AuditRecords } from "../../store/records/audit_records.ts";

interface AuditLogDeps {
  readonly records: AuditRecords;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** How long records are kept; by default {@link DEFAULT_AUDIT_AGE_MS}. */
  readonly auditAgeMs?: number;
}

/** A page of records. */
interface AuditPage {
  readonly results: readonly AuditRecord[];
  /** More records may follow this place; the page may be short, since a search reads a bounded number of records. */
  readonly next?: AuditPlace;
}

/** Ninety days. */
const DEFAULT_AUDIT_AGE_MS = 90 * 24 * 60 * 60 * 1000;
/** Records that one search reads: some 300 ms of work. */
const MAX_READ = 20_000;
/** Records of one step of a removal. */
const SWEEP_LIMIT = 200;
/** Records of an export that become text together. */
const EXPORT_PIECE = 200;
const MAX_RECORD_BYTES = 900;
/** Characters of user, address and ids: the first with which a record is small enough. The last always is. */
const MAX_CHARS = [256, 150, 100, 32];
const MAX_IDS = 4;

/** Records of changes. */
export class AuditLog {
  readonly #deps: AuditLogDeps;

  constructor(deps: AuditLogDeps) {
    this.#deps = deps;
  }

  /** Stores an event; resolves once it is durable. Long ids are cut. @throws DomainError when the database refuses */
  async add(event: AuditEvent): Promise<void> {
    const { records, ids } = this.#deps;
    await records.add({ ...shortened(event), id: ids.next(event.at) });
  }

  /** A page of the matching records after a place, newest first. */
  async search(filter: AuditFilter, size: number, after?: AuditPlace): Promise<AuditPage> {
    const results: AuditRecord[] = [];
    let last: AuditRecord | undefined;
    let read = 0;
    for await (const record of this.#deps.records.list(filter.from, filter.to, after)) {
      if (results.length === size || read === MAX_READ) return { results, next: last };
      read++;
      last = record;
      if (isAuditMatch(record, filter)) results.push(record);
    }
    return { results };
  }

  /** All matching records, newest first, in pieces. */
  async *all(filter: AuditFilter): AsyncGenerator<readonly AuditRecord[]> {
    let piece: AuditRecord[] = [];
    for await (const record of this.#deps.records.list(filter.from, filter.to)) {
      if (isAuditMatch(record, filter)) piece.push(record);
      if (piece.length < EXPORT_PIECE) continue;
      yield piece;
      piece = [];
    }
    yield piece;
  }

  /** Removes some of the records that are too old; gives their number, 0 if none is left. */
  async sweepExpired(): Promise<number> {
    const { records, clock, auditAgeMs = DEFAULT_AUDIT_AGE_MS } = this.#deps;
    return await records.removeBefore(clock.now() - auditAgeMs, SWEEP_LIMIT);
  }
}

function shortened(event: AuditEvent): AuditEvent {
  let short = event;
  for (const maxChars of MAX_CHARS) {
    const cut = (text: string) => cutText(text, maxChars);
    const resources = event.resources.slice(0, MAX_IDS).map(([name, id]) => [name, cut(id)] as const);
    short = { ...event, user: cut(event.user), address: cut(event.address), resources };
    if (new TextEncoder().encode(JSON.stringify(short)).length <= MAX_RECORD_BYTES) break;
  }
  return short;
}

/** The first characters, well-formed; a text that was cut ends with an ellipsis. */
function cutText(text: string, maxChars: number): string {
  const whole = text.toWellFormed();
  return whole.length <= maxChars ? whole : `${whole.slice(0, maxChars - 1).toWellFormed()}…`;
}
