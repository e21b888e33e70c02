/** Dashboards: validates and stores their definitions. Does not compute the data of charts. */
import type { Clock } from "../../base/clock.ts";
import type { IdSource } from "../../base/id.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import { parseFlowSource, problemsError } from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, illegalArgument, invalidEntity, notFound } from "../../model/errors.ts";
import type { Problem } from "../../model/flows/problem.ts";
import type { DashboardRecord, DashboardRecords } from "../../store/records/dashboard_records.ts";

interface DashboardsDeps {
  readonly records: DashboardRecords;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** A dashboard and its parsed source. */
export interface Dashboard extends DashboardRecord {
  readonly definition: JsonObject;
}

/** UTF-8 bytes of a source. */
export const MAX_DASHBOARD_BYTES = 60_000;
/** Per tenant. */
const MAX_DASHBOARDS = 1_000;
const MAX_ID_LENGTH = 100;
const ID = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;
const ID_RULE = `must match "[a-zA-Z0-9][a-zA-Z0-9._-]*" and have at most ${MAX_ID_LENGTH} characters`;

/** The use cases of dashboards. */
export class Dashboards {
  readonly #deps: DashboardsDeps;
  readonly #locks = new KeyedLock();

  constructor(deps: DashboardsDeps) {
    this.#deps = deps;
  }

  /** All dashboards, ordered by id, each read on demand. */
  async *list({ tenant }: Actor): AsyncGenerator<Dashboard> {
    for await (const record of this.#deps.records.list(tenant)) yield withDefinition(record);
  }

  /** The dashboards with these ids, each read on demand; without those that are deleted meanwhile. */
  async *pieces({ tenant }: Actor, ids: readonly string[]): AsyncGenerator<Dashboard[]> {
    for (const id of ids) {
      const record = await this.#deps.records.get(tenant, id);
      if (record) yield [withDefinition(record)];
    }
  }

  /** A dashboard. @throws DomainError not_found */
  async get({ tenant }: Actor, id: string): Promise<Dashboard> {
    const record = await this.#deps.records.get(tenant, id);
    if (record) return withDefinition(record);
    throw notFound(`dashboard "${id.slice(0, 100)}" does not exist`);
  }

  /** Saves a new dashboard; generates an id if the source has none. @throws DomainError invalid_entity, already_exists, too_large, invalid_argument */
  async create({ tenant }: Actor, source: string): Promise<Dashboard> {
    const definition = parseValid(source);
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
    const definition = parseValid(source);
    return await this.#locks.run(actor.tenant, async () => {
      const { createdAt } = await this.get(actor, id);
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
      await this.get(actor, id);
      await this.#deps.records.delete(actor.tenant, id);
    });
  }

  /** The problems of a source. */
  validate(source: string): readonly Problem[] {
    return parseDashboard(source, dashboardProblems).problems;
  }

  /** The problems of the source of one chart. */
  validateChart(source: string): readonly Problem[] {
    return parseDashboard(source, (chart) => chartProblems(chart, "")).problems;
  }

  async #put(tenant: string, record: DashboardRecord): Promise<Dashboard> {
    await this.#deps.records.put(tenant, record);
    return withDefinition(record);
  }
}

function withDefinition(record: DashboardRecord): Dashboard {
  return { ...record, definition: parseFlowSource(record.source).document ?? {} };
}

function parseValid(source: string): JsonObject {
  if (new TextEncoder().encode(source).length > MAX_DASHBOARD_BYTES) {
    throw new DomainError(
      "too_large",
      `Cannot save the dashboard: it is larger than ${MAX_DASHBOARD_BYTES} bytes`,
    );
  }
  const { definition, problems } = parseDashboard(source, dashboardProblems);
  if (problems.length > 0) throw problemsError(problems);
  return definition;
}

function parseDashboard(
  source: string,
  check: (document: JsonObject) => Problem[],
): { readonly definition: JsonObject; readonly problems: readonly Problem[] } {
  const { document, problems } = parseFlowSource(source);
  return document ? { definition: document, problems: check(document) } : { definition: {}, problems };
}

function dashboardProblems(document: JsonObject): Problem[] {
  const id = ownProperty(document, "id") ?? undefined;
  const problems = id === undefined ? [] : idProblems(id, "id");
  if (!isFilledText(ownProperty(document, "title"))) problems.push(problem("title", "must not be empty"));
  const charts = ownProperty(document, "charts") ?? [];
  if (!Array.isArray(charts)) return [...problems, problem("charts", "must be a list")];
  const seen = new Set<JsonValue>();
  for (const [index, chart] of charts.entries()) {
    problems.push(...chartProblems(chart, `charts[${index}]`));
    const chartId = isJsonObject(chart) ? ownProperty(chart, "id") : undefined;
    if (chartId === undefined) continue;
    if (seen.has(chartId)) problems.push(problem("charts", `Duplicate chart id with name [${chartId}]`));
    seen.add(chartId);
  }
  return problems;
}

function chartProblems(chart: JsonValue, place: string): Problem[] {
  if (!isJsonObject(chart)) return [problem(place, "must be an object")];
  const at = (name: string) => place === "" ? name : `${place}.${name}`;
  const problems = idProblems(ownProperty(chart, "id"), at("id"));
  if (!isFilledText(ownProperty(chart, "type"))) problems.push(problem(at("type"), "must not be empty"));
  return problems;
}

function idProblems(id: JsonValue | undefined, path: string): Problem[] {
  const isGood = typeof id === "string" && id.length <= MAX_ID_LENGTH && ID.test(id);
  return isGood ? [] : [problem(path, ID_RULE)];
}

function isFilledText(value: JsonValue | undefined): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function problem(path: string, message: string): Problem {
  return { code: "bad_dashboard", path, message, severity: "error" };
}
