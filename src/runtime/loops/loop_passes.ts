/** Passes of a Loop: one execution for each value, started in batches; and the collection of their outputs. */
import type { Clock } from "../../base/time/clock.ts";
import { type JsonObject, type JsonValue, stringifyJson } from "../../base/json.ts";
import { sizeOf } from "../../base/json_size.ts";
import { isFlagSet } from "../../base/text/truthy_text.ts";
import { childId, childIds, childNumbersOf, roomFor } from "../../engine/children/children.ts";
import { createExecution } from "../../engine/create.ts";
import type { ChildNumbers, PassRules } from "../../engine/children/child_numbers.ts";
import type { Command, Event } from "../../engine/events.ts";
import { limitOf } from "../../engine/flowable/values.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { AttemptFiles, FileKeeper } from "../../model/executions/attempt_identity.ts";
import { type Execution, type TaskRun, taskRunOf } from "../../model/executions/execution.ts";
import type { Task } from "../../model/flows/flow.ts";
import { CORRELATION_LABEL, isSystemLabel } from "../../model/flows/label.ts";
import { MAX_OUTPUT_BYTES, MAX_PASSES_AT_ONCE } from "../../model/limits.ts";
import { type LoopRun, viewOf } from "../../model/executions/loop_run.ts";
import type { EndedPass } from "../../model/ports/item_executions.ts";
import type { TaskPorts } from "../../model/ports/task_ports.ts";
import { keeperOf } from "../children/item_executions.ts";
import type { ManyRestarts } from "../children/many_restarts.ts";
import { StartRoom } from "../children/start_room.ts";
import type { LiveExecution } from "../live/live_execution.ts";
import type { LoopContexts, OuterContext } from "../../rendering/loop_contexts.ts";
import { type LoopValue, LoopValueReader } from "./loop_values.ts";
import type { NewExecution } from "../live/messages.ts";
import { type ChildStart, type StartChild, triggerOf } from "../children/subflow.ts";

interface LoopPassesDeps {
  readonly clock: Clock;
  readonly ports: Pick<TaskPorts, "storage" | "itemExecutions">;
  readonly contexts: LoopContexts;
  readonly restarts: ManyRestarts;
}

type CollectOutputs = Extract<Command, { type: "collect_outputs" }>;

/** Executions that one commit creates at most. */
const STARTS_AT_ONCE = 50;
/** Characters of an output file that are written at once. */
const CHUNK_CHARS = 65_536;
const PROPERTIES = ["values", "concurrencyLimit", "transmitFailed", "fetchType"];
const DEFAULT_LIMIT = 1;

/** Starts the passes of loops and collects their outputs. */
export class LoopPasses {
  readonly #deps: LoopPassesDeps;
  readonly #values: LoopValueReader;

  constructor(deps: LoopPassesDeps) {
    this.#deps = deps;
    this.#values = new LoopValueReader(deps.ports.storage);
  }

  /** Prepares the next passes. @throws Error the attempt fails with the message */
  async start(live: LiveExecution, command: StartChild, taskRun: TaskRun): Promise<ChildStart> {
    const again = await this.#deps.restarts.start(live, taskRun);
    if (again) return again;
    const known = childNumbersOf(taskRun);
    if (known) return await this.#next(live, command, { taskRun, known });
    return await this.#begin(live, command, taskRun);
  }

