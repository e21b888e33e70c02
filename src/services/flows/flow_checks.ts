/** Checks sources of flows against the schemas and rules of this server, and what their namespaces give them. */
import type { Clock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import {
  type Catalogs,
  documentsIn,
  type FlowProblem,
  type ParsedSource,
  parseFlowSource,
  problemsError,
  scalarText,
  type StartObstacle,
  validateFlow,
  type ValidateOptions,
  validateTask,
  validateTrigger,
} from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { Problem } from "../../model/flows/problem.ts";
import type { FlowHeads } from "./flow_heads.ts";
import type { NamespaceDefaults } from "./namespace_defaults.ts";

interface FlowChecksDeps {
  readonly heads: FlowHeads;
  readonly catalogs: Catalogs;
  readonly clock: Clock;
  /** Names of host functions. */
  readonly functions: ReadonlySet<string>;
  /** What the flows of a namespace inherit. */
  readonly defaults: Pick<NamespaceDefaults, "of">;
}

/** A source without errors. */
export interface ValidSource {
  readonly parsed: ParsedSource;
  readonly warnings: readonly Problem[];
}

/** One document of a validation request. */
export interface FlowCheck {
  readonly index: number;
  readonly id?: string;
  readonly namespace?: string;
  readonly problems: readonly Problem[];
  /** The document names another revision than the one that saving it would create. */
  readonly isOutdated: boolean;
}

/** Time after which checks of many documents yield to other requests. */
const TURN_MS = 4;

/** Problems in all documents of a text; of each that has more than are left, the worst is listed. */
const MAX_PROBLEMS = 20_000;

/** Checks sources without saving them. */
export class FlowChecks {
  readonly #deps: FlowChecksDeps;

  constructor(deps: FlowChecksDeps) {
    this.#deps = deps;
  }

  /** Checks the documents of a text; an empty text is one empty document. @throws DomainError invalid_argument: too many */
  async ofText({ tenant }: Actor, text: string): Promise<FlowCheck[]> {
    const { catalogs, clock, heads } = this.#deps;
    await catalogs.scriptPlaces?.containers.refresh();
    const turns = new Turns(clock, TURN_MS);
    const sources: ParsedSource[] = [];
    for (const document of documentsIn(text)) {
      sources.push(parseFlowSource(document));
      await turns.next();
    }
    if (sources.length === 0) sources.push(parseFlowSource(text));
    const obstacleTo = this.#obstacleBeside(tenant, sources);
    const checks: FlowCheck[] = [];
    let free = MAX_PROBLEMS;
    for (const [index, parsed] of sources.entries()) {
      const { source } = parsed;
      const rules = { ...this.#withExpressions, ...this.#inheritedRules(tenant, parsed), obstacleTo };
      const found = await this.#problemsOf(source, () => validateFlow(parsed, catalogs, rules));
      const problems = found.length <= free ? found : worstOf(found);
      free -= problems.length;
      const { id, namespace, revision } = parsed.document ?? {};
      const next = (heads.get(tenant, { id: String(id), namespace: String(namespace) })?.revision ?? 0) + 1;
      const isOutdated = typeof revision === "number" && revision !== next;
      checks.push({ index, id: scalarText(id), namespace: scalarText(namespace), problems, isOutdated });
      await turns.next();
    }
    return checks;
  }

  /** Checks a source of a single task or trigger. */
  async ofPart(source: string, part: "task" | "trigger"): Promise<FlowCheck> {
    const parsed = parseFlowSource(source);
    const validate = part === "task" ? validateTask : validateTrigger;
    const check = () => validate(parsed, this.#deps.catalogs, this.#withExpressions);
    return { index: 0, problems: await this.#problemsOf(source, check), isOutdated: false };
  }

  /** A source that may be saved. @throws DomainError invalid_entity */
  async valid(tenant: TenantId, source: string): Promise<ValidSource> {
    const parsed = parseFlowSource(source);
    const rules = this.#inheritedRules(tenant, parsed);
    const problems = await this.#problemsOf(source, () => validateFlow(parsed, this.#deps.catalogs, rules));
    const errors = problems.filter((problem) => problem.severity === "error");
    if (errors.length > 0) throw problemsError(errors);
    return { parsed, warnings: problems };
  }

  /** Expressions are checked on validation only, since their problems are warnings. */
  get #withExpressions(): ValidateOptions {
    return { expressions: { functions: this.#deps.functions } };
  }

  /** What prevents starts of a flow that none of these sources declares. */
  #obstacleBeside(tenant: TenantId, sources: readonly ParsedSource[]): StartObstacle {
    const declared = new Set(sources.map(({ document }) => `${document?.namespace}/${document?.id}`));
    return ({ namespace, id }) => {
      if (declared.has(`${namespace}/${id}`)) return undefined;
      const head = this.#deps.heads.get(tenant, { namespace, id });
      if (!head || head.deleted) return "missing";
      return head.disabled ? "disabled" : undefined;
    };
  }

  /** What `check` finds once the types of a source are loaded. Names like an unknown one may be those of any group. */
  async #problemsOf(source: string, check: () => readonly FlowProblem[]): Promise<readonly FlowProblem[]> {
    const { tasks } = this.#deps.catalogs;
    await tasks.load(source);
    const problems = check();
    const loading = problems.some(({ code }) => code === "unknown_type") ? tasks.loadAll() : undefined;
    if (!loading) return problems;
    await loading;
    return check();
  }

  /** What the flow of a source would inherit. */
  #inheritedRules(tenant: TenantId, { document }: ParsedSource): ValidateOptions {
    const namespace = scalarText(document?.namespace);
    if (namespace === undefined) return {};
    return { inherited: this.#deps.defaults.of(tenant, namespace).pluginDefaults };
  }
}

function worstOf(problems: readonly FlowProblem[]): readonly FlowProblem[] {
  const worst = problems.findIndex(({ severity }) => severity === "error");
  return problems.slice(Math.max(worst, 0)).slice(0, 1);
}
