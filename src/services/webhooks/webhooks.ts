/** Starts executions by webhook calls. The key is the only protection, so no response tells which part of an address was wrong. */
import type { Clock } from "../../base/time/clock.ts";
import type { DurationForm } from "../../base/time/duration.ts";
import type { IdSource } from "../../base/id.ts";
import { type JsonObject, ownProperty } from "../../base/json.ts";
import { isFlagSet } from "../../base/text/truthy_text.ts";
import { ExpressionError } from "../../expr/mod.ts";
import {
  DomainError,
  illegalState,
  invalidEntity,
  isDatabaseFault,
  undefinedIfMissing,
} from "../../model/errors.ts";
import type { Evaluation } from "../../model/triggers/evaluations.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { TenantId, Trigger } from "../../model/flows/flow.ts";
import type { NewExecution } from "../../runtime/live/messages.ts";
import type { ExecutionFiles } from "../../store/blobs/execution_files.ts";
import type { Mutation } from "../../store/store.ts";
import type { Conditions } from "../../rendering/conditions.ts";
import type { ContentHash } from "../starts/content_hash.ts";
import type { Executions, StartOptions } from "../executions/executions.ts";
import type { CallerLimits } from "../access/caller_limits.ts";
import type { Flows } from "../flows/flows.ts";
import { measureFile, type StoreFile, storeFilesOf } from "../starts/given_files.ts";
import type { KvPairs } from "../namespaces/kv_pairs.ts";
import type { Secrets } from "../namespaces/secrets.ts";
import { RenderedKeys } from "./rendered_keys.ts";
import type { Idempotency, OnceResponse, Remember } from "../starts/idempotency.ts";
import type { TriggerIndex } from "../triggers/trigger_index.ts";
import type { TriggerRenderer } from "../../rendering/trigger_renderer.ts";
import type { EvaluationBuffer } from "../triggers/evaluation_buffer.ts";
import type { TriggerStarts } from "../triggers/trigger_starts.ts";
import { challengeOf, responseOf, type WebhookResponse } from "./webhook_response.ts";
import {
  type CalledWebhook as Called,
  type VerifyCall,
  type WebhookCaller,
  WebhookGate,
} from "./webhook_gate.ts";
import { type WebhookAddress, WebhookKeys } from "./webhook_match.ts";

export type { WebhookAddress } from "./webhook_match.ts";

/** `FETCH`: the body becomes `trigger.body`. `STORE`: it becomes a file with the URI `trigger.uri`. `NONE`: it is read and dropped. */
export type BodyUse = "FETCH" | "STORE" | "NONE";

interface WebhooksDeps {
  readonly flows: Flows;
  readonly executions: Executions;
  /** Calls that wait for the end of their execution. */
  readonly waiting: CallerLimits;
  readonly idempotency: Idempotency;
  readonly starts: TriggerStarts;
  readonly renderer: TriggerRenderer;
  readonly conditions: Conditions;
  readonly index: TriggerIndex;
  readonly buffer: EvaluationBuffer;
  readonly secrets: Secrets;
  readonly kvPairs: KvPairs;
  readonly files: ExecutionFiles;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly timeZone: string;
}

/** A call: `body`; `headers` and `parameters`, each name with a list of texts; `parts` and `formFields` of a form; `uri` of a stored body. */
export type WebhookCall = JsonObject;

interface WebhookOptions {
  readonly caller: WebhookCaller;
  /** Reads the call; files are passed to `store` as they arrive, but only after `verify`, if given, has accepted the body. */
  readonly readCall: (store: StoreFile, use: BodyUse, verify?: VerifyCall) => Promise<WebhookCall>;
  /** Link to an execution's page. */
  readonly urlOf: (execution: Execution) => string;
  /** How the response writes durations; by default in seconds. */
  readonly durations?: DurationForm;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Set for a call with an idempotency key. */
  readonly once?: OnceCall;
}

/** An idempotency key, and the parts of the call beside body and address that must be equal in a repetition. */
export interface OnceCall {
  readonly key: string;
  readonly method: string;
  /** Query parameters, sorted by name. */
  readonly query: string;
}

const INVALID_INPUT = /Invalid input for `([\w.-]{1,100})`/;

type Outcome = Omit<Evaluation, "at">;

/** A new execution and the mutations that store its files. */
type FiledExecution = NewExecution & { readonly mutations: Mutation[] };

interface OnceOptions extends WebhookOptions {
  readonly once: OnceCall;
  readonly tenant: TenantId;
  readonly address: WebhookAddress;
}

