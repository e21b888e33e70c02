/** Actions on many executions. */
import type { Clock } from "../../base/time/clock.ts";
import { type IdSource, isId } from "../../base/id.ts";
import { Turns } from "../../base/time/turn.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, type ErrorCode, undefinedIfMissing } from "../../model/errors.ts";
import type {
  DateOperator,
  ExecutionCondition,
  ExecutionConditions,
} from "../../model/executions/execution_query.ts";
import { isSystemLabel, type Label } from "../../model/flows/label.ts";
import { isEnded, type State } from "../../model/executions/state.ts";
import type { Executor } from "../../runtime/executor.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import { type BulkStep, type Refusal, runChecked } from "../bulk/checked_bulk.ts";
import { AwaitingExecutions } from "./awaiting_executions.ts";
import {
  type ExecutionActions,
  type Request,
  unknownExecution,
  type UNQUEUED_STATES,
} from "./execution_actions.ts";
import type { ExecutionReplays } from "./execution_replays.ts";
import { DISABLED_FLOW, type Executions } from "./executions.ts";

interface ExecutionBulkDeps {
  readonly actions: ExecutionActions;
  readonly replays: ExecutionReplays;
  readonly executions: Executions;
  readonly catalog: Pick<Catalog, "ids">;
  readonly records: Pick<ExecutionRecords, "facts" | "unfinished">;
  readonly executor: Pick<Executor, "isLive">;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** An action on each of many executions. */
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

/** The result of a bulk action. */
export interface BulkResult {
  /** Executions that were changed: fewer than selected if others changed meanwhile, or a limit was reached. */
  readonly count: number;
  /** Executions that were selected. */
  readonly totalItems: number;
  readonly operationId: string;
}

/** The check and the action of one execution, by its id. */
type ExecutionStep = BulkStep<string>;

/** What clients of this API know of an execution whose state does not allow the action. */
const KNOWN_REASONS: Readonly<Partial<Record<BulkAction["type"], string>>> = {
  restart: "execution not in state FAILED",
  resume: "execution not in state PAUSED",
  pause: "execution not in state RUNNING",
  unqueue: "execution not in state QUEUED",
  kill: "execution already finished",
  "change-status": "execution not in a terminated state",
  labels: "execution is not terminated",
  "force-run": "execution in a terminated state",
};

const REASONS_OF_STATE: ReadonlySet<ErrorCode> = new Set(["conflict", "bad_request", "invalid_argument"]);

const IDS_PER_PIECE = 2_000;
/** Labels are checked for so long before other work continues. */
const TURN_MS = 4;

/** The use cases of many executions. */
export class ExecutionBulk {
  readonly #deps: ExecutionBulkDeps;
  readonly #awaiting: AwaitingExecutions;

  constructor(deps: ExecutionBulkDeps) {
    this.#deps = deps;
    this.#awaiting = new AwaitingExecutions(deps);
  }

  /**
   * Acts on the executions of these ids, duplicates once.
   * @throws DomainError bulk_refused; invalid_entity: system labels; quota_exceeded, too_many_requests: the limit lets none start
   */
  async byIds(actor: Actor, ids: readonly string[], action: BulkAction): Promise<BulkResult> {
    return await this.#run(actor, [...new Set(ids)], action);
  }

  /**
   * Acts on all executions that match now. A deletion of old ended ones leaves out those that another still awaits.
   * @throws DomainError invalid_filter, and as {@link byIds}
   */
  async byQuery(actor: Actor, filters: ExecutionConditions, action: BulkAction): Promise<BulkResult> {
    const ids = await Array.fromAsync(this.#deps.catalog.ids(actor.tenant, filters, IDS_PER_PIECE));
    const step = this.#stepOf(actor, action);
    const isOfOld = action.type === "delete" && !action.includeNonTerminated && selectsOld(filters);
    return await this.#run(actor, ids.flat(), action, isOfOld ? this.#unawaitedOnly(actor, step) : step);
  }

  async #run(
    actor: Actor,
    ids: readonly string[],
    action: BulkAction,
    step = this.#stepOf(actor, action),
  ): Promise<BulkResult> {
    const { clock, ids: idSource } = this.#deps;
    if (action.type === "labels") await checkSystemLabels(action.labels, { ids, step, clock });
    const count = await runChecked(ids, {
      check: async (id) => isId(id) ? await step.check(id) : unknownExecution(id),
      run: (id) => step.run(id),
    }, {
      clock,
      action: action.type,
      subject: "execution",
      nameOf: (id) => id,
      knownReason: (id, refusal) => knownReason(action, id, refusal),
    });
    return { count, totalItems: ids.length, operationId: idSource.next(clock.now()) };
  }

