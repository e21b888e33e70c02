/** How much a tenant uses: its flows, the types of their tasks and triggers, its namespaces, its executions of two days. */
import type { Clock } from "../../base/time/clock.ts";
import { isJsonObject, type JsonObject, ownProperty, setOwnProperty } from "../../base/json.ts";
import { DAY_MS } from "../../base/time/time_parts.ts";
import type { Actor } from "../../model/access/actor.ts";
import { matchesName } from "../../model/executions/execution_query.ts";
import type { Flow, Task } from "../../model/flows/flow.ts";
import type { PacedQueue } from "../access/paced_queue.ts";
import type { Flows } from "../flows/flows.ts";
import type { Namespaces } from "../namespaces/namespaces.ts";
import type { Triggers } from "../triggers/triggers.ts";
import type { ExecutionStatistics } from "./execution_statistics.ts";

interface UsagesDeps {
  readonly flows: Flows;
  readonly namespaces: Namespaces;
  readonly triggers: Triggers;
  readonly statistics: ExecutionStatistics;
  readonly queue: PacedQueue;
  readonly clock: Clock;
}

/** Days whose executions are counted. */
const DAYS = 2;

/** The use cases of usage. */
export class Usages {
  readonly #deps: UsagesDeps;

  constructor(deps: UsagesDeps) {
    this.#deps = deps;
  }

  /** Everything, as front ends show it. @throws DomainError as {@link PacedQueue.run} */
  async all(actor: Actor, signal?: AbortSignal): Promise<JsonObject> {
    const { clock, namespaces, triggers } = this.#deps;
    const start = clock.now() - DAYS * DAY_MS;
    const query = { conditions: { conditions: [], groups: [] }, start };
    return {
      flows: await this.#flows(actor, signal),
      namespaces: { count: (await namespaces.list(actor)).length },
      triggers: { count: (await triggers.select(actor, () => true)).length },
      executions: { dailyExecutionsCount: await this.#deps.statistics.daily(actor, query, "day") },
    };
  }

  /** The number of flows and triggers; with a namespace of those in it and below it. */
  async summary(actor: Actor, namespace?: string): Promise<JsonObject> {
    const isIn = (name: string) => namespace === undefined || matchesName("PREFIX", [namespace], name);
    const { flows, triggers } = this.#deps;
    const states = await triggers.select(actor, (state) => isIn(state.namespace));
    return { flows: flows.select(actor, (head) => isIn(head.namespace)).length, triggers: states.length };
  }

  #flows(actor: Actor, signal: AbortSignal | undefined): Promise<JsonObject> {
    const { flows, queue } = this.#deps;
    const heads = flows.select(actor, () => true);
    const tasks = new Map<string, number>();
    const triggers = new Map<string, number>();
    const runners = new Map<string, number>();
    return queue.run(actor, async (pace) => {
      for await (const piece of flows.pieces(actor, heads)) {
        for (const flow of piece) {
          for (const task of tasksOf(flow)) {
            count(tasks, task.type);
            count(runners, runnerOf(task));
          }
          for (const { type } of flow.triggers) count(triggers, type);
        }
        if (pace.isDue) await pace.pause();
      }
      return {
        count: heads.length,
        namespacesCount: new Set(heads.map(({ namespace }) => namespace)).size,
        taskTypeCount: countsOf(tasks),
        triggerTypeCount: countsOf(triggers),
        taskRunnerTypeCount: countsOf(runners),
      };
    }, signal);
  }
}

function* tasksOf({ tasks, errors, finally: last, afterExecution }: Flow): Generator<Task> {
  for (const block of [tasks, errors, last, afterExecution]) yield* nested(block);
}

function* nested(tasks: readonly Task[]): Generator<Task> {
  for (const task of tasks) {
    yield task;
    for (const block of task.blocks.values()) yield* nested(block);
  }
}

/** The type of the runner that a task names. */
function runnerOf({ properties }: Task): string | undefined {
  const runner = ownProperty(properties, "taskRunner");
  const type = isJsonObject(runner) ? ownProperty(runner, "type") : undefined;
  return typeof type === "string" ? type : undefined;
}

function count(counted: Map<string, number>, name: string | undefined): void {
  if (name !== undefined) counted.set(name, (counted.get(name) ?? 0) + 1);
}

function countsOf(counted: ReadonlyMap<string, number>): JsonObject {
  const body: JsonObject = {};
  for (const name of [...counted.keys()].sort()) setOwnProperty(body, name, counted.get(name) ?? 0);
  return body;
}
