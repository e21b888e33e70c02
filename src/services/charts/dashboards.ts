/** Dashboards: validates and stores their definitions, and finds their charts. */
import type { Clock } from "../../base/time/clock.ts";
import type { IdSource } from "../../base/id.ts";
import { type JsonObject, objectsOf, ownProperty } from "../../base/json.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import { LruCache } from "../../base/lru.ts";
import { parseFlowSource, problemsError } from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, illegalArgument, invalidEntity, notFound } from "../../model/errors.ts";
import type { Problem } from "../../model/flows/problem.ts";
import type { DashboardRecord, DashboardRecords } from "../../store/records/dashboard_records.ts";
import type { Chart } from "./chart.ts";
import { type DashboardPlan, readChartSource, readDashboard } from "./chart_parser.ts";
import { DEFAULT_DASHBOARD_ID, defaultDashboardSource } from "./default_dashboard.ts";

interface DashboardsDeps {
  readonly records: DashboardRecords;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** A dashboard and its parsed source. */
export interface Dashboard extends DashboardRecord {
  readonly definition: JsonObject;
  readonly plan: DashboardPlan;
}

/** UTF-8 bytes of a source. */
export const MAX_DASHBOARD_BYTES = 60_000;
/** Per tenant. */
const MAX_DASHBOARDS = 1_000;
/** Characters of the sources whose parsed form is kept: some 1,500 dashboards of usual length. */
const PARSED_CHARS = 4_000_000;

/** The use cases of dashboards. */
export class Dashboards {
  readonly #deps: DashboardsDeps;
  readonly #locks = new KeyedLock();
  /** By tenant and id; used while the stored source is the same. */
  readonly #parsed = new LruCache<string, Dashboard>(PARSED_CHARS);

  constructor(deps: DashboardsDeps) {
    this.#deps = deps;
  }

  /** All dashboards, ordered by id, each read on demand. */
  async *list({ tenant }: Actor): AsyncGenerator<Dashboard> {
    for await (const record of this.#deps.records.list(tenant)) yield this.#parse(tenant, record);
  }

  /** The dashboards with these ids, each read on demand; without those that are deleted meanwhile. */
  async *pieces({ tenant }: Actor, ids: readonly string[]): AsyncGenerator<Dashboard[]> {
    for (const id of ids) {
      const record = await this.#deps.records.get(tenant, id);
      if (record) yield [this.#parse(tenant, record)];
    }
  }

  /** A dashboard; `default` is built in as long as none with this id is stored. @throws DomainError not_found */
  async get(actor: Actor, id: string): Promise<Dashboard> {
    const found = await this.find(actor, id);
    if (found) return found;
    throw missing(id);
  }

  /** As {@link get}; `undefined` for an unknown one. */
  async find({ tenant }: Actor, id: string): Promise<Dashboard | undefined> {
    const record = await this.#deps.records.get(tenant, id);
    if (record) return this.#parse(tenant, record);
    return id === DEFAULT_DASHBOARD_ID ? this.#parse(tenant, BUILT_IN) : undefined;
  }

  /** A chart of a dashboard; `undefined` for an unknown one. @throws DomainError invalid_entity: the chart was stored with errors */
  async findChart(
    actor: Actor,
    id: string,
    chartId: string,
  ): Promise<{ readonly chart: Chart; readonly plan: DashboardPlan } | undefined> {
    const found = await this.find(actor, id);
    const chart = found?.plan.charts.get(chartId);
    if (found && chart) return { chart, plan: found.plan };
    const written = objectsOf(found && ownProperty(found.definition, "charts"));
    if (found && written.some((each) => ownProperty(each, "id") === chartId)) {
      throw problemsError(found.plan.problems);
    }
    return undefined;
  }

  /** The chart of a source. @throws DomainError invalid_entity, too_large */
  readChart(source: string): Chart {
    checkSize(source, "chart");
    const { chart, problems } = readChartSource(parseFlowSource(source));
    if (chart) return chart;
    throw problemsError(problems);
  }

  /** Saves a new dashboard; generates an id if the source has none. @throws DomainError invalid_entity, already_exists, too_large, invalid_argument */
  async create({ tenant }: Actor, source: string): Promise<Dashboard> {
    const definition = readValid(source);
    const now = this.#deps.clock.now();
    const id = String(ownProperty(definition, "id") ?? this.#deps.ids.next(now));
    return await this.#locks.run(tenant, async () => {
      if (await this.#deps.records.get(tenant, id)) {
        throw new DomainError(
          "already_exists",
          `Cannot create dashboard "${id}": it exists; change it by PUT`,
        );
      }
      let count = 0;
      for await (const _record of this.#deps.records.list(tenant)) count++;
      if (count >= MAX_DASHBOARDS) {
        throw illegalArgument(
          `Cannot create dashboard "${id}": there are ${count} already; delete some first`,
        );
      }
      return await this.#put(tenant, { id, source, createdAt: now, updatedAt: now });
    });
  }

  /** Replaces a dashboard. @throws DomainError not_found, invalid_entity, too_large */
  async update(actor: Actor, id: string, source: string): Promise<Dashboard> {
    const definition = readValid(source);
    return await this.#locks.run(actor.tenant, async () => {
      const { createdAt } = await this.#stored(actor, id);
      const named = ownProperty(definition, "id") ?? id;
      if (named !== id) {
        throw invalidEntity(`id: Illegal id update from "${id}" to "${named}"`);
      }
      return await this.#put(actor.tenant, { id, source, createdAt, updatedAt: this.#deps.clock.now() });
    });
  }

