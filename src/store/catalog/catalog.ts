/**
 * The catalog of executions: an index of 56-byte rows that serves lists with all filters and orders and with exact totals,
 * without reading execution records. The commit that ends an execution or makes it dormant writes its row; rows of live
 * executions come from the runtime.
 *
 * Life of a row: its commit writes it to a row group (`rows/unsealed_rows`), the compactor moves it to a block
 * (`blocks/sealing`, `blocks/sealed_rows`). A query merges unsealed and live rows (`rows/overlay`) and scans them with the
 * blocks (`scans/scan`) for those that pass `filters/filter`.
 */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { ExecutionGroup, ExecutionGrouping } from "../../model/executions/execution_groups.ts";
import type { ExecutionConditions, ExecutionQuery } from "../../model/executions/execution_query.ts";
import { DomainError } from "../../model/errors.ts";
import { MAIN_TENANT, type TenantId } from "../../model/flows/flow.ts";
import { type State, STATES } from "../../model/executions/state.ts";
import type { Contribution, Entry, GroupRider } from "../committer.ts";
import { rowGroupKey, TENANTS } from "../keys.ts";
import type { Mutation, Store } from "../store.ts";
import { BlockReader } from "./blocks/block_reader.ts";
import { ExecutionFilter, flowConditionsOf, RowLists, withoutUnknown } from "./filters/filter.ts";
import { FlowIndex, type FlowNames } from "./filters/flow_index.ts";
import { FactVerdicts, type VerifyFact } from "./filters/fact_step.ts";
import { type ByteFiles, ColumnFileError } from "./blocks/column_file.ts";
import { MatchCountCache } from "./scans/match_counts.ts";
import { Pace } from "./pace.ts";
import { FLAG, MAX_BLOCK_ROWS, packId, ROW_BYTES, ROW_WORDS } from "./rows/row.ts";
import { wordsOf } from "./rows/row_block.ts";
import { ID_WORDS } from "./rows/row_columns.ts";
import { idDirection, RowOrder } from "./scans/row_order.ts";
import { PlaceTable, RowGroups } from "./scans/row_groups.ts";
import { Scan, type ScanResult } from "./scans/scan.ts";
import { TenantRows } from "./tenant_rows.ts";
import { NewestRows, type RowRef } from "./scans/top_rows.ts";
import type { RowGroup } from "./rows/unsealed_rows.ts";

interface CatalogDeps extends FlowNames {
  readonly store: Store;
  readonly commit: (entry: Entry) => Promise<void>;
  readonly clock: Clock;
  /** Of which of the executions, live or stored, a client sees that the fact is true. */
  readonly verifyFact: VerifyFact;
  /** Catalog rows of the live executions of a tenant; each hides the stored row of its id. */
  readonly liveRows?: (tenant: TenantId) => Iterable<Uint8Array>;
  /** Resolves when the live executions are known; `undefined`: they are. */
  readonly liveKnown?: () => Promise<unknown> | undefined;
  /** True while starts are waiting: scans then take a fifth of the time. */
  readonly isBusy?: () => boolean;
  /** Limit of the block cache. */
  readonly maxCacheBytes?: number;
  /** Holds derived column files; absent: the database is no file here. */
  readonly files?: ByteFiles;
  readonly logger?: Pick<Logger, "warn">;
  /** Blocks of a tenant from which it has a column file. */
  readonly minFileBlocks?: number;
  /** Chunks that share sketches of durations by flow. */
  readonly spanChunks?: number;
}

/** An execution with its start and end, and what else its row says. */
export interface ExecutionSpan {
  readonly id: string;
  readonly startAt: Instant;
  /** `undefined` while it has not ended. */
  readonly endAt: Instant | undefined;
  readonly state: State;
  /** Whether another execution started it. */
  readonly isChild: boolean;
}

/** A page of ids in order, and the number of matching executions. */
interface ExecutionPage {
  readonly ids: string[];
  readonly total: number;
}