/** The use cases of webhooks. */
export class Webhooks {
  readonly #deps: WebhooksDeps;
  readonly #keys: WebhookKeys;
  readonly #gate: WebhookGate;

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
    this.#keys = new WebhookKeys(new RenderedKeys(deps), deps.index);
    this.#gate = new WebhookGate(deps);
  }

  /** Drops what is kept of a removed tenant. */
  forget(tenant: TenantId): void {
    this.#gate.forget(tenant);
  }

  /**
   * Starts an execution of the flow whose webhook has that key; `undefined` when its conditions are false or have an error.
   * @throws DomainError not_found for an unknown namespace, flow, key or path alike, too_many_requests after many of them;
   * too_many_requests beyond the rate limit of the trigger; too_many_requests or unavailable while too many calls wait;
   * forbidden for a wrong signature; conflict for a disabled flow; invalid_entity for inputs or labels that mean nothing, and
   * for conditions that need what the server does not have
   */
  async call(
    tenant: TenantId,
    address: WebhookAddress,
    options: WebhookOptions,
  ): Promise<(WebhookResponse & { readonly isReplayed?: boolean }) | undefined> {
    const plan = await undefinedIfMissing(() => this.#deps.flows.plan(tenant, address));
    const match = await this.#keys.match(plan, address);
    if (plan && match && !match.isOn) {
      this.#addEvaluation({ plan, trigger: match.trigger }, { outcome: "SKIPPED", reason: "It is disabled" });
    }
    if (!plan || !match?.isOn) throw this.#gate.unknown(options.caller);
    const called = { plan, trigger: match.trigger };
    const excess = this.#gate.excess(called);
    if (excess) {
      this.#addEvaluation(called, { outcome: "SKIPPED", reason: "More calls than its `rateLimit` takes" });
      throw excess;
    }
    using _place = isAwaited(called) ? this.#placeOf(called) : undefined;
    const verify = await this.#gate.verifierOf(called);
    const readCall: WebhookOptions["readCall"] = (store, use) => options.readCall(store, use, verify);
    const { once } = options;
    return once
      ? await this.#startOnce(called, { ...options, readCall, once, address, tenant })
      : await this.#start(called, { ...options, readCall });
  }

  /** Of a call that waits for the end of its execution. @throws DomainError too_many_requests, unavailable */
  #placeOf(called: Called): Disposable {
    try {
      return this.#deps.waiting.take({ tenant: called.plan.flow.tenant });
    } catch (error) {
      this.#addEvaluation(called, { outcome: "SKIPPED", reason: (error as Error).message });
      throw error;
    }
  }

  async #startOnce(called: Called, options: OnceOptions): Promise<OnceResponse | undefined> {
    const { once, address, tenant, readCall, signal } = options;
    const { namespace, id, key, path } = address;
    const caller = ["webhook", namespace, id, key];
    // Stored records have no slash before the path.
    const request = [once.method, namespace, id, path.slice(1), once.query];
    const { remembered, isReplayed } = await this.#deps.idempotency.once(
      { tenant, caller, key: once.key, request },
      {
        first: (content, remember) => this.#first(called, options, { content, remember }),
        again: async (content) => {
          content.addBody(contentOf(await readCall(content.hashing(measureFile), bodyUseOf(called.trigger))));
        },
      },
    );
    if (!remembered) return undefined;
    if (remembered.response) return { ...remembered.response, isReplayed };
    const actor = { tenant, user: "" };
    const execution = await this.#deps.executions.header(actor, remembered.executionId);
    const body = await this.#deps.executions.ended(actor, execution.id, { ...options, wait: signal });
    return { ...await this.#response(called, execution, body), isReplayed };
  }

  async #first(
    called: Called,
    options: OnceOptions,
    { content, remember }: { readonly content: ContentHash; readonly remember: Remember },
  ): Promise<void> {
    const readCall: WebhookOptions["readCall"] = async (store, use) => {
      const call = await options.readCall(content.hashing(store), use);
      content.addBody(contentOf(call));
      return call;
    };
    await this.#start(called, { ...options, readCall }, async (execution, body) => {
      const response = isAwaited(called) ? undefined : await this.#response(called, execution, body);
      return await remember({ executionId: execution.id, flowRevision: execution.flowRevision, response });
    });
  }

  async #start(
    called: Called,
    options: WebhookOptions,
    remember?: StartOptions["remember"],
  ): Promise<WebhookResponse | undefined> {
    let challenge: WebhookResponse | undefined;
    const readCall: WebhookOptions["readCall"] = async (store, use) => {
      const call = await options.readCall(store, use);
      challenge = challengeOf(called.trigger, call);
      return call;
    };
    const created = await this.#create(called, { ...options, readCall });
    if (!created) return challenge;
    const { urlOf, durations } = options;
    const wait = isAwaited(called) && !remember ? options.signal : undefined;
    let isBegun = false;
    const begun = () => {
      isBegun = true;
      this.#addEvaluation(called, { outcome: "STARTED", executionId: created.execution.id });
    };
    const starting = this.#deps.executions.begin(created, { urlOf, durations, wait, remember, begun });
    const body = await starting.catch((error: Error) => {
      if (!isBegun) this.#addEvaluation(called, { outcome: "SKIPPED", reason: refusedStart(error) });
      throw error;
    });
    // `remember` has stored the response, or waits for the end itself.
    return remember ? undefined : await this.#response(called, created.execution, body);
  }

  /** Creates the execution of a call, or adds an evaluation that says why not; `undefined` if a condition is false. */
  async #create(called: Called, options: WebhookOptions): Promise<FiledExecution | undefined> {
    const { plan, trigger } = called;
    const add = (outcome: Outcome) => this.#addEvaluation(called, outcome);
    if (plan.flow.disabled) {
      add({ outcome: "SKIPPED", reason: "Its flow is disabled" });
      throw illegalState("Cannot execute a disabled flow");
    }
    const id = this.#deps.ids.next(this.#deps.clock.now());
    const mutations: Mutation[] = [];
    const evaluated = <T>(what: string, work: Promise<T>) =>
      work.catch((error: Error) => {
        add({ outcome: "SKIPPED", reason: refusedCall(what, error) });
        throw error;
      });
    const place = { flow: plan.flow, executionId: id, folder: "webhook", mutations };
    const store = storeFilesOf(this.#deps.files, place);
    const variables = await evaluated("body", options.readCall(store, bodyUseOf(trigger)));
    if (challengeOf(trigger, variables)) {
      return void add({ outcome: "SKIPPED", reason: "Slack has asked whether the address is right" });
    }
    const unmet = this.#refusal(called, variables).catch(refusalOf);
    const refusal = await evaluated("conditions", entity(unmet));
    if (refusal !== undefined) return void add({ outcome: "SKIPPED", reason: refusal });
    const creating = entity(this.#deps.starts.create({ plan, trigger, id, variables }));
    const execution = await evaluated("inputs or labels", creating);
    return { execution, plan, mutations };
  }

  #addEvaluation({ plan: { flow }, trigger }: Called, outcome: Outcome): void {
    const { tenant, namespace, id: flowId } = flow;
    const at = this.#deps.clock.now();
    this.#deps.buffer.add(tenant, { namespace, flowId, triggerId: trigger.id }, { at, ...outcome });
  }

  async #response(called: Called, execution: Execution, body: string): Promise<WebhookResponse> {
    const variables = execution.trigger?.variables ?? {};
    const text = (template: string, results: JsonObject) =>
      this.#deps.renderer.text(called.plan.flow, template, { trigger: variables, ...results });
    return await entity(responseOf(called.trigger, { body, isAwaited: isAwaited(called), text }));
  }

  #refusal({ plan: { flow }, trigger }: Called, variables: JsonObject): Promise<string | undefined> {
    const facts = { flow, date: this.#deps.clock.now(), timeZone: this.#deps.timeZone };
    return this.#deps.conditions.refusal(trigger, { ...facts, variables: { trigger: variables } });
  }
}

