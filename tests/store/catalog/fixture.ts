/** A catalog over a memory store and a real committer, and the facts of all executions for comparison. */
import { IdSource } from "../../../src/base/id.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { Execution } from "../../../src/model/executions/execution.ts";
import {
  type ExecutionQuery,
  isTrueOf,
  type RecordFact,
} from "../../../src/model/executions/execution_query.ts";
import type { Label } from "../../../src/model/flows/label.ts";
import { Catalog } from "../../../src/store/catalog/catalog.ts";
import type { FlowName } from "../../../src/store/catalog/filters/flow_index.ts";
import { encodeRow, type RowFacts, tombstoneRow } from "../../../src/store/catalog/rows/row.ts";
import { Committer } from "../../../src/store/committer.ts";
import type { MemoryFiles } from "../../support/fakes/memory_files.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import type { Atomic } from "../../../src/store/store.ts";
import { FAKE_START, FakeClock } from "../../support/fakes/fake_clock.ts";

/** Flows of all tests; one belongs to tenant `other`. */
export const FLOWS: readonly FlowName[] = [
  { tenant: "main", namespace: "company", id: "hello" },
  { tenant: "main", namespace: "company.team", id: "hello-world" },
  { tenant: "main", namespace: "company.team.sub", id: "etl" },
  { tenant: "main", namespace: "companyx", id: "Report" },
  { tenant: "main", namespace: "system", id: "cleanup" },
  { tenant: "other", namespace: "company", id: "hello" },
];

/** The newest 25, unfiltered. */
export const NEWEST: ExecutionQuery = { conditions: [], groups: [], sort: [], page: 1, size: 25 };

/** A memory store that fails some commits. */
export class FaultyStore extends MemoryStore {
  /** Returns the error of a commit, which is then not written. */
  fault: ((atomic: Atomic) => Error | undefined) | undefined;

  override commit(atomic: Atomic): Promise<string | null> {
    const error = this.fault?.(atomic);
    return error ? Promise.reject(error) : super.commit(atomic);
  }
}

interface FixtureParts {
  readonly store: MemoryStore;
  readonly stored: Map<string, RowFacts>;
  readonly ids: IdSource;
  readonly clock: FakeClock;
  readonly files?: MemoryFiles;
}