const MAX_CACHE_BYTES = 64 * 1024 * 1024;
/** Unsealed rows at which sealing starts. */
const UNSEALED_ROWS = 2_000;
/**
 * Up to this many matches of a label are all verified with their records; of more matches only those on the page. A label
 * hash matches a wrong label once in 4 billion.
 */
const VERIFY_ALL_UP_TO = 200;
/**
 * Most executions whose records are read because rows say nothing of a fact. Other lists wait: 10,000 took 3 s on two cores
 * under a load of 11.
 */
const MAX_UNKNOWN_ROWS = 1_000;
/** Time that the response of a list takes beside the scan, for each execution on the page. */
const BODY_MS = 0.03;
/** Lock key of all scans. */
const SCAN = "scan";
const NOTHING: Contribution = { mutations: [], messages: [] };

interface Proposal {
  readonly tenant: TenantId;
  readonly group: RowGroup;
}

/** The catalog of all tenants. */
export class Catalog implements GroupRider {
  readonly #deps: CatalogDeps;
  readonly #reader: BlockReader;
  readonly #flows: FlowIndex;
  readonly #verdicts: FactVerdicts;
  readonly #tenants = new Map<TenantId, TenantRows>();
  readonly #proposals = new Map<number, readonly Proposal[]>();
  readonly #lock = new KeyedLock();
  readonly #lists = new RowLists();
  readonly #counts = new MatchCountCache();
  readonly #table = new PlaceTable();
  readonly #pace: Pace;
  readonly #liveRows: (tenant: TenantId) => Iterable<Uint8Array>;

  constructor(deps: CatalogDeps) {
    this.#deps = deps;
    this.#reader = new BlockReader(deps.store, deps.maxCacheBytes ?? MAX_CACHE_BYTES);
    this.#flows = new FlowIndex(deps, deps.clock);
    this.#verdicts = new FactVerdicts(deps.verifyFact);
    this.#liveRows = deps.liveRows ?? (() => []);
    this.#pace = new Pace(deps.clock, deps.isBusy ?? (() => false));
  }

