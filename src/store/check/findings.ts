/** What a check of the database can find, and what can be done about it. */

/** `derived`: a repair builds it again. `lost`: what it was made of is not there. `leftover`: no record refers to it; harmless. */
type Severity = "derived" | "lost" | "leftover";

const KINDS = {
  row_missing: ["derived", "executions are not in the catalog, so that lists do not show them"],
  row_differs: ["derived", "catalog rows differ from their executions, so that lists show old facts"],
  row_stray: ["derived", "catalog rows have no execution, so that lists count what is not there"],
  block_unreadable: ["derived", "blocks of the catalog cannot be read or are out of order"],
  columns_differ: ["derived", "blocks of column files differ from the catalog, so that lists may be wrong"],
  counts_differ: ["derived", "stored counters differ from the catalog"],
  index_missing: ["derived", "index entries are missing, so that something never becomes due"],
  slot_stray: ["derived", "slots are held by executions that need none, so that others wait for ever"],
  undecodable: ["lost", "records cannot be decoded"],
  value_missing: ["lost", "large values are incomplete or missing"],
  task_runs_missing: ["lost", "executions have fewer task runs than their record says"],
  flow_missing: ["lost", "flows that executions refer to are not stored"],
  revision_missing: ["lost", "revisions of flows that are needed are not stored"],
  flow_number_taken: ["lost", "flows share a number that must be their own"],
  execution_missing: ["lost", "data belongs to executions that are not stored"],
  directory_missing: ["lost", "files are in directories that are not stored"],
  file_revisions_mixed: ["lost", "revisions of namespace files are not in order"],
  illegal_history: ["lost", "histories contain moves that the state table forbids"],
  nothing_wakes: ["lost", "executions have not ended, and nothing will wake them"],
  unknown_tenant: ["lost", "data belongs to tenants that do not exist"],
  unreadable: ["lost", "kinds of records cannot be read to their end; what follows from that is not certain"],
  file_damaged: ["lost", "pages of the database file are damaged"],
  key_missing: ["lost", "the encryption key of the stored secrets is not there"],
  meta_differs: ["lost", "the data does not fit this version or this key"],
  chain_missing: ["lost", "the key that fences writers is missing or unreadable"],
  meta_missing: ["lost", "the record of format and encryption key is missing or unreadable"],
  index_stray: ["leftover", "index entries refer to nothing; they are ignored or removed when they are due"],
  value_unreferenced: ["leftover", "large values are referred to by nothing"],
  record_stray: ["leftover", "records belong to flows or triggers that are not stored"],
  unknown_key: ["leftover", "keys are of no kind that this version knows"],
} as const satisfies Record<string, readonly [Severity, string]>;

/** The name of a kind of finding; never renamed, because scripts read it. */
export type FindingCode = keyof typeof KINDS;

/** All findings of a kind. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** What was found, as the end of the sentence "2 …". */
  readonly text: string;
  readonly count: number;
  /** The first ones, with what is wrong. */
  readonly examples: readonly string[];
}

const MAX_EXAMPLES = 5;

/** Counts findings and keeps the first of each kind. */
export class Findings {
  readonly #counts = new Map<FindingCode, number>();
  readonly #examples = new Map<FindingCode, string[]>();

  /** Adds one; `place` names the record. */
  add(code: FindingCode, place: string, detail?: string): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
    const examples = this.#examples.get(code) ?? [];
    this.#examples.set(code, examples);
    if (examples.length < MAX_EXAMPLES) examples.push(detail === undefined ? place : `${place}: ${detail}`);
  }

  /** The findings in the order of their kinds. */
  list(): Finding[] {
    return (Object.keys(KINDS) as FindingCode[]).flatMap((code) => {
      const count = this.#counts.get(code);
      if (count === undefined) return [];
      const [severity, text] = KINDS[code];
      return [{ code, severity, text, count, examples: this.#examples.get(code) ?? [] }];
    });
  }
}
