/** How retention passes over executions that others await: over rows of the catalog, and records that count their reads. */
import { assertEquals } from "@std/assert";
import type { Execution } from "../../../src/model/executions/execution.ts";
import {
  ExecutionRetention,
  type RetentionRules,
} from "../../../src/services/retention/execution_retention.ts";
import { CatalogFixture } from "../../store/catalog/fixture.ts";

const HOUR = 3_600_000;
const OLD: RetentionRules = { maxAgeMs: HOUR };

type Deps = ConstructorParameters<typeof ExecutionRetention>[0];

/** Retention over the catalog of the fixture. */
class RetentionFixture {
  readonly app: CatalogFixture;
  readonly open = new Set<string>();
  /** Reads of records by id, and pages of the catalog. */
  reads: string[] = [];
  pages = 0;
  readonly #parents = new Map<string, string>();
  readonly #retention: ExecutionRetention;

  constructor(app: CatalogFixture) {
    this.app = app;
    const { catalog, committer } = app;
    const read = (_tenant: string, id: string) => {
      this.reads.push(id);
      return Promise.resolve(this.#recordOf(id));
    };
    const deps = {
      catalog: {
        spans: (...of: Parameters<typeof catalog.spans>) => {
          this.pages++;
          return catalog.spans(...of);
        },
      },
      committer,
      records: {
        facts: read,
        unfinished: read,
        forget: (_: string, id: string) => app.stored.delete(`main/${id}`),
      },
      cleanup: {
        announce: (_: string, id: string) => ({ type: "delete", key: ["removed", id] }),
        removeMany: () => Promise.resolve(),
      },
      executor: {
        isLive: () => false,
        deletions: { run: (_: string, __: unknown, work: (drop: () => void) => unknown) => work(() => {}) },
      },
    };
    this.#retention = new ExecutionRetention(deps as unknown as Deps);
  }

  /** Writes ended executions with an end a millisecond after each other; with a parent, which awaits them. */
  async write(count: number, parent?: string): Promise<string[]> {
    const rows = Array.from({ length: count }, () => {
      this.app.clock.jump(1);
      return this.app.facts({ durationMs: 0, triggerExecutionId: parent });
    });
    for (let i = 0; i < count; i += 500) await this.app.write(rows.slice(i, i + 500));
    for (const { id } of rows) if (parent !== undefined) this.#parents.set(id, parent);
    return rows.map(({ id }) => id);
  }

  /** One tick of the loop: steps until nothing is left to do. Returns what it did, and forgets what was read before. */
  async tick(rules: RetentionRules) {
    this.reads = [];
    this.pages = 0;
    let removed = 0;
    for (let hasMore = true; hasMore;) {
      const step = await this.#retention.removeSome("main", rules, this.app.clock.now());
      removed += step.removed;
      hasMore = step.hasMore;
    }
    return { removed, reads: this.reads.length, pages: this.pages };
  }

  #recordOf(id: string): Partial<Execution> | undefined {
    const isOpen = this.open.has(id);
    if (!isOpen && !this.app.stored.has(`main/${id}`)) return undefined;
    const parent = this.#parents.get(id);
    return {
      id,
      history: [{ state: isOpen ? "RUNNING" : "SUCCESS", at: 0 }],
      taskRuns: [],
      awaitedBy: parent === undefined ? undefined : { executionId: parent, taskRun: 0 },
    };
  }
}

Deno.test("removeSome() goes on behind many kept executions, and reads them once as long as their parent runs", async () => {
  await using app = await CatalogFixture.open();
  const it = new RetentionFixture(app);
  it.open.add("parent");
  await it.write(2_600, "parent");
  await it.write(30);
  app.clock.jump(2 * HOUR);
  assertEquals((await it.tick(OLD)).removed, 30);
  assertEquals(await it.tick(OLD), { removed: 0, reads: 1, pages: 1 }, "the parent alone is read");
  await it.write(10);
  app.clock.jump(HOUR - 60_000);
  assertEquals((await it.tick(OLD)).removed, 0);
  app.clock.jump(2 * 60_000);
  assertEquals((await it.tick(OLD)).removed, 10);
  it.open.delete("parent");
  assertEquals((await it.tick(OLD)).removed, 2_600);
  assertEquals(app.visible().length, 0);
});

Deno.test("removeSome() looks at kept executions again after an hour, without reading them again", async () => {
  await using app = await CatalogFixture.open();
  const it = new RetentionFixture(app);
  it.open.add("parent");
  await it.write(700, "parent");
  app.clock.jump(2 * HOUR);
  await it.tick(OLD);
  app.clock.jump(HOUR);
  const { reads, pages } = await it.tick(OLD);
  assertEquals([reads <= 3, pages > 2], [true, true]);
});

Deno.test("removeSome() keeps as many of the newest as the count says, beside those that others await", async () => {
  await using app = await CatalogFixture.open();
  const it = new RetentionFixture(app);
  it.open.add("parent");
  const kept = await it.write(3, "parent");
  const first = await it.write(6);
  const late = await it.write(2, "parent");
  assertEquals((await it.tick({ maxCount: 4 })).removed, 4);
  assertEquals(app.newestFirst(), [...kept, ...first.slice(4), ...late].reverse());
  const last = await it.write(2);
  assertEquals((await it.tick({ maxCount: 4 })).removed, 2);
  assertEquals(app.newestFirst(), [...kept, ...late, ...last].reverse());
  it.open.delete("parent");
  assertEquals((await it.tick({ maxCount: 4 })).removed, 3);
  assertEquals(app.newestFirst(), [...late, ...last].reverse());
});

Deno.test("removeSome() reads no record but their own of executions that no other has started", async () => {
  await using app = await CatalogFixture.open();
  const it = new RetentionFixture(app);
  const ids = await it.write(60);
  app.clock.jump(2 * HOUR);
  const { removed } = await it.tick(OLD);
  assertEquals([removed, it.reads], [60, ids]);
});

Deno.test("removeSome() keeps the executions of an ended one that another awaits", async () => {
  await using app = await CatalogFixture.open();
  const it = new RetentionFixture(app);
  it.open.add("top");
  const [middle = ""] = await it.write(1, "top");
  await it.write(2, middle);
  app.clock.jump(2 * HOUR);
  assertEquals((await it.tick(OLD)).removed, 0);
  it.open.delete("top");
  assertEquals((await it.tick(OLD)).removed, 3);
});
