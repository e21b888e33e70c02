/** Actions on many executions: all are looked at before anything is done, and one that cannot be done refuses all. */
import { setImmediate } from "node:timers";
import type { Clock } from "../../base/clock.ts";
import { type IdSource, isId } from "../../base/id.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, type ErrorItem } from "../../model/errors.ts";
import type { ExecutionConditions, ExecutionQuery } from "../../model/executions/execution_query.ts";
import type { Label } from "../../model/flows/label.ts";
import { isEnded, type State } from "../../model/executions/state.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import {
  changeStateAction,
  type ExecutionAction,
  forceRunAction,
  killAction,
  pauseAction,
  restartAction,
  setLabelsAction,
  unqueueAction,
  type UNQUEUED_STATES,
} from "./execution_action.ts";
import { type ExecutionActions, unknownExecution } from "./execution_actions.ts";
import type { ExecutionReplays } from "./execution_replays.ts";
import type { Executions } from "./executions.ts";

/** What the service works with. */
interface ExecutionBulkDeps {
  readonly actions: ExecutionActions;
  readonly replays: ExecutionReplays;
  readonly executions: Executions;
  readonly catalog: Pick<Catalog, "query">;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** What is done to each of many executions. */
export type BulkAction =
  | { readonly type: "pause" | "force-run" }
  | { readonly type: "restart"; readonly latestRevision: boolean }
  | { readonly type: "resume" }
  | { readonly type: "kill"; readonly sparesChildren: boolean }
  | { readonly type: "replay"; readonly latestRevision: boolean }
  | { readonly type: "change-status"; readonly state: State }
  | { readonly type: "labels"; readonly labels: readonly Label[] }
  | { readonly type: "unqueue"; readonly state: typeof UNQUEUED_STATES[number] }
  | { readonly type: "delete"; readonly includeNonTerminated: boolean };

/** What has been done. */
export interface BulkResult {
  /** Executions to which it was done. */
  readonly count: number;
  /** Executions that were asked for. */
  readonly totalItems: number;
  readonly operationId: string;
}

/** How one execution is looked at, and what is done to it. */
interface BulkStep {
  /** Why it cannot be done. @throws DomainError the same, or the execution is unknown */
  check(id: string): Promise<DomainError | undefined>;
  run(id: string): Promise<unknown>;
}

/** Executions that are worked on at the same time: enough to share commits, few enough to let others through. */
const AT_ONCE = 64;
const PAGE_SIZE = 2_000;
/** Refusals that are told; a client that sees so many changes its filter. */
const MAX_TOLD = 1_000;

/** The use cases of many executions. */
export class ExecutionBulk {
  readonly #deps: ExecutionBulkDeps;

  constructor(deps: ExecutionBulkDeps) {
    this.#deps = deps;
  }

  /** Does it to the executions of these ids; one named twice counts once. @throws DomainError bulk_refused */
  async byIds(actor: Actor, ids: readonly string[], action: BulkAction): Promise<BulkResult> {
    return await this.#run(actor, [...new Set(ids)], action);
  }

  /** Does it to all executions that match now. @throws DomainError bulk_refused, invalid_filter */
  async byQuery(
    actor: Actor,
    filters: ExecutionConditions,
    action: BulkAction,
  ): Promise<BulkResult> {
    return await this.#run(actor, await this.#idsOf(actor, filters), action);
  }

  async #run(actor: Actor, ids: readonly string[], action: BulkAction): Promise<BulkResult> {
    const step = this.#stepOf(actor, action);
    const refusals = await someAtOnce(ids, (id) => refusalOf(step, id));
    const refused = refusals.flatMap((refusal, index): ErrorItem[] =>
      refusal ? [{ path: ids[index] ?? "", message: refusal.message }] : []
    );
    if (refused.length > 0) throw bulkRefusal(action, refused, ids.length);
    const done = await someAtOnce(ids, (id) => runStep(step, id));
    const { clock, ids: idSource } = this.#deps;
    const count = done.filter((isDone) => isDone).length;
    return { count, totalItems: ids.length, operationId: idSource.next(clock.now()) };
  }

