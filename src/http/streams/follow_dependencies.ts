/** The stream of the states of all executions with the same correlation id. */
import { isJsonObject, type JsonObject, ownProperty, stringifyJson } from "../../base/json.ts";
import { type State, TERMINAL_STATES } from "../../model/executions/state.ts";
import { FOLLOW_PAUSE_MS, type FollowTarget, Watch } from "./follow.ts";
import type { EventProducer, EventWriter } from "./sse.ts";

/** Interval of reading the other executions: they are too many to subscribe to each. */
const READ_EVERY_MS = 1_000;
/** Each read covers all of them: more executions are read less often. */
const PAUSE_MS_PER_EXECUTION = 4;
/** Within this time triggers have started the executions that follow the ended ones. */
const WAIT_FOR_MORE_MS = 10_000;

/** The result of one read. */
interface RelatedExecutions {
  /** Only executions of these flows are sent; each as `namespace/id`. */
  readonly flows: ReadonlySet<string>;
  /** As in lists, oldest first. */
  readonly executions: readonly JsonObject[];
}

/**
 * Sends `start`, `progress` for each new state of an execution, `end` for its last one, and `end-all` when all have ended.
 * `read` gives nothing when the execution was deleted, which ends the stream.
 */
export function dependencyEvents(
  target: FollowTarget,
  read: () => Promise<RelatedExecutions | undefined>,
): EventProducer {
  return async (writer, signal) => {
    using watch = new Watch(target, signal);
    const sent = new SentStates(writer);
    const { clock, id } = target;
    await writer.send({ id: "start", data: stringifyJson({ executionId: id }) });
    let sentAt = clock.monotonicMs();
    while (!signal.aborted) {
      const related = await read();
      if (!related) return;
      if (await sent.send(related)) sentAt = clock.monotonicMs();
      const isQuiet = clock.monotonicMs() - sentAt >= WAIT_FOR_MORE_MS;
      if (sent.haveAllEnded(isQuiet ? [] : related.flows)) {
        return await writer.send({ id: "end-all", data: stringifyJson({ executionId: id }) });
      }
      await watch.changed(READ_EVERY_MS);
      await watch.pause(FOLLOW_PAUSE_MS + related.executions.length * PAUSE_MS_PER_EXECUTION);
    }
  };
}

/** The states that the client has. */
class SentStates {
  readonly #writer: EventWriter;
  /** History of each execution as text. */
  readonly #states = new Map<string, string>();
  readonly #running = new Set<string>();
  readonly #flows = new Set<string>();

  constructor(writer: EventWriter) {
    this.#writer = writer;
  }

  /** Sends new states; true if there were any. */
  async send({ flows, executions }: RelatedExecutions): Promise<boolean> {
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

  /** True when something was sent, all of it has ended, and each of the flows has had an execution. */
  haveAllEnded(flows: Iterable<string>): boolean {
    if (this.#running.size > 0 || this.#states.size === 0) return false;
    for (const flow of flows) if (!this.#flows.has(flow)) return false;
    return true;
  }
}

/** Without the duration, which changes constantly while an execution runs. */
function historyOf(state: JsonObject[string]): string {
  return isJsonObject(state) ? stringifyJson(ownProperty(state, "histories") ?? null) : "";
}