/** How a webhook uses bodies. Files of a form are stored in any case. */
function bodyUseOf({ properties }: Trigger): BodyUse {
  const given = String(ownProperty(properties, "fetchType") ?? "FETCH");
  return given === "STORE" || given === "NONE" ? given : "FETCH";
}

/** Why conditions with that error start nothing, without anything that the caller sent. @throws Error the server is the reason: a later call may start */
function refusalOf(error: Error): string {
  const code = error instanceof ExpressionError ? error.code : undefined;
  if (error instanceof DomainError || code === "host" || code === "limit") throw error;
  return `Its conditions ${
    code === "undefined" ? "name what the call does not have" : "cannot be evaluated"
  }`;
}

/** Why a call was refused, for the evaluations of the trigger: nothing that the caller sent, and no secret. */
function refusedCall(what: string, error: Error): string {
  const input = INVALID_INPUT.exec(error.message)?.[1];
  if (input !== undefined) return `Its input "${input}" is invalid; the caller was told why`;
  const code = error instanceof DomainError ? error.code : undefined;
  if (code === "too_large") return "The body is too large";
  if (code === "forbidden") return "It is not signed as it must be";
  return isReported(error)
    ? `Its ${what} cannot be read; the caller was told why`
    : `Its ${what} cannot be read`;
}

/** Why the execution of a call does not exist. */
function refusedStart(error: Error): string {
  return isReported(error)
    ? "Its execution was refused; the caller was told why"
    : "Its execution cannot be stored";
}

/** True for a reason that lies in the call or its flow, and is in the response. */
function isReported(error: Error): boolean {
  return error instanceof DomainError && !isDatabaseFault(error);
}

function isAwaited({ trigger }: Called): boolean {
  return isFlagSet(ownProperty(trigger.properties, "wait"));
}

/** The content that must be equal in two calls with one idempotency key: not the headers, nor the URIs of stored files. */
function contentOf({ body = null, formFields = null, parts }: WebhookCall): JsonObject {
  const files = Array.isArray(parts) ? parts : [];
  const known = files.map((part) => {
    const { filename: _sameAsFileName, ...others } = part as JsonObject;
    return { ...others, uri: null };
  });
  return { body, formFields, parts: known };
}

/** Turns errors of rendering into refusals. @throws DomainError invalid_entity */
async function entity<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw invalidEntity((error as Error).message, { cause: error });
  }
}