  async #begin(live: LiveExecution, command: StartChild, taskRun: TaskRun): Promise<ChildStart> {
    const { task } = command;
    const properties = await live.renderer.members(PROPERTIES, { task, taskRun });
    const files: AttemptFiles = {};
    try {
      const keeper = keeperOf(live.execution, taskRun, files);
      const { values, kept } = await this.#values.begin(keeper, properties.values);
      files.isOver = true;
      const passes = rulesOf(task, properties, kept);
      const start = this.#startOf(live, command, {
        taskRun,
        values,
        numbers: {
          total: values.length,
          started: 0,
          executionId: live.execution.id,
          madeAt: this.#deps.clock.now(),
          attempt: taskRun.attempts.length,
          waits: true,
          transmitsFailed: isFlagSet(properties.transmitFailed, true),
          ended: {},
          passes,
        },
      });
      return { ...start, event: { ...start.event, files: files.pending } };
    } catch (error) {
      void files.pending?.discard();
      throw error;
    }
  }

  async #next(
    live: LiveExecution,
    command: StartChild,
    { taskRun, known }: { readonly taskRun: TaskRun; readonly known: ChildNumbers },
  ): Promise<ChildStart> {
    const keeper = keeperOf(live.execution, taskRun, { isOver: true });
    const values = await this.#values.again(keeper, known.passes?.values ?? {});
    return this.#startOf(live, command, { taskRun, values, numbers: childNumbersOf(taskRun) ?? known });
  }

  #startOf(
    live: LiveExecution,
    { task, taskRun: ordinal }: StartChild,
    { taskRun, values, numbers }: {
      readonly taskRun: TaskRun;
      readonly values: readonly LoopValue[];
      readonly numbers: ChildNumbers;
    },
  ): ChildStart & { readonly event: Extract<Event, { type: "children_started" }> } {
    const { started: from, total, madeAt, attempt, waits, transmitsFailed, passes } = numbers;
    const end = Math.min(values.length, from + Math.min(STARTS_AT_ONCE, roomFor(numbers)));
    if (end <= from && from < total && !numbers.isOver) {
      throw new Error(
        `Cannot go on with value ${from}: the values have changed and are only ${values.length}`,
      );
    }
    const body = live.plan.bodies.get(task.id);
    if (!body) throw new Error(`Cannot run "${task.id}": its tasks are unknown`);
    const now = this.#deps.clock.now();
    const loop = { taskRun: ordinal, since: madeAt };
    const outer = this.#deps.contexts.within(live.execution, loop, live.renderer.outer);
    const room = new StartRoom();
    const newExecutions: NewExecution[] = [];
    const of = { body, task, taskRun, numbers, now, outer };
    for (const [offset, value] of values.slice(from, end).entries()) {
      const made = newExecutionOf(live.execution, of, { value, index: from + offset });
      if (!room.take(made.execution)) break;
      newExecutions.push(made);
    }
    const event = {
      type: "children_started",
      taskRun: ordinal,
      from,
      count: newExecutions.length,
      total,
      madeAt,
      attempt,
      waits,
      transmitsFailed,
      passes,
    } as const;
    return { event, receipt: { newExecutions } };
  }

  /** The end of a loop all of whose passes have ended, with their outputs. @throws Error the attempt fails with the message */
  async collect(live: LiveExecution, { taskRun: ordinal, attempt, state }: CollectOutputs): Promise<Event> {
    const files: AttemptFiles = {};
    try {
      const taskRun = taskRunOf(live.execution, ordinal) as TaskRun;
      const numbers = childNumbersOf(taskRun) as ChildNumbers;
      const keeper = keeperOf(live.execution, taskRun, files);
      const gathered = this.#deps.ports.itemExecutions.passes(keeper.tenant, childIds(taskRun, numbers));
      const outputs = numbers.passes?.collects === "STORE"
        ? await this.#stored(keeper, gathered)
        : await fetched(gathered);
      files.isOver = true;
      return {
        type: "attempt_ended",
        taskRun: ordinal,
        attempt,
        outcome: { state, outputs: { ...taskRun.outputs, outputs }, files: files.pending },
      };
    } catch (error) {
      files.isOver = true;
      void files.pending?.discard();
      throw error;
    }
  }

  async #stored(keeper: FileKeeper, passes: AsyncIterable<EndedPass>): Promise<string> {
    return (await this.#deps.ports.storage.write(keeper, ".ion", linesOf(passes))).uri;
  }
}

function rulesOf(task: Task, properties: JsonObject, values: JsonObject): PassRules {
  const limit = Math.min(limitOf(properties.concurrencyLimit, DEFAULT_LIMIT), MAX_PASSES_AT_ONCE);
  const rules = { values, limit };
  const given = String(properties.fetchType ?? "AUTO");
  if (given === "NONE" || (task.passOutputs ?? []).length === 0) return rules;
  const isFile = given === "STORE" || given === "AUTO" && values.lines !== undefined;
  return { ...rules, collects: isFile ? "STORE" : "FETCH" };
}

interface PassOf {
  readonly body: FlowPlan;
  readonly task: Task;
  readonly taskRun: TaskRun;
  readonly numbers: ChildNumbers;
  readonly now: number;
  readonly outer: OuterContext;
}

/** The execution of a pass: with the inputs, variables and labels of the execution of the loop. */
function newExecutionOf(
  execution: Execution,
  { body, task, taskRun, numbers, now, outer }: PassOf,
  { value: [value, key], index }: { readonly value: LoopValue; readonly index: number },
): NewExecution {
  const loop: LoopRun = {
    taskId: task.id,
    executionId: execution.id,
    taskRun: taskRun.ordinal,
    since: numbers.madeAt,
    item: key === undefined ? { index, value } : { index, value, key },
    parents: execution.loop ? [execution.loop.item, ...execution.loop.parents] : [],
  };
  const made = createExecution(body.flow, {
    id: childId(taskRun, numbers, index),
    inputs: execution.inputs,
    variables: execution.variables,
    labels: execution.labels.filter(({ key }) => key === CORRELATION_LABEL || !isSystemLabel(key)),
    trigger: triggerOf(execution, task),
    kind: "LOOP",
    awaitedBy: { executionId: execution.id, taskRun: taskRun.ordinal },
    loop,
  }, now);
  const { fixtures } = execution;
  return { execution: fixtures === undefined ? made : { ...made, fixtures }, plan: body, outer };
}

function passOf({ item, outputs }: EndedPass): JsonObject {
  return { item: viewOf(item), outputs };
}

/** @throws Error they are too large to be stored with the execution */
async function fetched(passes: AsyncIterable<EndedPass>): Promise<JsonValue[]> {
  const list: JsonObject[] = [];
  let bytes = 0;
  for await (const pass of passes) {
    const each = passOf(pass);
    bytes += sizeOf(each, MAX_OUTPUT_BYTES);
    if (bytes > MAX_OUTPUT_BYTES) {
      throw new Error(
        `The outputs of the passes are too large: at most ${MAX_OUTPUT_BYTES} bytes can be kept; use fetchType STORE`,
      );
    }
    list.push(each);
  }
  return list;
}

async function* linesOf(passes: AsyncIterable<EndedPass>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = "";
  for await (const pass of passes) {
    text += `${stringifyJson(passOf(pass))}\n`;
    if (text.length < CHUNK_CHARS) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text !== "") yield encoder.encode(text);
}
