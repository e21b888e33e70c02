/** Random executions, restarts of executions, deletions, sealings and process restarts: every list equals a filter over an array. */
import { assertEquals, assertRejects } from "@std/assert";
import type { ExecutionKind } from "../../../src/model/executions/execution.ts";
import type {
  ExecutionCondition,
  ExecutionQuery,
  ExecutionSort,
} from "../../../src/model/executions/execution_query.ts";
import {
  DATE_OPERATORS,
  EXECUTION_SORT_FIELDS,
  NAME_OPERATORS,
} from "../../../src/model/executions/execution_query.ts";
import { DomainError } from "../../../src/model/errors.ts";
import { LOG_LEVELS } from "../../../src/model/flows/flow.ts";
import { STATES } from "../../../src/model/executions/state.ts";
import { MemoryFiles } from "../../support/fakes/memory_files.ts";
import { CatalogFixture, seeded } from "./fixture.ts";
import { randomFacts, referenceQuery } from "./reference.ts";

/** More executions are not searched for triggers and inputs, of which rows say nothing. */
const MAX_UNKNOWN_ROWS = 1_000;

const KINDS: readonly (readonly ExecutionKind[])[] = [["NORMAL"], ["TEST"], ["NORMAL", "TEST"]];

type Random = () => number;
const pick = <T>(random: Random, items: readonly T[]) => items[Math.floor(random() * items.length)] as T;

function randomCondition(random: Random, app: CatalogFixture): ExecutionCondition {
  const negated = random() < 0.3;
  const facts = pick(random, app.visible());
  const at = facts.startMs + Math.floor((random() - 0.5) * 2_000);
  const name = pick(random, ["company", "company.team", "hello", "etl", "o", "system", "Report"]);
  const label = () => ({
    key: `key${Math.floor(random() * 7)}`,
    value: pick(random, ["a", "b", "c", "none"]),
  });
  const makers: (() => ExecutionCondition)[] = [
    () => ({
      field: "text",
      words: pick(random, [["hello"], ["COMPANY", "team"], ["zz"], [facts.id], [
        "hello",
        facts.id.slice(11, 14),
      ]]),
      negated,
    }),
    () => ({
      field: pick(random, ["namespace", "flowId"] as const),
      operator: pick(random, NAME_OPERATORS),
      values: [name],
    }),
    () => ({ field: "scope", system: random() < 0.5 }),
    () => ({
      field: pick(random, ["startDate", "endDate"] as const),
      operator: pick(random, DATE_OPERATORS),
      at,
    }),
    () => ({ field: "endedAfter", endAt: facts.startMs + (facts.durationMs ?? 0), id: facts.id }),
    () => ({
      field: "duration",
      operator: pick(random, DATE_OPERATORS),
      ms: facts.durationMs ?? Math.floor(random() * 200),
    }),
    () => ({
      field: "id",
      operator: pick(random, NAME_OPERATORS),
      values: pick(random, [[facts.id], [facts.id.slice(0, 14)], [facts.id.slice(-3)]]),
    }),
    () => ({ field: "state", states: [pick(random, STATES), facts.state], negated }),
    () => ({ field: "kind", kinds: pick(random, KINDS), negated }),
    () => ({ field: "maxLogLevel", least: pick(random, LOG_LEVELS) }),
    () => ({ field: "child", child: random() < 0.5 }),
    () => ({ field: "triggerExecutionId", ids: [`parent-${Math.floor(random() * 6)}`], negated }),
    () => ({ field: "triggerId", ids: random() < 0.5 ? ["hook"] : ["hook", "other"], negated }),
    () => ({ field: "inputs", anyOf: [{ key: "digit", value: String(facts.startMs % 10) }], negated }),
    () => ({ field: "labels", anyOf: random() < 0.5 ? [label()] : [label(), label()], negated }),
    () => ({ field: "labels", anyOf: [{ key: "system.correlationId", value: facts.id }], negated }),
  ];
  return pick(random, makers)();
}

function randomQuery(random: Random, app: CatalogFixture): ExecutionQuery {
  const conditions = (max: number) =>
    Array.from({ length: Math.floor(random() * (max + 1)) }, () => randomCondition(random, app));
  const sort = (): ExecutionSort => ({
    field: pick(random, EXECUTION_SORT_FIELDS),
    descending: random() < 0.5,
  });
  return {
    conditions: conditions(3),
    groups: random() < 0.2 ? [conditions(2), conditions(2)] : [],
    sort: Array.from({ length: Math.floor(random() * 3) }, sort),
    page: random() < 0.5 ? 1 : 1 + Math.floor(random() * 30),
    size: pick(random, [1, 10, 25, 200]),
  };
}