  /** Reads the list of tenants. The first query or sealing of a tenant reads its rows. */
  async start(): Promise<void> {
    this.#of(MAIN_TENANT);
    for await (const { key } of this.#deps.store.list(TENANTS)) this.#of(String(key[1]));
  }

  /** Reads the blocks of all tenants before the first list needs them. Called once the server is ready; concurrent lists wait for at most one tenant. */
  async warm(): Promise<void> {
    for (const rows of this.#tenants.values()) {
      await this.#paced(() => rows.load(this.#pace));
      await this.#paced(() => rows.maintain(this.#pace));
    }
  }

  /** Bytes of blocks in memory. */
  get cachedBytes(): number {
    return this.#reader.cachedBytes;
  }

  /** @inheritdoc */
  contribute(entries: readonly Entry[], seq: number): Contribution {
    const byTenant = rowsByTenant(entries);
    if (byTenant.size === 0) return NOTHING;
    const proposals: Proposal[] = [];
    for (const [tenant, rows] of byTenant) {
      for (const group of this.#place(tenant, rows, seq)) proposals.push({ tenant, group });
    }
    this.#proposals.set(seq, proposals);
    const mutations: Mutation[] = proposals.map(({ tenant, group }) => ({
      type: "set",
      key: rowGroupKey(tenant, group.seq),
      value: new Uint8Array(group.words.buffer, group.words.byteOffset, group.words.byteLength),
    }));
    return { mutations, messages: [] };
  }

  /** @inheritdoc */
  committed(_entries: readonly Entry[], seq: number): void {
    for (const { tenant, group } of this.#proposals.get(seq) ?? []) this.#of(tenant).unsealed.set(group);
    this.#proposals.delete(seq);
  }

  /** @inheritdoc */
  refused(seq: number): void {
    this.#proposals.delete(seq);
  }

  /** A page of a tenant's executions. */
  query(tenant: TenantId, query: ExecutionQuery): Promise<ExecutionPage> {
    return this.#read(tenant, async () => {
      const { rows, total } = await this.#scan(tenant, query);
      return { ids: rows.map(({ block, row }) => block.idAt(row)), total };
    }, query.size * BODY_MS);
  }

  /**
   * The ids of all matching executions of a tenant in pieces, oldest first. Each piece begins after the last id of the one
   * before: executions that are deleted or stop to match meanwhile do not shift the others, as they shift pages.
   */
  async *ids(tenant: TenantId, conditions: ExecutionConditions, size: number): AsyncGenerator<string[]> {
    const after = new Uint32Array(ID_WORDS);
    for (;;) {
      const ids = await this.#read(tenant, async () => {
        const rows = await this.#rowsAfter(tenant, conditions, { after, size });
        return rows.map(({ block, row }) => block.idAt(row));
      }, size * BODY_MS);
      yield ids;
      const last = ids[size - 1];
      if (last === undefined) return;
      packId(last, after, 0);
    }
  }

  /** A page of a tenant's executions with their times, and the number of matches. */
  spans(tenant: TenantId, query: ExecutionQuery): Promise<{ spans: ExecutionSpan[]; total: number }> {
    return this.#read(tenant, async () => {
      const { rows, total } = await this.#scan(tenant, query);
      return { spans: rows.map(spanOf), total };
    });
  }

  /**
   * The matching executions of a tenant in groups, which have no order. Exact, but for labels: they are compared by 32 bits
   * of hash. @throws DomainError invalid_argument: there are too many groups
   */
  groups(
    tenant: TenantId,
    conditions: ExecutionConditions,
    grouping: ExecutionGrouping,
  ): Promise<ExecutionGroup[]> {
    return this.#read(tenant, async () => {
      const { createScan } = await this.#prepare(tenant, conditions);
      const groups = new RowGroups(grouping, { tenant, flows: this.#flows, table: this.#table });
      await createScan().visitAll({
        visit: (block, rows, summary) => groups.add(block, rows, summary),
        sums: {
          accepts: (summary) => groups.acceptsSums(summary),
          visit: (sums, chosen, summary) => groups.addSums(sums, chosen, summary),
          ...grouping.hasQuantiles && {
            sketches: {
              isByFlow: groups.isByFlow,
              visit: (sketches, chosen, summary) => groups.addSketches(sketches, chosen, summary),
            },
          },
        },
      });
      return groups.all();
    });
  }

  /** The id of the newest matching execution of each flow of a tenant, by flow number. */
  newest(tenant: TenantId, conditions: ExecutionConditions): Promise<Map<number, string>> {
    return this.#read(tenant, async () => {
      const { createScan } = await this.#prepare(tenant, conditions);
      const newest = new NewestRows();
      await createScan().visitAll({ visit: (block, rows) => newest.add(block, rows) });
      return new Map([...newest.all()].map(([flowNo, { block, row }]) => [flowNo, block.idAt(row)]));
    });
  }

  /** NORMAL executions of a tenant by flow number and state. */
  counts(tenant: TenantId): Promise<Map<number, Map<State, number>>> {
    return this.#read(tenant, () => this.#of(tenant).counts(this.#liveRows(tenant), this.#pace));
  }

  /** Seals rows of one tenant that has enough unsealed rows; false if no tenant has enough. After true, call it again. */
  compact(): Promise<boolean> {
    return this.#lock.run(SCAN, async () => {
      for (const rows of this.#tenants.values()) {
        await rows.loadGroups();
        if (rows.unsealed.count < UNSEALED_ROWS) continue;
        await rows.load(this.#pace);
        await rows.maintain(this.#pace);
        if (await rows.seal()) return true;
      }
      return false;
    });
  }

  /** Drops the rows of a removed tenant. */
  forget(tenant: TenantId): void {
    const rows = this.#tenants.get(tenant);
    this.#tenants.delete(tenant);
    void this.#lock.run(SCAN, async () => {
      await rows?.close();
      this.#removeFile(tenant);
    });
  }

  /** A file that stays is harmless: a new tenant of the same name has other blocks. */
  #removeFile(tenant: TenantId): void {
    try {
      this.#deps.files?.remove(tenant);
    } catch (error) {
      this.#deps.logger?.warn("the column file of a removed tenant stays", {
        tenant,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }

  /** Waits for running scans and sealings, and closes the column files. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const rows of this.#tenants.values()) rows.stopMaintenance();
    await this.#lock.run(SCAN, async () => {
      for (const rows of this.#tenants.values()) await rows.close();
    });
  }

  /** Reads rows of a tenant, at the second try from the database if the column file cannot be read. */
  #read<T>(tenant: TenantId, read: () => Promise<T>, moreMs = 0): Promise<T> {
    return this.#paced(async () => {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof ColumnFileError)) throw error;
        this.#deps.logger?.warn("lists read the database instead of the column file", {
          tenant,
          reason: error.message,
        });
        this.#of(tenant).giveUpFile();
        return await read();
      }
    }, moreMs);
  }

  /** Runs one scan at a time, at the pace that `isBusy` allows. `moreMs` is work outside the scan, such as the response. */
  #paced<T>(scan: () => Promise<T>, moreMs = 0): Promise<T> {
    return this.#lock.run(SCAN, async () => {
      await this.#deps.liveKnown?.();
      await this.#pace.begin();
      try {
        return await scan();
      } finally {
        this.#pace.end(moreMs);
      }
    });
  }

  /** @throws DomainError invalid_filter: rows say nothing of a fact, and more executions match the other conditions */
  async #checkUnknown(tenant: TenantId, conditions: ExecutionConditions): Promise<void> {
    const known = withoutUnknown(conditions);
    if (known === conditions) return;
    const { createScan } = await this.#prepare(tenant, known);
    const { total } = await createScan().listById(true, 0, 0);
    if (total <= MAX_UNKNOWN_ROWS) return;
    const [found, limit] = [total, MAX_UNKNOWN_ROWS].map((count) => count.toLocaleString("en"));
    const message =
      `Cannot filter by triggers or inputs: ${found} executions match the other filters, but at most ${limit} are searched`;
    throw new DomainError("invalid_filter", message);
  }

  /** The filter of the conditions, and scans of the rows as they are now. @throws as {@link #checkUnknown} */
  async #prepare(tenant: TenantId, conditions: ExecutionConditions) {
    await this.#checkUnknown(tenant, conditions);
    const pace = this.#pace;
    const rows = this.#of(tenant);
    await rows.load(pace);
    this.#reader.beginScan();
    const view = await rows.view(this.#liveRows(tenant));
    // After the rows: a flow that is added now has none among them.
    const flows = await this.#flows.tables(tenant, flowConditionsOf(conditions), pace);
    const filter = new ExecutionFilter(conditions, {
      tenant,
      flows,
      verdicts: this.#verdicts,
      lists: this.#lists,
    });
    const [reader, verdicts] = [this.#reader, this.#verdicts];
    // A word that becomes part of the name of a new flow is no longer searched in ids.
    const key = JSON.stringify([tenant, flows.limit, conditions.conditions, conditions.groups]);
    return {
      filter,
      createScan: () => {
        const counts = this.#counts.of(key, view.places);
        return new Scan({ tenant, ...view, filter, counts, reader, verdicts, pace });
      },
    };
  }

  async #scan(tenant: TenantId, query: ExecutionQuery): Promise<ScanResult> {
    // All passes read the same rows: verdicts on rows in memory are lost with the view that has them.
    const { filter, createScan } = await this.#prepare(tenant, query);
    for (;;) {
      const run = (offset: number, size: number) => this.#list(createScan(), tenant, query, { offset, size });
      const result = await run((query.page - 1) * query.size, query.size);
      if (!filter.hasRecordFacts) return result;
      const isSmall = result.total <= VERIFY_ALL_UP_TO && result.rows.length < result.total;
      const checked = isSmall ? await run(0, VERIFY_ALL_UP_TO) : result;
      if (!await this.#hasFalseMatch(tenant, filter, checked.rows)) return result;
    }
  }

  async #rowsAfter(
    tenant: TenantId,
    conditions: ExecutionConditions,
    { after, size }: { readonly after: Uint32Array; readonly size: number },
  ): Promise<readonly RowRef[]> {
    const { filter, createScan } = await this.#prepare(tenant, conditions);
    for (;;) {
      const rows = await createScan().listAfter(after, size);
      if (!filter.hasRecordFacts || !await this.#hasFalseMatch(tenant, filter, rows)) return rows;
    }
  }

  /** Verifies rows with their records. A false match is remembered, so the next pass excludes it. */
  async #hasFalseMatch(
    tenant: TenantId,
    filter: ExecutionFilter,
    rows: readonly RowRef[],
  ): Promise<boolean> {
    const doubts = rows.flatMap(({ block, row }) => filter.doubtsOf(block, row));
    const isFalse = await this.#verdicts.settle(tenant, doubts);
    if (isFalse) this.#counts.clear();
    return isFalse;
  }

  #list(
    scan: Scan,
    tenant: TenantId,
    query: ExecutionQuery,
    page: { readonly offset: number; readonly size: number },
  ): Promise<ScanResult> {
    const direction = idDirection(query.sort);
    if (direction) return scan.listById(direction === "descending", page.offset, page.size);
    const order = new RowOrder(query.sort, { tenant, flows: this.#flows, now: this.#deps.clock.now() });
    return scan.listByOrder(order, page.offset, page.size);
  }

  /** The row groups for the rows of one commit: one, unless the rows exceed the size of a value. */
  #place(tenant: TenantId, rows: readonly Uint8Array[], seq: number): RowGroup[] {
    const words = joinRows(rows);
    const limit = MAX_BLOCK_ROWS * ROW_WORDS;
    if (words.length <= limit) return [this.#of(tenant).unsealed.place(words, seq)];
    const parts = Math.ceil(words.length / limit);
    return Array.from({ length: parts }, (_, part) => ({
      seq: seq + part / parts,
      words: words.slice(part * limit, (part + 1) * limit),
    }));
  }

  #of(tenant: TenantId): TenantRows {
    const known = this.#tenants.get(tenant);
    if (known) return known;
    const { store, commit, files, minFileBlocks, spanChunks } = this.#deps;
    const reader = this.#reader;
    const rows = new TenantRows(tenant, { store, commit, files, minFileBlocks, spanChunks, reader });
    this.#tenants.set(tenant, rows);
    return rows;
  }
}