  /** Oldest first, so that what begins meanwhile shifts nothing. */
  async #idsOf(
    { tenant }: Actor,
    filters: ExecutionConditions,
  ): Promise<string[]> {
    const found = new Set<string>();
    for (let page = 1;; page++) {
      const query: ExecutionQuery = {
        ...filters,
        sort: [{ field: "id", descending: false }],
        page,
        size: PAGE_SIZE,
      };
      const { ids } = await this.#deps.catalog.query(tenant, query);
      for (const id of ids) found.add(id);
      if (ids.length < PAGE_SIZE) return [...found];
    }
  }

  #stepOf(actor: Actor, action: BulkAction): BulkStep {
    const { actions, replays } = this.#deps;
    switch (action.type) {
      case "replay": {
        const options = { revision: action.latestRevision ? "latest" as const : undefined };
        return {
          check: (id) => replays.refusalOf(actor, id, options),
          run: (id) => replays.replay(actor, id, options),
        };
      }
      case "restart": {
        if (!action.latestRevision) return singleStep(actions, actor, restartAction());
        return {
          check: (id) => replays.restartRefusalOf(actor, id, "latest"),
          run: (id) => replays.restart(actor, id, "latest"),
        };
      }
      case "resume":
        return {
          check: async (id) => actions.refusalOf(actor, id, await actions.plainResume(actor, id)),
          run: async (id) => actions.run(actor, id, await actions.plainResume(actor, id)),
        };
      case "delete":
        return this.#deletion(actor, action.includeNonTerminated);
      default:
        return singleStep(actions, actor, singleAction(actor, action));
    }
  }

  #deletion(actor: Actor, includeNonTerminated: boolean): BulkStep {
    const { actions, executions } = this.#deps;
    return {
      async check(id) {
        const { execution } = await actions.target(actor, id);
        if (includeNonTerminated || isEnded(execution.history)) return undefined;
        return new DomainError("conflict", `Cannot delete execution "${id}": it has not ended`);
      },
      run: (id) => executions.delete(actor, id),
    };
  }
}

function singleStep(actions: ExecutionActions, actor: Actor, action: ExecutionAction): BulkStep {
  return {
    check: (id) => actions.refusalOf(actor, id, action),
    run: (id) => actions.run(actor, id, action),
  };
}

type SingleAction = Exclude<BulkAction, { type: "replay" | "restart" | "resume" | "delete" }>;

function singleAction(actor: Actor, action: SingleAction): ExecutionAction {
  switch (action.type) {
    case "pause":
      return pauseAction();
    case "force-run":
      return forceRunAction(actor.user);
    case "kill":
      return killAction(action.sparesChildren);
    case "change-status":
      return changeStateAction(action.state);
    case "labels":
      return setLabelsAction(action.labels);
    case "unqueue":
      return unqueueAction(action.state);
  }
}

async function refusalOf(step: BulkStep, id: string): Promise<DomainError | undefined> {
  if (!isId(id)) return unknownExecution(id.slice(0, 100));
  return await step.check(id).catch(asRefusal);
}

/** False for an execution that was changed or deleted since it was looked at. */
async function runStep(step: BulkStep, id: string): Promise<boolean> {
  return await step.run(id).then(() => true, (error) => asRefusal(error) === undefined);
}

const REFUSALS: ReadonlySet<string> = new Set([
  "not_found",
  "conflict",
  "invalid_argument",
  "invalid_entity",
  "bad_request",
]);

/** What concerns this execution alone; anything else is thrown again, and stops the whole. */
function asRefusal(error: unknown): DomainError {
  if (error instanceof DomainError && REFUSALS.has(error.code)) return error;
  throw error;
}

function bulkRefusal({ type }: BulkAction, refused: readonly ErrorItem[], total: number): DomainError {
  return new DomainError(
    "bulk_refused",
    `Invalid bulk ${type}: ${refused.length} of ${total} executions do not allow it, so nothing was done`,
    { items: refused.slice(0, MAX_TOLD) },
  );
}

/** What `work` gives for each, in their order, a bounded number at a time; others get their turn between any two. */
async function someAtOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await work(items[index] as T);
      await new Promise<void>((resolve) => setImmediate(resolve)); // What comes from memory never waits for anything else.
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}