function withoutUnknown(query: ExecutionQuery): ExecutionQuery {
  const isUnknown = ({ field }: ExecutionCondition) => field === "triggerId" || field === "inputs";
  if (![query.conditions, ...query.groups].flat().some(isUnknown)) return query;
  const known = (conditions: readonly ExecutionCondition[]) => conditions.filter((each) => !isUnknown(each));
  return { ...query, conditions: known(query.conditions), groups: query.groups.map(known) };
}

/** In which all matches are read. */
const PIECES = 3;

async function step(random: Random, app: CatalogFixture): Promise<CatalogFixture> {
  const action = random();
  const tenant = random() < 0.1 ? "other" : "main";
  const known = app.visible(tenant).filter(({ id }) => !app.live.has(`${tenant}/${id}`));
  if (action < 0.02) return await app.reboot();
  if (action < 0.04) return await app.crash();
  if (action < 0.10) await app.sealAll();
  else if (action < 0.2 && known.length > 0) await app.remove(pick(random, known).id, tenant);
  else if (action < 0.5 && known.length > 0) {
    const again = Array.from({ length: 1 + Math.floor(random() ** 4 * 40) }, () => pick(random, known));
    const rows = [...new Map(again.map((facts) => [facts.id, facts])).values()];
    await app.write(rows.map((facts) => ({ ...facts, ...randomFacts(random, tenant) })), tenant);
  } else {
    const rows = Array.from({ length: 1 + Math.floor(random() ** 2 * 900) }, () => {
      app.clock.jump(Math.floor(random() * 3));
      return app.facts(randomFacts(random, tenant));
    });
    await app.write(rows, tenant);
  }
  return app;
}

function changeLive(random: Random, app: CatalogFixture): void {
  app.live.clear();
  if (random() < 0.5) return;
  for (const facts of app.visible().filter(() => random() < 0.02)) {
    app.live.set(`main/${facts.id}`, {
      ...facts,
      ...randomFacts(random, "main"),
      durationMs: undefined,
      state: "RUNNING",
    });
  }
}

function hasRecordFact({ conditions, groups }: ExecutionQuery): boolean {
  return [conditions, ...groups].flat().some(({ field }) =>
    field === "labels" || field === "triggerId" || field === "inputs"
  );
}

/** Compares a query with the reference; `place` says when. */
async function check(
  app: CatalogFixture,
  tenant: string,
  query: ExecutionQuery,
  place: string,
): Promise<void> {
  const rows = app.visible(tenant);
  const expected = (of: ExecutionQuery) => referenceQuery(tenant, rows, of, app.clock.now());
  const found = () => app.catalog.query(tenant, query);
  const known = withoutUnknown(query);
  if (known !== query && expected(known).total > MAX_UNKNOWN_ROWS) {
    await assertRejects(found, DomainError, "match the other filters");
  } else {
    const message = `${place}, tenant ${tenant}: ${JSON.stringify(query)}`;
    assertEquals(await found(), expected(query), message);
    const { total } = expected(query);
    const all = expected({ ...query, sort: [{ field: "id", descending: false }], page: 1, size: total });
    const pieces = app.catalog.ids(tenant, query, Math.ceil((total + 1) / PIECES));
    assertEquals((await Array.fromAsync(pieces)).flat(), all.ids, message);
  }
}

for (const seed of [1, 2, 7, 16]) {
  const files = seed % 2 === 0 ? new MemoryFiles() : undefined;
  const place = files ? "a column file" : "the database";
  Deno.test(`Catalog.query() and ids() over ${place} equal the reference filter over an array, seed ${seed}`, async () => {
    const random = seeded(seed);
    let app = await CatalogFixture.open({ files });
    const asked: ExecutionQuery[] = [];
    /** The last query by facts of records, by tenant: asked again after the next change. */
    const last = new Map<string, ExecutionQuery>();
    await app.fill(10);
    await app.fill(3, 3, "other");
    for (let round = 0; round < 60; round++) {
      app = await step(random, app);
      changeLive(random, app);
      for (const tenant of ["main", "other"]) {
        // A repeated filter uses counts of the first time.
        const again = last.get(tenant);
        if (again) await check(app, tenant, again, `seed ${seed}, round ${round}, again`);
        const query = asked.length > 0 && random() < 0.3 ? pick(random, asked) : randomQuery(random, app);
        asked.push(query);
        if (hasRecordFact(query)) last.set(tenant, query);
        await check(app, tenant, query, `seed ${seed}, round ${round}`);
      }
    }
    await app[Symbol.asyncDispose]();
  });
}
