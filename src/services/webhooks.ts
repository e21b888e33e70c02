/** Executions started by a webhook call. The key is the only protection, so nothing tells which part of an address was wrong. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/id.ts";
import { type JsonObject, ownProperty } from "../base/json.ts";
import type { FlowPlan } from "../engine/plan.ts";
import { DomainError } from "../model/errors.ts";
import type { Execution } from "../model/execution.ts";
import type { FlowKey, TenantId, Trigger } from "../model/flow.ts";
import type { ExecutionFiles } from "../store/execution_files.ts";
import type { Mutation } from "../store/store.ts";
import type { Conditions } from "./conditions.ts";
import type { ContentHash } from "./content_hash.ts";
import type { Executions, StartOptions } from "./executions.ts";
import type { Flows } from "./flows.ts";
import { measureFile, type StoreFile, storeFilesOf } from "./given_files.ts";
import type { Idempotency, OnceAnswer, Remember } from "./idempotency.ts";
import type { TriggerIndex } from "./trigger_index.ts";
import type { TriggerRenderer, TriggerStarts } from "./trigger_starts.ts";
import { answerOf, type WebhookAnswer } from "./webhook_answer.ts";

/** The type of webhook triggers. */
export const WEBHOOK_TRIGGER = "core.trigger.Webhook";

/** What the webhooks service works with. */
export interface WebhooksDeps {
  readonly flows: Flows;
  readonly executions: Executions;
  readonly idempotency: Idempotency;
  readonly starts: TriggerStarts;
  readonly renderer: TriggerRenderer;
  readonly conditions: Conditions;
  readonly index: TriggerIndex;
  readonly files: ExecutionFiles;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly timeZone: string;
}

/** Where a call goes. */
export interface WebhookAddress extends FlowKey {
  readonly key: string;
  /** What follows the key; empty when nothing does. */
  readonly path: string;
}

/** A call as it came in: `body`, `headers` and `parameters`, the latter two with lists of texts; of a form `parts` and `formFields`. */
export type WebhookCall = JsonObject;

/** How a call is read and answered. */
export interface WebhookOptions {
  /** Reads the call; files go through `store` as they arrive. */
  readonly readCall: (store: StoreFile) => Promise<WebhookCall>;
  /** Link to an execution's page. */
  readonly urlOf: (execution: Execution) => string;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** Under which key the call starts something once. */
  readonly once?: OnceCall;
}

/** A key of a caller, and what its call asks for beside its body and address. */
export interface OnceCall {
  readonly key: string;
  readonly method: string;
  /** Its parameters in order of their names. */
  readonly query: string;
}

/** The trigger that a call has found. */
interface Called {
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
}

interface OnceOptions extends WebhookOptions {
  readonly once: OnceCall;
  readonly tenant: TenantId;
  readonly address: WebhookAddress;
}

const DUMMY_KEY = "no such key";

