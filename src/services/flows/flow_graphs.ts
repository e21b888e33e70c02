/** Graphs of stored flows, of unsaved ones, and of executions. */
import type { Clock } from "../../base/time/clock.ts";
import { type JsonObject, parseJson, stringifyJson } from "../../base/json.ts";
import {
  blocksOf,
  type DrawnFlow,
  DrawnRuns,
  flowGraph,
  graphResponse,
  ROOT_UID,
  SUBFLOW_KINDS,
} from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, illegalArgument, notFound, undefinedIfMissing } from "../../model/errors.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { taskRunBody } from "../../model/executions/execution_body.ts";
import type { Flow, FlowKey, Task } from "../../model/flows/flow.ts";
import { literalTarget } from "./flow_links.ts";
import type { Flows, GetFlowOptions } from "./flows.ts";

/** Subflows in one graph. */
const MAX_DRAWN_SUBFLOWS = 100;

interface FlowGraphsDeps {
  readonly flows: Flows;
  readonly executions: {
    /** An execution without its task runs. @throws DomainError not_found */
    header(actor: Actor, id: string): Promise<Execution>;
  };
  /** The states of the triggers of a flow, by id, as JSON of the API. */
  readonly triggerStates: (actor: Actor, flow: FlowKey) => Promise<ReadonlyMap<string, JsonObject>>;
  readonly clock: Clock;
}

/** What a graph shows of an execution. */
interface ExecutionGraphOptions {
  /** Uids of the Subflow tasks to expand. */
  readonly subflows: readonly string[];
  /** Each value of a loop has a cluster, instead of a node for each task. */
  readonly hasValueClusters?: boolean;
}

/** What a graph shows of a flow. */
interface Drawn extends ExecutionGraphOptions {
  readonly runs?: DrawnRuns;
  /** The flow that a task of the execution has started. */
  readonly startedBy?: (task: Task) => Promise<Flow | undefined>;
}

/** The use cases of graphs. */
export class FlowGraphs {
  readonly #flows: Flows;
  readonly #executions: FlowGraphsDeps["executions"];
  readonly #triggerStates: FlowGraphsDeps["triggerStates"];
  readonly #clock: Clock;

  constructor({ flows, executions, triggerStates, clock }: FlowGraphsDeps) {
    this.#flows = flows;
    this.#executions = executions;
    this.#triggerStates = triggerStates;
    this.#clock = clock;
  }

  /** The graph of a stored flow as JSON text. @throws DomainError not_found; invalid_argument: a flow to draw is an expression */
  async stored(actor: Actor, key: FlowKey, options: GetFlowOptions & Drawn): Promise<string> {
    const flow = await this.#flows.get(actor, key, options).catch((error) => {
      throw asGraphRefusal(error, key, options.revision);
    });
    return await this.#text(actor, await this.#withStates(actor, flow), options);
  }

  /** The graph of the flow that an execution runs, with its task runs, as JSON text. @throws DomainError not_found */
  async ofExecution(actor: Actor, execution: Execution, shown: ExecutionGraphOptions): Promise<string> {
    const { namespace, flowId: id, flowRevision: revision, taskRuns } = execution;
    const form = { now: this.#clock.now(), durations: actor.durations };
    const runs = new DrawnRuns(
      taskRuns,
      (taskRun) => parseJson(taskRunBody(execution, taskRun, form)) as JsonObject,
    );
    const startedBy = (task: Task) => this.#startedBy(actor, execution, task);
    const options = { ...shown, revision, allowDeleted: true, runs, startedBy };
    return await this.stored(actor, { namespace, id }, options);
  }

  /** The flow of the latest execution that a task has started. */
  async #startedBy(actor: Actor, { taskRuns }: Execution, task: Task): Promise<Flow | undefined> {
    const started = taskRuns.findLast(({ taskId }) => taskId === task.id)?.outputs?.executionId;
    if (typeof started !== "string") return undefined;
    return await undefinedIfMissing(async () => {
      const { namespace, flowId: id, flowRevision: revision } = await this.#executions.header(actor, started);
      return await this.#flows.get(actor, { namespace, id }, { revision, allowDeleted: true });
    });
  }

  /** The graph of a source that is not saved. @throws DomainError invalid_entity; invalid_argument as of {@link stored} */
  async draft(actor: Actor, source: string, subflows: readonly string[]): Promise<string> {
    return await this.#text(actor, await this.#flows.draft(actor, source), { subflows });
  }

  async #withStates(actor: Actor, flow: Flow): Promise<DrawnFlow> {
    if (flow.triggers.length === 0) return flow;
    return { ...flow, triggerStates: await this.#triggerStates(actor, flow) };
  }

  async #text(actor: Actor, flow: DrawnFlow, options: Drawn): Promise<string> {
    const { subflows, runs, hasValueClusters, startedBy } = options;
    if (subflows.length > MAX_DRAWN_SUBFLOWS) {
      throw new DomainError(
        "bad_request",
        `Bad Request: "subflows" names ${subflows.length} tasks, at most ${MAX_DRAWN_SUBFLOWS} are drawn`,
      );
    }
    const drawn = new Map<string, DrawnFlow>();
    // An outer subflow, which has a shorter uid, is needed to find the inner ones.
    for (const uid of [...subflows].sort((a, b) => a.length - b.length)) {
      const task = subflowTaskOf(uid, flow, drawn);
      const target = task && literalTarget(task);
      const shown = target ? await this.#flows.get(actor, target) : task && await startedBy?.(task);
      if (shown) drawn.set(uid, await this.#withStates(actor, shown));
      else if (task && !runs) throw cannotExpand(task);
    }
    return stringifyJson(graphResponse(flowGraph(flow, { subflows: drawn, runs, hasValueClusters })));
  }
}

function cannotExpand({ id }: Task): DomainError {
  return illegalArgument(
    `Can't expand subflow task '${id}' because namespace and/or flowId contains dynamic values. ` +
      "This can only be viewed on an execution.",
  );
}

/** The task with that uid that starts another flow; `undefined` if no task has that uid. */
function subflowTaskOf(
  uid: string,
  flow: DrawnFlow,
  drawn: ReadonlyMap<string, DrawnFlow>,
): Task | undefined {
  let tasks = tasksOf(flow);
  let at = ROOT_UID;
  const names = uid.split(".");
  for (const [index, name] of names.slice(1).entries()) {
    const task = tasks.find(({ id }) => id === name);
    if (!task || names[0] !== ROOT_UID) return undefined;
    at += `.${name}`;
    if (index === names.length - 2) return SUBFLOW_KINDS.has(task.kind) ? task : undefined;
    const inner = drawn.get(at);
    tasks = inner ? tasksOf(inner) : [...blocksOf(task).values()].flat();
  }
  return undefined;
}

function tasksOf({ tasks, errors, finally: last, afterExecution }: DrawnFlow): readonly Task[] {
  return [...tasks, ...errors, ...last, ...afterExecution];
}

/** The refusal of a graph: clients know the flow by its uid. Any other error as it is. */
function asGraphRefusal(error: unknown, { namespace, id }: FlowKey, revision: number | undefined): unknown {
  if (!(error instanceof DomainError && error.code === "not_found")) return error;
  const uid = revision === undefined ? `${namespace}_${id}` : `${namespace}_${id}_${revision}`;
  return notFound(`Unable to find flow ${uid}: ${error.message.replace(/^Not Found: /, "")}`);
}
