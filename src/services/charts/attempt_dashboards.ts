/** Dashboards as attempts read and change them. */
import { ownProperty } from "../../base/json.ts";
import type { Actor } from "../../model/access/actor.ts";
import { problemsError, setId } from "../../flow/mod.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type {
  DashboardChange,
  DashboardPort,
  DashboardSource,
  DashboardWrite,
} from "../../model/ports/dashboards.ts";
import type { Dashboards } from "./dashboards.ts";

interface AttemptDashboardsDeps {
  readonly dashboards: Dashboards;
  /** The user in whose name tasks act. */
  readonly user: string;
}

/** The dashboard port of tasks. */
export class AttemptDashboards implements DashboardPort {
  readonly #deps: AttemptDashboardsDeps;

  constructor(deps: AttemptDashboardsDeps) {
    this.#deps = deps;
  }

  /** @inheritdoc */
  async sources(tenant: TenantId): Promise<DashboardSource[]> {
    const sources: DashboardSource[] = [];
    for await (const { id, source } of this.#deps.dashboards.list(this.#actor(tenant))) {
      sources.push({ id, source });
    }
    return sources;
  }

  /** @inheritdoc */
  async put(tenant: TenantId, { id: givenId, source, dryRun }: DashboardWrite): Promise<DashboardChange> {
    const { dashboards } = this.#deps;
    const actor = this.#actor(tenant);
    const { problems, definition = {} } = dashboards.validate(source);
    if (problems.some(({ severity }) => severity === "error")) throw problemsError(problems);
    const named = ownProperty(definition, "id");
    const id = String(named ?? givenId);
    const text = named === undefined ? setId(source, id) : source;
    const before = await this.#stored(actor, id);
    if (before?.source === text) return { id, change: "UNCHANGED" };
    if (!dryRun && before) await dashboards.update(actor, id, text);
    else if (!dryRun) await dashboards.create(actor, text);
    return { id, change: before ? "UPDATED" : "ADDED" };
  }

  /** @inheritdoc */
  async delete(tenant: TenantId, id: string): Promise<void> {
    await this.#deps.dashboards.delete(this.#actor(tenant), id);
  }

  async #stored(actor: Actor, id: string): Promise<DashboardSource | undefined> {
    for await (const [dashboard] of this.#deps.dashboards.pieces(actor, [id])) return dashboard;
    return undefined;
  }

  #actor(tenant: TenantId): Actor {
    return { tenant, user: this.#deps.user };
  }
}