/** A catalog with its store and committer. Keeps the facts of every written execution for comparison. */
export class CatalogFixture implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly store: MemoryStore;
  readonly committer: Committer;
  readonly catalog: Catalog;
  readonly ids: IdSource;
  /** By tenant and id. */
  readonly stored: Map<string, RowFacts>;
  readonly live = new Map<string, RowFacts>();
  verified: { ids: readonly string[]; fact: RecordFact }[] = [];
  /** A verification beyond it fails. */
  maxVerified = Infinity;

  readonly files: MemoryFiles | undefined;

  private constructor({ clock, store, stored, ids, files }: FixtureParts) {
    this.clock = clock;
    this.store = store;
    this.stored = stored;
    this.ids = ids;
    this.files = files;
    this.committer = new Committer({
      store,
      instance: "test",
      clock,
      logger: silentLogger(clock),
      onFatal: (reason) => {
        throw new Error(reason);
      },
    });
    this.catalog = new Catalog({
      store,
      commit: (entry) => this.committer.commit(entry),
      clock,
      files,
      minFileBlocks: 1,
      spanChunks: 1,
      flowNames: (flowNo) => FLOWS[flowNo],
      flowLimit: () => FLOWS.length,
      liveRows: (tenant) =>
        [...this.live].filter(([key]) => key.startsWith(`${tenant}/`)).map(([, facts]) => encodeRow(facts)),
      verifyFact: (tenant, ids, fact) => {
        this.verified.push({ ids, fact });
        if (this.verified.length > this.maxVerified) throw new Error("Records were verified too often");
        return Promise.resolve(new Set(ids.filter((id) => this.#isTrueOf(tenant, id, fact))));
      },
    });
    this.committer.addRider(this.catalog);
  }

  /** Over a new store, or over `store` as after a crash; with `files`, blocks are read through a column file. */
  static async open(from: Partial<FixtureParts> = {}): Promise<CatalogFixture> {
    const clock = from.clock ?? new FakeClock();
    const fixture = new CatalogFixture({
      clock,
      store: from.store ?? new FaultyStore(clock),
      stored: from.stored ?? new Map(),
      ids: from.ids ?? new IdSource(seededBytes()),
      files: from.files,
    });
    await fixture.committer.start();
    await fixture.catalog.start();
    return fixture;
  }

  /** The same database in a new process. */
  async reboot(): Promise<CatalogFixture> {
    await this[Symbol.asyncDispose]();
    const { clock, stored, ids, files } = this;
    return await CatalogFixture.open({ store: this.store.reopen(), stored, ids, clock, files });
  }

  /** The same database and files after the process was killed. */
  async crash(): Promise<CatalogFixture> {
    await this.committer[Symbol.asyncDispose]();
    const { clock, stored, ids, files } = this;
    return await CatalogFixture.open({ store: this.store.reopen(), stored, ids, clock, files });
  }

  /** Facts of a new execution; `overrides` replace the defaults. */
  facts(overrides: Partial<RowFacts> = {}): RowFacts {
    const startMs = this.clock.now();
    return {
      id: this.ids.next(startMs),
      flowNo: 0,
      startMs,
      durationMs: 100,
      state: "SUCCESS",
      kind: "NORMAL",
      labels: [],
      ...overrides,
    };
  }

  /** Commits rows in one group. */
  async write(rows: readonly RowFacts[], tenant = "main"): Promise<void> {
    const encoded = rows.map((facts) => ({ tenant, row: encodeRow(facts) }));
    await this.committer.commit({ mutations: [], facts: { rows: encoded } });
    for (const facts of rows) this.stored.set(`${tenant}/${facts.id}`, facts);
  }

  /** Commits `count` default rows, `perGroup` in each commit; returns their facts. */
  async fill(count: number, perGroup = 50, tenant = "main"): Promise<RowFacts[]> {
    const all: RowFacts[] = [];
    while (all.length < count) {
      this.clock.jump(1);
      const group = Array.from(
        { length: Math.min(perGroup, count - all.length) },
        () => this.facts({ flowNo: tenant === "other" ? 5 : 0 }),
      );
      await this.write(group, tenant);
      all.push(...group);
    }
    return all;
  }

  /** Deletes an execution. */
  async remove(id: string, tenant = "main"): Promise<void> {
    await this.committer.commit({ mutations: [], facts: { rows: [{ tenant, row: tombstoneRow(id) }] } });
    this.stored.delete(`${tenant}/${id}`);
  }

  /** Seals until nothing is left to seal; returns the number of steps. */
  async sealAll(): Promise<number> {
    let steps = 0;
    while (await this.catalog.compact()) steps++;
    return steps;
  }

  /** The executions of a tenant that a client sees: live rows hide stored rows. */
  visible(tenant = "main"): RowFacts[] {
    return [...new Map([...this.stored, ...this.live])]
      .filter(([key]) => key.startsWith(`${tenant}/`)).map(([, facts]) => facts);
  }

  /** Ids of all visible executions, newest first. */
  newestFirst(tenant = "main"): string[] {
    return this.visible(tenant).map(({ id }) => id).sort().reverse();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.catalog[Symbol.asyncDispose]();
    await this.committer[Symbol.asyncDispose]();
  }

  #isTrueOf(tenant: string, id: string, fact: RecordFact): boolean {
    const facts = this.live.get(`${tenant}/${id}`) ?? this.stored.get(`${tenant}/${id}`);
    return facts !== undefined && isTrueOf(fact, recordOf(facts));
  }
}

/** What the record of an execution says beyond its row. Trigger and inputs follow from the start. */
export function recordOf(facts: RowFacts): Pick<Execution, "labels" | "trigger" | "inputs"> {
  const { startMs } = facts;
  return {
    labels: [...shownLabels(facts)],
    trigger: startMs % 3 === 0 ? { id: "hook", type: "test.Webhook", variables: {} } : undefined,
    inputs: { digit: startMs % 10 },
  };
}

/** Labels as clients see them: without a correlation label, the execution id is the correlation id. */
export function shownLabels(facts: RowFacts | undefined): readonly Label[] {
  if (!facts) return [];
  const hasOwn = facts.labels.some(({ key }) => key === "system.correlationId");
  return hasOwn ? facts.labels : [...facts.labels, { key: "system.correlationId", value: facts.id }];
}

/** A seeded generator of numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}

function seededBytes(): (buffer: Uint8Array<ArrayBuffer>) => void {
  const random = seeded(FAKE_START);
  return (buffer) => {
    for (let i = 0; i < buffer.length; i++) buffer[i] = Math.floor(random() * 256);
  };
}