function spanOf({ block, row }: RowRef): ExecutionSpan {
  const startAt = block.startAt(row);
  const duration = block.durationAt(row);
  const facts = block.facts[row] as number;
  return {
    id: block.idAt(row),
    startAt,
    endAt: duration === undefined ? undefined : startAt + duration,
    state: STATES[facts & 0xff] as State,
    isChild: (facts & FLAG.child) !== 0,
  };
}

function rowsByTenant(entries: readonly Entry[]): Map<TenantId, Uint8Array[]> {
  const byTenant = new Map<TenantId, Uint8Array[]>();
  for (const { facts } of entries) {
    for (const { tenant, row } of facts?.rows ?? []) {
      const rows = byTenant.get(tenant);
      if (rows) rows.push(row);
      else byTenant.set(tenant, [row]);
    }
  }
  return byTenant;
}

/** Rows that were encoded one after the other lie side by side, so that one copy takes all of them. */
function joinRows(rows: readonly Uint8Array[]): Uint32Array {
  const [first] = rows;
  const isJoined = first &&
    rows.every((row, index) =>
      row.buffer === first.buffer && row.byteOffset === first.byteOffset + index * ROW_BYTES
    );
  if (isJoined) {
    return wordsOf(new Uint8Array(first.buffer, first.byteOffset, rows.length * ROW_BYTES).slice());
  }
  const bytes = new Uint8Array(rows.length * ROW_BYTES);
  rows.forEach((row, index) => bytes.set(row, index * ROW_BYTES));
  return wordsOf(bytes);
}
