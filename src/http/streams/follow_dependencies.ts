/** Following of an execution with all that belong to the same piece of work: those that it has started, and those that started it. */
import { isJsonObject, type JsonObject, ownProperty, stringifyJson } from "../../base/json.ts";
import { type State, TERMINAL_STATES } from "../../model/executions/state.ts";
import { FOLLOW_PAUSE_MS, type FollowTarget, Watch } from "./follow.ts";
import type { EventProducer, EventWriter } from "./sse.ts";

/** Changes of the others are looked for that often: they are too many to listen to each. */
const LOOK_EVERY_MS = 1_000;
/** Each look reads all of them: the more there are, the rarer the looks. */
const PAUSE_MS_PER_EXECUTION = 4;
/** What a trigger starts when the others have ended is there by then. */
const WAIT_FOR_MORE_MS = 10_000;

/** What is seen at one look. */
interface RelatedExecutions {
  /** Of those flows alone are executions told; each as `namespace/id`. */
  readonly flows: ReadonlySet<string>;
  /** As lists show them, oldest first. */
  readonly executions: readonly JsonObject[];
}

/** Sends `start`, `progress` for each new state of an execution, `end` for its last one, and `end-all` when all have ended. */
export function dependencyEvents(
  target: FollowTarget,
  read: () => Promise<RelatedExecutions>,
): EventProducer {
  return async (writer, signal) => {
    using watch = new Watch(target, signal);
    const told = new Told(writer);
    const { clock, id } = target;
    await writer.send({ id: "start", data: stringifyJson({ executionId: id }) });
    let toldAt = clock.monotonicMs();
    while (!signal.aborted) {
      const related = await read();
      if (await told.tell(related)) toldAt = clock.monotonicMs();
      const isQuiet = clock.monotonicMs() - toldAt >= WAIT_FOR_MORE_MS;
      if (told.haveAllEnded(isQuiet ? [] : related.flows)) {
        return await writer.send({ id: "end-all", data: stringifyJson({ executionId: id }) });
      }
      await watch.changed(LOOK_EVERY_MS);
      await watch.pause(FOLLOW_PAUSE_MS + related.executions.length * PAUSE_MS_PER_EXECUTION);
    }
  };
}

/** What a client knows already. */
class Told {
  readonly #writer: EventWriter;
  /** Text of the state of each execution. */
  readonly #states = new Map<string, string>();
  readonly #running = new Set<string>();
  readonly #flows = new Set<string>();

  constructor(writer: EventWriter) {
    this.#writer = writer;
  }

  /** Sends what is new; true when something was. */
  async tell({ flows, executions }: RelatedExecutions): Promise<boolean> {
    let isNew = false;
    for (const { id, namespace, flowId, state = null } of executions) {
      const [executionId, flow] = [String(id), `${namespace}/${flowId}`];
      const text = historyOf(state);
      if (!flows.has(flow) || this.#states.get(executionId) === text) continue;
      isNew = true;
      const hasEnded = isJsonObject(state) && TERMINAL_STATES.has(ownProperty(state, "current") as State);
      this.#states.set(executionId, text);
      this.#flows.add(flow);
      if (hasEnded) this.#running.delete(executionId);
      else this.#running.add(executionId);
      const data = stringifyJson({ executionId, namespace, flowId, state });
      await this.#writer.send({ id: hasEnded ? "end" : "progress", data });
    }
    return isNew;
  }

  /** Whether something was told, all of it has ended, and each of the flows has had an execution. */
  haveAllEnded(flows: Iterable<string>): boolean {
    if (this.#running.size > 0 || this.#states.size === 0) return false;
    for (const flow of flows) if (!this.#flows.has(flow)) return false;
    return true;
  }
}

/** Durations of what runs change all the time. */
function historyOf(state: JsonObject[string]): string {
  return isJsonObject(state) ? stringifyJson(ownProperty(state, "histories") ?? null) : "";
}