/** The use cases of webhooks. */
export class Webhooks {
  readonly #deps: WebhooksDeps;

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
  }

  /**
   * Starts an execution of the flow whose webhook has that key; `undefined` when its conditions are false.
   * @throws DomainError not_found for an unknown namespace, flow, key or path alike; conflict for a disabled flow;
   * invalid_entity for inputs, labels or conditions that mean nothing
   */
  async call(
    tenant: TenantId,
    address: WebhookAddress,
    options: WebhookOptions,
  ): Promise<(WebhookAnswer & { readonly isReplayed?: boolean }) | undefined> {
    const plan = await this.#planOf(tenant, address);
    const trigger = await this.#match(plan, address);
    if (!plan || !trigger) throw new DomainError("not_found", "Not Found: Webhook not found");
    const called = { plan, trigger };
    const { once } = options;
    return once
      ? await this.#startOnce(called, { ...options, once, address, tenant })
      : await this.#start(called, options);
  }

  async #startOnce(called: Called, options: OnceOptions): Promise<OnceAnswer | undefined> {
    const { once, address, tenant, readCall, signal } = options;
    const { namespace, id, key, path } = address;
    const caller = ["webhook", namespace, id, key];
    const request = [once.method, namespace, id, path, once.query];
    const { remembered, isReplayed } = await this.#deps.idempotency.once(
      { tenant, caller, key: once.key, request },
      {
        first: (content, remember) => this.#first(called, options, { content, remember }),
        again: async (content) => content.addBody(contentOf(await readCall(content.hashing(measureFile)))),
      },
    );
    if (!remembered) return undefined;
    if (remembered.answer) return { ...remembered.answer, isReplayed };
    const actor = { tenant, user: "" };
    const { execution } = await this.#deps.executions.look(actor, remembered.executionId);
    const body = await this.#deps.executions.ended(actor, execution.id, { ...options, wait: signal });
    return { ...await this.#answer(called, execution, body), isReplayed };
  }

  async #first(
    called: Called,
    options: OnceOptions,
    { content, remember }: { readonly content: ContentHash; readonly remember: Remember },
  ): Promise<void> {
    const readCall: WebhookOptions["readCall"] = async (store) => {
      const call = await options.readCall(content.hashing(store));
      content.addBody(contentOf(call));
      return call;
    };
    await this.#start(called, { ...options, readCall }, async (execution, body) => {
      const answer = isAwaited(called) ? undefined : await this.#answer(called, execution, body);
      return await remember({ executionId: execution.id, flowRevision: execution.flowRevision, answer });
    });
  }

  async #start(
    called: Called,
    options: WebhookOptions,
    remember?: StartOptions["remember"],
  ): Promise<WebhookAnswer | undefined> {
    const { plan } = called;
    if (plan.flow.disabled) {
      throw new DomainError("conflict", "Illegal state: Cannot execute a disabled flow");
    }
    const id = this.#deps.ids.next(this.#deps.clock.now());
    const mutations: Mutation[] = [];
    const owner = { flow: plan.flow, executionId: id, folder: "parts", mutations };
    const variables = await options.readCall(storeFilesOf(this.#deps.files, owner));
    if (await entity(this.#refusal(called, variables)) !== undefined) return undefined;
    const execution = await entity(this.#deps.starts.make({ ...called, id, variables }));
    const wait = isAwaited(called) && !remember ? options.signal : undefined;
    const made = { execution, plan, mutations };
    const body = await this.#deps.executions.begin(made, { urlOf: options.urlOf, wait, remember });
    // Who remembers has the answer already, or waits for the end itself.
    return remember ? undefined : await this.#answer(called, execution, body);
  }

  async #answer(called: Called, execution: Execution, body: string): Promise<WebhookAnswer> {
    const variables = execution.trigger?.variables ?? {};
    const text = (template: string, results: JsonObject) =>
      this.#deps.renderer.text(called.plan.flow, template, { trigger: variables, ...results });
    return await answerOf(called.trigger, { body, isAwaited: isAwaited(called), text });
  }

  #refusal({ plan: { flow }, trigger }: Called, variables: JsonObject): Promise<string | undefined> {
    const facts = { flow, date: this.#deps.clock.now(), timeZone: this.#deps.timeZone };
    return this.#deps.conditions.refusal(trigger, { ...facts, variables: { trigger: variables } });
  }

  async #planOf(tenant: TenantId, { namespace, id }: FlowKey): Promise<FlowPlan | undefined> {
    try {
      return await this.#deps.flows.plan(tenant, { namespace, id });
    } catch (error) {
      if (error instanceof DomainError && error.code === "not_found") return undefined;
      throw error;
    }
  }

  /** The first enabled webhook trigger with that key. Every key is compared, and a dummy when there is none, so that timing tells nothing. */
  async #match(plan: FlowPlan | undefined, { key, path }: WebhookAddress): Promise<Trigger | undefined> {
    const triggers = plan?.flow.triggers.filter((trigger) => this.#isOn(plan, trigger)) ?? [];
    let found: Trigger | undefined;
    for (const trigger of triggers) {
      const expected = await this.#keyOf(plan as FlowPlan, trigger);
      const isEqual = equalKeys(expected ?? DUMMY_KEY, key) && expected !== undefined;
      if (isEqual && !found && pathOf(trigger) === bare(path)) found = trigger;
    }
    if (triggers.length === 0) equalKeys(DUMMY_KEY, key);
    return found;
  }

  #isOn({ flow: { tenant, namespace, id } }: FlowPlan, trigger: Trigger): boolean {
    if (trigger.kind !== WEBHOOK_TRIGGER || trigger.disabled) return false;
    return !this.#deps.index.isDisabled(tenant, { namespace, flowId: id, triggerId: trigger.id });
  }

  /** The rendered key; a key that cannot be rendered matches nothing. */
  async #keyOf({ flow }: FlowPlan, trigger: Trigger): Promise<string | undefined> {
    const template = String(trigger.properties.key ?? "");
    if (!template.includes("{")) return template.trim();
    const rendered = await this.#deps.renderer.text(flow, template, {}).catch(() => undefined);
    const key = rendered?.trim();
    return key === "" ? undefined : key;
  }
}

function isAwaited({ trigger }: Called): boolean {
  return String(ownProperty(trigger.properties, "wait") ?? false).toLowerCase() === "true";
}

/** What two calls of one key must have in common: neither their headers nor where their files are kept. */
function contentOf({ body = null, formFields = null, parts }: WebhookCall): JsonObject {
  const files = Array.isArray(parts) ? parts : [];
  return { body, formFields, parts: files.map((part) => ({ ...part as JsonObject, uri: null })) };
}

function pathOf({ properties }: Trigger): string {
  return bare(String(ownProperty(properties, "path") ?? ""));
}

/** Without slashes around it. */
function bare(path: string): string {
  return path.replace(/^\/+|\/+$/g, "");
}

/** What cannot be rendered is the caller's to know. @throws DomainError invalid_entity */
async function entity<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError("invalid_entity", `Invalid entity: ${(error as Error).message}`, { cause: error });
  }
}

/** Compares digests: neither the length nor the place of the first difference shows in the time it takes. */
function equalKeys(expected: string, given: string): boolean {
  return timingSafeEqual(digest(expected), digest(given));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
