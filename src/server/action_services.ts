/** Builds what people do to executions: actions on one, replays, and both on many. */
import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/id.ts";
import type { Executor } from "../runtime/executor.ts";
import { ExecutionActions } from "../services/executions/execution_actions.ts";
import { ExecutionBulk } from "../services/executions/execution_bulk.ts";
import { ExecutionReplays } from "../services/executions/execution_replays.ts";
import type { Executions } from "../services/executions/executions.ts";
import type { Flows } from "../services/flows/flows.ts";
import type { StartChecks } from "../services/starts/start_checks.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import type { ExecutionFiles } from "../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../store/records/execution_records.ts";
import { LoopContexts } from "../rendering/loop_contexts.ts";
import { createEvaluator } from "../rendering/expression_renderer.ts";
import { createRenderDeps, type RenderOptions, type RenderSources } from "./render_deps.ts";

/** What they are built from. */
interface ActionServicesParts extends RenderSources {
  readonly options: RenderOptions & {
    readonly clock: Clock;
    readonly ids: IdSource;
    readonly executor: Executor;
  };
  readonly flows: Flows;
  readonly records: ExecutionRecords;
  readonly executionFiles: ExecutionFiles;
  readonly executions: Executions;
  readonly catalog: Catalog;
  readonly checks: StartChecks;
}

/** What people do to executions. */
export interface ActionServices {
  readonly executionActions: ExecutionActions;
  readonly executionReplays: ExecutionReplays;
  readonly executionBulk: ExecutionBulk;
}

/** The services. */
export function createActionServices(parts: ActionServicesParts): ActionServices {
  const { options, flows, records, executionFiles: files, checks, executions, catalog } = parts;
  const { clock, ids, executor } = options;
  const evaluate = createEvaluator(createRenderDeps(options, parts), new LoopContexts(records));
  const actions = new ExecutionActions({
    flows,
    records,
    files,
    executor,
    clock,
    checks,
    evaluate,
  });
  const replays = new ExecutionReplays({ actions, flows, files, checks, executor, clock, ids });
  const bulk = new ExecutionBulk({ actions, replays, executions, catalog, clock, ids });
  return { executionActions: actions, executionReplays: replays, executionBulk: bulk };
}
