/** Creates live executions: from new executions, and from stored ones. */
import { type FlowPlan, planFor } from "../../engine/plan.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { LoopContexts, OuterContext } from "../../rendering/loop_contexts.ts";
import { type RenderDeps, Renderer, type TemplateCache } from "../../rendering/renderer.ts";
import { formOf } from "../../store/records/executions/execution_form.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import type { Admission } from "./admission.ts";
import { LiveExecution } from "./live_execution.ts";
import type { NewExecution } from "./messages.ts";

interface LiveFactoryDeps {
  readonly records: ExecutionRecords;
  readonly contexts: LoopContexts;
  readonly admission: Admission;
  readonly templates: TemplateCache;
  readonly render: RenderDeps;
  /** The plan of the revision that an execution is pinned to. @throws DomainError when it cannot be read */
  readonly planOf: (execution: Execution) => FlowPlan | Promise<FlowPlan>;
}

/** Creates live executions; keeps none. */
export class LiveFactory {
  readonly #deps: LiveFactoryDeps;

  constructor(deps: LiveFactoryDeps) {
    this.#deps = deps;
  }

  /** Registers a new execution, of the commit group of `creator`; no side effects before its creating commit. */
  register({ execution, plan, outer }: NewExecution, creator?: LiveExecution): LiveExecution {
    // A pass that is retried or replayed from its start: its own tasks may have set others.
    if (outer && execution.taskRuns.length === 0) execution.variables ??= outer.variables;
    const form = formOf(execution, creator);
    const live = new LiveExecution(execution, plan, form, this.#renderer(execution, plan, outer));
    live.form.storedStates = execution.history.length;
    live.isBeforeFirstCommit = true;
    live.isDriven = true;
    this.#deps.admission.admit(live);
    return live;
  }

  /** An execution as stored; `undefined` if it does not exist. */
  async load(tenant: string, id: string): Promise<LiveExecution | undefined> {
    const { records, contexts, planOf } = this.#deps;
    const stored = await records.load(tenant, id);
    if (!stored) return undefined;
    const { execution, form } = stored;
    const plan = planFor(await planOf(execution), execution);
    const outer = await contexts.of(execution);
    return new LiveExecution(execution, plan, form, this.#renderer(execution, plan, outer));
  }

  #renderer(execution: Execution, plan: FlowPlan, outer?: OuterContext): Renderer {
    const { render, templates } = this.#deps;
    return new Renderer(plan, execution, templates, outer ? { ...render, outer } : render);
  }
}
