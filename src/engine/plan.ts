/** The tasks of a flow by id and by list, prepared once for each revision. */
import { stringifyJson } from "../base/json.ts";
import { DomainError } from "../model/errors.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { Flow, Task } from "../model/flows/flow.ts";
import { LOOP } from "../model/executions/loop_run.ts";
import { FLOWABLES } from "./flowable/registry.ts";
import type { TaskPlace } from "./branches.ts";

/** Lists of tasks of a flow, in the order in which they run. */
const BLOCKS = ["tasks", "errors", "finally", "afterExecution"] as const;

/** A flow and its tasks, including nested ones. */
export interface FlowPlan {
  readonly flow: Flow;
  readonly blocks: ReadonlyMap<string, readonly TaskPlace[]>;
  /** By task id; without the tasks of Loop bodies. */
  readonly places: ReadonlyMap<string, TaskPlace>;
  /** The plan of each Loop body, at any depth, by the id of the Loop. */
  readonly bodies: ReadonlyMap<string, FlowPlan>;
  /** Whether the source, or what the flow inherits, names a secret anywhere: an input of type SECRET, a call of `secret()`. */
  readonly mentionsSecrets: boolean;
}

const SECRET = /secret/i;

/** Prepares a flow. */
export function planFlow(flow: Flow): FlowPlan {
  return planOf(flow, new Map());
}

/** The plan of an execution: of the flow, or of the Loop body for a pass. @throws DomainError conflict: no such Loop */
export function planFor(plan: FlowPlan, { loop }: Pick<Execution, "loop">): FlowPlan {
  const body = loop ? plan.bodies.get(loop.taskId) : plan;
  if (body) return body;
  const { revision } = plan.flow;
  throw new DomainError(
    "conflict",
    `Cannot run a pass of the Loop "${loop?.taskId}": revision ${revision} of the flow has no such Loop`,
  );
}

interface Making {
  readonly flow: Flow;
  readonly places: Map<string, TaskPlace>;
  readonly bodies: Map<string, FlowPlan>;
}

function planOf(flow: Flow, bodies: Map<string, FlowPlan>): FlowPlan {
  const making: Making = { flow, places: new Map(), bodies };
  const blocks = new Map<string, readonly TaskPlace[]>();
  for (const block of BLOCKS) blocks.set(block, placeTasks(flow[block], block, undefined, making));
  return { flow, blocks, places: making.places, bodies, mentionsSecrets: mentionsSecrets(flow) };
}

function mentionsSecrets({ source, inherited }: Flow): boolean {
  return SECRET.test(source) || inherited !== undefined && SECRET.test(stringifyJson(inherited));
}

function placeTasks(
  tasks: readonly Task[],
  block: string,
  parent: TaskPlace | undefined,
  making: Making,
): readonly TaskPlace[] {
  const siblings: TaskPlace[] = [];
  for (const [index, task] of tasks.entries()) {
    const blocks = new Map<string, readonly TaskPlace[]>();
    const place = { task, parent, block, index, siblings, blocks };
    siblings.push(place);
    making.places.set(task.id, place);
    const parts = FLOWABLES.get(task.kind)?.parts?.(task);
    if (parts) blocks.set("tasks", placeTasks(parts, "tasks", place, making));
    for (const [name, nested] of task.blocks) {
      if (task.kind !== LOOP || name === "finally") blocks.set(name, placeTasks(nested, name, place, making));
    }
    if (task.kind === LOOP) making.bodies.set(task.id, planOf(bodyOf(making.flow, task), making.bodies));
  }
  return siblings;
}

/** The flow that a pass of the Loop runs: the tasks of the Loop, without anything that applies to the execution of the flow. */
function bodyOf(flow: Flow, { blocks, passOutputs = [] }: Task): Flow {
  return {
    ...flow,
    tasks: blocks.get("tasks") ?? [],
    errors: blocks.get("errors") ?? [],
    finally: [],
    afterExecution: [],
    outputs: passOutputs,
    concurrency: undefined,
    sla: [],
    triggers: [],
  };
}