  #stepOf(actor: Actor, action: BulkAction): ExecutionStep {
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
        if (!action.latestRevision) return requestStep(actions, actor, { type: "restarted" });
        return {
          check: (id) => replays.restartRefusalOf(actor, id, "latest"),
          run: (id) => replays.restart(actor, id, "latest"),
        };
      }
      case "resume":
        return {
          check: (id) => actions.resumeRefusalOf(actor, id),
          run: (id) => actions.resumeWithDefaults(actor, id),
        };
      case "delete":
        return this.#deletion(actor, action.includeNonTerminated);
      default:
        return requestStep(actions, actor, requestOf(actor, action));
    }
  }

  #deletion(actor: Actor, includeNonTerminated: boolean): ExecutionStep {
    const { executions } = this.#deps;
    return {
      async check(id) {
        // Not its plan: the flow revision of an ended execution may have been deleted.
        const { history } = await executions.header(actor, id);
        if (includeNonTerminated || isEnded(history)) return undefined;
        return new DomainError("conflict", `Cannot delete execution "${id}": it has not ended`);
      },
      run: (id) => executions.delete(actor, id),
    };
  }

  #unawaitedOnly({ tenant }: Actor, step: ExecutionStep): ExecutionStep {
    return {
      ...step,
      run: async (id) => {
        const facts = await this.#deps.records.facts(tenant, id);
        const awaiting = facts && await this.#awaiting.of(tenant, facts);
        if (awaiting === undefined) return await step.run(id);
        const reason = awaiting === id ? "it is still under way" : `"${awaiting}" still awaits it`;
        throw new DomainError("conflict", `Cannot delete execution "${id}": ${reason}`);
      },
    };
  }
}

/** True if all that match started or ended before a date. */
function selectsOld({ conditions, groups }: ExecutionConditions): boolean {
  return conditions.some(isOfOld) || groups.length > 0 && groups.every((group) => group.some(isOfOld));
}

function isOfOld(condition: ExecutionCondition): boolean {
  return (condition.field === "startDate" || condition.field === "endDate") && BEFORE.has(condition.operator);
}

const BEFORE: ReadonlySet<DateOperator> = new Set(["LESS_THAN", "LESS_THAN_OR_EQUAL_TO"]);

function knownReason({ type }: BulkAction, id: string, { code, message }: Refusal): string | undefined {
  if (code === "not_found" && message === unknownExecution(id).message) return "execution not found";
  if (message.includes(DISABLED_FLOW)) return undefined;
  return REASONS_OF_STATE.has(code) ? KNOWN_REASONS[type] : undefined;
}

/** Such labels are wrong for all executions but those that have them. @throws DomainError invalid_entity */
async function checkSystemLabels(
  labels: readonly Label[],
  { ids, step, clock }: {
    readonly ids: readonly string[];
    readonly step: ExecutionStep;
    readonly clock: Clock;
  },
): Promise<void> {
  if (!labels.some(({ key }) => isSystemLabel(key))) return;
  const turns = new Turns(clock, TURN_MS);
  for (const id of ids) {
    const refusal = isId(id) ? await undefinedIfMissing(() => step.check(id)) : undefined;
    if (refusal?.code === "invalid_entity") throw refusal;
    await turns.next();
  }
}

function requestStep(actions: ExecutionActions, actor: Actor, request: Request): ExecutionStep {
  return {
    check: (id) => actions.refusalOf(actor, id, request),
    run: (id) => actions.run(actor, id, request),
  };
}

type PlainAction = Exclude<BulkAction, { type: "replay" | "restart" | "resume" | "delete" }>;

function requestOf({ user: by }: Actor, action: PlainAction): Request {
  switch (action.type) {
    case "pause":
      return { type: "pause_asked" };
    case "force-run":
      return { type: "run_forced", by };
    case "kill":
      return { type: "kill_asked", sparesChildren: action.sparesChildren };
    case "change-status":
      return { type: "state_set", state: action.state };
    case "labels":
      return { type: "labels_set", labels: action.labels };
    case "unqueue":
      return { type: "unqueued", state: action.state };
  }
}
