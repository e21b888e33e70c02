/** Starts through the API that happen once for each key of a caller. */
import type { Actor } from "../model/actor.ts";
import type { FlowKey } from "../model/flow.ts";
import type { Executions, ReadInputs, StartOptions } from "./executions.ts";
import type { Flows } from "./flows.ts";
import { measureFile } from "./given_files.ts";
import type { Idempotency, OnceAnswer } from "./idempotency.ts";

/** What the service works with. */
export interface IdempotentStartsDeps {
  readonly idempotency: Idempotency;
  readonly executions: Executions;
  readonly flows: Flows;
}

/** A start, and the key under which it happens once. */
export interface IdempotentStart {
  readonly key: string;
  /** The query, its parameters in order of their names. */
  readonly query: string;
  readonly flow: FlowKey;
  readonly readInputs: ReadInputs;
  readonly options: StartOptions;
}

const JSON_TYPE = "application/json";

/** Starts executions once. */
export class IdempotentStarts {
  readonly #deps: IdempotentStartsDeps;

  constructor(deps: IdempotentStartsDeps) {
    this.#deps = deps;
  }

  /**
   * Starts an execution, or gives the answer to the start that was sent under the key before. A caller that waits for the
   * end does so each time.
   * @throws DomainError invalid_argument: the key was used for something else; and what {@link Executions.start} throws
   */
  async start(actor: Actor, start: IdempotentStart): Promise<OnceAnswer> {
    const { key, query, flow, readInputs, options } = start;
    const { wait, urlOf } = options;
    const request = ["POST", flow.namespace, flow.id, query];
    const once = { tenant: actor.tenant, caller: ["user", actor.user], key, request };
    const { remembered, isReplayed } = await this.#deps.idempotency.once(once, {
      first: async (content, remember) => {
        const read: ReadInputs = async (store, inputs) => {
          const given = await readInputs(content.hashing(store), inputs);
          content.addGiven(given);
          return given;
        };
        await this.#deps.executions.start(actor, flow, read, {
          ...options,
          wait: undefined,
          remember: ({ id: executionId, flowRevision }, body) =>
            remember({ executionId, flowRevision, answer: wait ? undefined : jsonAnswer(body) }),
        });
      },
      again: async (content, { flowRevision }) => {
        const { inputs } = await this.#flowOf(actor, flow, flowRevision);
        content.addGiven(await readInputs(content.hashing(measureFile), inputs));
      },
    });
    if (remembered?.answer) return { ...remembered.answer, isReplayed };
    const signal = wait ?? AbortSignal.abort(); // One that was waited for is asked for again by the same query.
    const body = await this.#deps.executions.ended(actor, remembered?.executionId ?? "", {
      urlOf,
      wait: signal,
    });
    return { ...jsonAnswer(body), isReplayed };
  }

  /** As it was the first time: it may have been changed, disabled or deleted since. */
  #flowOf(actor: Actor, flow: FlowKey, revision: number) {
    return this.#deps.flows.get(actor, flow, { revision, allowDeleted: true });
  }
}

function jsonAnswer(body: string) {
  return { status: 200, contentType: JSON_TYPE, body };
}