  /** Deletes a dashboard. @throws DomainError not_found */
  async delete(actor: Actor, id: string): Promise<void> {
    await this.#locks.run(actor.tenant, async () => {
      await this.#stored(actor, id);
      await this.#deps.records.delete(actor.tenant, id);
    });
  }

  /** The problems of a source, and what it declares; without that if its syntax is wrong. */
  validate(source: string): { readonly problems: readonly Problem[]; readonly definition?: JsonObject } {
    const parsed = parseFlowSource(source);
    return { problems: readDashboard(parsed).problems, definition: parsed.document };
  }

  /** The problems of the source of one chart. */
  validateChart(source: string): readonly Problem[] {
    return readChartSource(parseFlowSource(source)).problems;
  }

  async #put(tenant: string, record: DashboardRecord): Promise<Dashboard> {
    await this.#deps.records.put(tenant, record);
    return this.#parse(tenant, record);
  }

  async #stored({ tenant }: Actor, id: string): Promise<DashboardRecord> {
    const record = await this.#deps.records.get(tenant, id);
    if (record) return record;
    throw missing(id);
  }

  #parse(tenant: string, record: DashboardRecord): Dashboard {
    const key = `${tenant}/${record.id}`;
    const known = this.#parsed.get(key);
    if (known && known.source === record.source) return { ...known, ...record };
    const parsed = parseFlowSource(record.source);
    const dashboard = { ...record, definition: parsed.document ?? {}, plan: readDashboard(parsed) };
    this.#parsed.set(key, dashboard, record.source.length);
    return dashboard;
  }
}

const BUILT_IN: DashboardRecord = {
  id: DEFAULT_DASHBOARD_ID,
  source: defaultDashboardSource(),
  createdAt: 0,
  updatedAt: 0,
};

function missing(id: string): DomainError {
  const shown = id.slice(0, 100);
  return notFound(
    id === DEFAULT_DASHBOARD_ID
      ? `dashboard "${shown}" is built in; create one with this id to replace it`
      : `dashboard "${shown}" does not exist`,
  );
}

function checkSize(source: string, what: string): void {
  if (new TextEncoder().encode(source).length <= MAX_DASHBOARD_BYTES) return;
  throw new DomainError(
    "too_large",
    `Cannot read the ${what}: it is larger than ${MAX_DASHBOARD_BYTES} bytes`,
  );
}

function readValid(source: string): JsonObject {
  checkSize(source, "dashboard");
  const parsed = parseFlowSource(source);
  const { problems } = readDashboard(parsed);
  if (problems.some(({ severity }) => severity === "error")) throw problemsError(problems);
  return parsed.document ?? {};
}
