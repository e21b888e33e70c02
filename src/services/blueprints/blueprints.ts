/** Blueprints: templates of flows and dashboards that ship with the server. The same for all tenants, and read-only. */
import { isJsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { parseFlowSource } from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { illegalArgument, notFound } from "../../model/errors.ts";
import type { FlowGraphs } from "../flows/flow_graphs.ts";
import { BLUEPRINT_KINDS, type BlueprintKind, TAG_NAMES, type Template, TEMPLATES } from "./templates.ts";

/** A template, and the types in its source. */
export interface Blueprint extends Template {
  /** Types of tasks, triggers, charts and their data, as written; each once. */
  readonly types: readonly string[];
}

/** A tag of at least one template. */
interface BlueprintTag {
  readonly id: string;
  readonly name: string;
}

/** The use cases of blueprints. */
export class Blueprints {
  readonly #graphs: FlowGraphs;
  /** Parsed at the first use. */
  #all: readonly Blueprint[] | undefined;

  constructor(graphs: FlowGraphs) {
    this.#graphs = graphs;
  }

  /** All templates of a kind. */
  list(kind: BlueprintKind): readonly Blueprint[] {
    return this.#blueprints().filter((blueprint) => blueprint.kind === kind);
  }

  /** A template. @throws DomainError not_found */
  get(kind: BlueprintKind, id: string): Blueprint {
    const found = this.list(kind).find((blueprint) => blueprint.id === id);
    if (found) return found;
    throw notFound(`there is no blueprint "${id.slice(0, 100)}" of kind "${kind}"`);
  }

  /** The tags of these templates, ordered by name. */
  tags(blueprints: readonly Blueprint[]): BlueprintTag[] {
    const ids = new Set(blueprints.flatMap(({ tags }) => tags));
    const tags = [...ids].map((id) => ({ id, name: TAG_NAMES.get(id) ?? id }));
    return tags.sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** The graph of a template of a flow as JSON text. @throws DomainError not_found, invalid_argument: it is no flow */
  async graph(actor: Actor, kind: BlueprintKind, id: string): Promise<string> {
    const { source } = this.get(kind, id);
    if (kind !== "flow") throw illegalArgument(`a ${kind} has no graph`);
    return await this.#graphs.draft(actor, source, []);
  }

  #blueprints(): readonly Blueprint[] {
    return this.#all ??= TEMPLATES.map((template) => ({ ...template, types: typesIn(template.source) }));
  }
}

/** The kind of that name, in any case. */
export function blueprintKind(name: string): BlueprintKind | undefined {
  return BLUEPRINT_KINDS.find((kind) => kind === name.toLowerCase());
}

function typesIn(source: string): string[] {
  const types = new Set<string>();
  const visit = (value: JsonValue | undefined) => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isJsonObject(value)) return;
    const type = ownProperty(value, "type");
    // Types of inputs, filters and retries have no package.
    if (typeof type === "string" && type.includes(".")) types.add(type);
    Object.keys(value).forEach((name) => visit(ownProperty(value, name)));
  };
  visit(parseFlowSource(source).document);
  return [...types];
}
