/** Starts through the API with an `Idempotency-Key`. */
import type { Actor } from "../../model/access/actor.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import type { StartResponse } from "../../store/records/idempotency_records.ts";
import type { ContentHash } from "../starts/content_hash.ts";
import type { Executions, StartOptions } from "./executions.ts";
import type { Flows } from "../flows/flows.ts";
import { measureFile, type ReadForm } from "../starts/given_files.ts";
import type { Idempotency, OnceResponse, Remember } from "../starts/idempotency.ts";

interface IdempotentStartsDeps {
  readonly idempotency: Idempotency;
  readonly executions: Executions;
  readonly flows: Flows;
}

/** A start and its key. */
interface IdempotentStart {
  readonly key: string;
  /** The query, parameters sorted by name. */
  readonly query: string;
  readonly flow: FlowKey;
  readonly readForm: ReadForm;
  readonly options: StartOptions;
}

const JSON_TYPE = "application/json";

/** Starts executions once per key. */
export class IdempotentStarts {
  readonly #deps: IdempotentStartsDeps;

  constructor(deps: IdempotentStartsDeps) {
    this.#deps = deps;
  }

  /**
   * Starts an execution, or returns the response to the earlier start with the same key. A caller that waits for the end
   * waits each time.
   * @throws DomainError invalid_argument: the key was used for another request; and what {@link Executions.start} throws
   */
  async start(actor: Actor, start: IdempotentStart): Promise<OnceResponse> {
    const { key, query, flow, options: { wait, urlOf, durations } } = start;
    const request = ["POST", flow.namespace, flow.id, query];
    const once = { tenant: actor.tenant, caller: ["user", actor.user], key, request };
    const { remembered: { executionId = "", response } = {}, isReplayed } = await this.#deps.idempotency.once(
      once,
      {
        first: (content, remember) => this.#first(actor, start, { content, remember }),
        again: (content, { flowRevision }) => this.#again(actor, start, { content, flowRevision }),
      },
    );
    if (response) return { ...response, isReplayed };
    // The response of a waiting start is not stored. Both requests have the same query: this one waits too.
    const signal = wait ?? AbortSignal.abort();
    const body = await this.#deps.executions.ended(actor, executionId, { urlOf, durations, wait: signal });
    return { ...jsonResponse(body), isReplayed };
  }

  async #first(
    actor: Actor,
    { flow, readForm, options }: IdempotentStart,
    { content, remember }: { readonly content: ContentHash; readonly remember: Remember },
  ): Promise<void> {
    const read: ReadForm = async (inputs, store) => {
      const given = await readForm(inputs, content.hashing(store));
      content.addGiven(given);
      return given;
    };
    await this.#deps.executions.start(actor, flow, read, {
      ...options,
      wait: undefined,
      remember: ({ id: executionId, flowRevision }, body) =>
        remember({ executionId, flowRevision, response: options.wait ? undefined : jsonResponse(body) }),
    });
  }

  /** Uses the flow revision of the first start: the flow may have been changed, disabled or deleted since. */
  async #again(
    actor: Actor,
    { flow, readForm }: IdempotentStart,
    { content, flowRevision: revision }: { readonly content: ContentHash; readonly flowRevision: number },
  ): Promise<void> {
    const { inputs } = await this.#deps.flows.get(actor, flow, { revision, allowDeleted: true });
    content.addGiven(await readForm(inputs, content.hashing(measureFile)));
  }
}

function jsonResponse(body: string): StartResponse {
  return { status: 200, contentType: JSON_TYPE, body };
}
