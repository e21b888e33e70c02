/** Validation before an execution is created: its inputs, and the checks of the flow. */
import type { Instant } from "../../base/time/clock.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import type { Scope } from "../../expr/mod.ts";
import {
  checkedInputs,
  checkInputs,
  decisiveChecks,
  type FailedCheck,
  failedChecks,
  type InputCheck,
  resolveInputs,
  type ResolveOptions,
} from "../../flow/mod.ts";
import { DomainError } from "../../model/errors.ts";
import { addLogLine, type Execution } from "../../model/executions/execution.ts";
import type { Flow } from "../../model/flows/flow.ts";
import { type Label, mergeLabels } from "../../model/flows/label.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import { move } from "../../model/executions/state.ts";
import { NO_HOST, type ScopeHost } from "../../rendering/scope.ts";

/** Data that templates of one flow read through functions such as `kv()`. */
interface HostReads extends ScopeHost {
  /** Runs `work`; if a value must be fetched, fetches it and runs `work` again. */
  run<T>(work: () => T): T | Promise<T>;
  /** The text without the secrets that were read. */
  mask(text: string): string;
}

interface StartChecksDeps {
  /** The value of a SECRET as stored. */
  readonly seal: (flow: Flow, text: string) => JsonValue;
  /** Renders a default, a condition or a message with `inputs`. @throws ExpressionError what cannot be rendered */
  readonly render: (flow: Flow, template: Rendering) => JsonValue;
  readonly reads: (flow: Flow) => HostReads;
}

/** A template and its context. */
interface Rendering {
  readonly template: string;
  readonly inputs: JsonObject;
  readonly host: ScopeHost;
  readonly variable?: Scope["variable"];
}

/** An execution that asks for inputs while it runs, as templates see it. */
export interface AskingExecution {
  readonly variable: Scope["variable"];
  readonly calls: HostReads;
}

/** Values that a caller gives for inputs, by id. */
type GivenValues = ReadonlyMap<string, GivenValue>;

/** Validates starts; keeps no state of executions. */
export class StartChecks {
  readonly #deps: StartChecksDeps;
  readonly #reads?: HostReads;
  readonly #variable?: Scope["variable"];

  constructor(deps: StartChecksDeps, reads?: HostReads, variable?: Scope["variable"]) {
    this.#deps = deps;
    this.#reads = reads;
    this.#variable = variable;
  }

  /**
   * Runs `work` with checks whose templates may read data; synchronously if none does, so that a Subflow can be part of the
   * slice of its parent. `work` may run several times: it must change nothing before its last template is rendered, as is
   * true of all methods here.
   */
  reading<T>(flow: Flow, work: (checks: StartChecks) => T): T | Promise<T> {
    if (flow.inputs.length === 0 && !hasChecks(flow)) return work(this);
    const reads = this.#deps.reads(flow);
    const checks = new StartChecks(this.#deps, reads);
    return reads.run(() => work(checks));
  }

  /** Runs `work` with checks whose templates see an execution, as {@link reading}. */
  asking<T>({ variable, calls }: AskingExecution, work: (checks: StartChecks) => T): T | Promise<T> {
    const checks = new StartChecks(this.#deps, calls, variable);
    return calls.run(() => work(checks));
  }

  /** The inputs of an execution, or values for other `declared` ones; `undefined` for none. @throws DomainError invalid_entity */
  inputs(flow: Flow, given: GivenValues, declared = flow.inputs): JsonObject | undefined {
    return resolveInputs({ inputs: declared }, given, this.#resolving(flow));
  }

  /** The inputs of an execution that a trigger starts: a required one without a value is null. @throws as {@link inputs} */
  triggerInputs(flow: Flow, given: GivenValues): JsonObject | undefined {
    return resolveInputs(flow, given, { ...this.#resolving(flow), isMissingNull: true });
  }

  /**
   * Evaluates the checks of the flow for a new execution; moves it to FAILED if a check says so.
   * @throws DomainError invalid_entity if a check blocks it
   */
  evaluateChecks(flow: Flow, execution: Execution, now: Instant): void {
    // Most flows have none, and each start would copy its flow for the labels.
    if (!hasChecks(flow)) return;
    const failed = this.#failed(withLabels(flow, execution.labels), execution.inputs);
    if (failed.length === 0) return;
    const decisive = decisiveChecks(failed);
    const message = decisive.map((check) => check.message).join(", ");
    switch (decisive[0]?.behavior) {
      case "BLOCK_EXECUTION":
        throw new DomainError("invalid_entity", `Invalid entity: ${message}`, {
          items: decisive.map((check) => ({ path: "checks", message: check.message })),
        });
      case "FAIL_EXECUTION":
        addLogLine(execution, { level: "ERROR", at: now, message });
        move("execution", execution.history, "FAILED", now);
    }
  }

  /**
   * Every input with its value or problem, and the checks that would fail. Nothing is created. `declared` are inputs other
   * than those of the flow, for example of a Pause task; no check concerns them.
   */
  report(flow: Flow, given: GivenValues, declared = flow.inputs): JsonObject {
    const inputs = checkInputs({ inputs: declared }, given, this.#resolving(flow));
    const isSound = declared === flow.inputs &&
      inputs.every(({ enabled, problem }) => !enabled || problem === undefined);
    // Checks require valid inputs.
    const failed = isSound ? this.#failed(flow, checkedInputs(inputs)) : [];
    return {
      id: flow.id,
      namespace: flow.namespace,
      inputs: inputs.map((check) => inputResponse(check, (text) => this.#masked(text))),
      checks: failed.map(({ message, style, behavior }) => ({ message, style, behavior })),
    };
  }

  #failed(flow: Flow, inputs: JsonObject = {}): readonly FailedCheck[] {
    if (!hasChecks(flow)) return NO_CHECKS;
    const failed = failedChecks(flow.definition, (template) => this.#rendered(flow, template, inputs));
    return failed.map((check) => ({ ...check, message: this.#masked(check.message) }));
  }

  #masked(text: string): string {
    return this.#reads?.mask(text) ?? text;
  }

  #resolving(flow: Flow): ResolveOptions {
    return {
      render: (template, inputs) => this.#rendered(flow, template, inputs),
      seal: (text) => this.#deps.seal(flow, text),
      mask: (text) => this.#masked(text),
    };
  }

  #rendered(flow: Flow, template: string, inputs: JsonObject): JsonValue {
    return this.#deps.render(flow, {
      template,
      inputs,
      host: this.#reads ?? NO_HOST,
      variable: this.#variable,
    });
  }
}

/** The flow as templates of a start see it: with the labels that its execution has. */
export function withLabels(flow: Flow, labels: readonly Label[] = []): Flow {
  return labels.length === 0 ? flow : { ...flow, labels: mergeLabels(flow.labels, labels) };
}

const NO_CHECKS: readonly FailedCheck[] = [];

function hasChecks(flow: Flow): boolean {
  return Object.hasOwn(flow.definition, "checks");
}

/** Masks values of defaults: a default may have read a secret that the caller may not know. */
function inputResponse(
  { input, properties, value, enabled, isDefault, problem }: InputCheck,
  mask: (text: string) => string,
): JsonObject {
  const response: JsonObject = { input: { ...properties, id: input.id }, enabled, isDefault };
  if (value !== undefined && value !== null) response.value = isDefault ? maskedValue(value, mask) : value;
  response.errors = problem === undefined ? [] : [{ message: problem }];
  return response;
}

/** A value whose texts are masked. */
export function maskedValue(value: JsonValue, mask: (text: string) => string): JsonValue {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, mask));
  if (!isJsonObject(value)) return value;
  const masked: JsonObject = {};
  for (const name of Object.keys(value)) {
    setOwnProperty(masked, name, maskedValue(ownProperty(value, name) ?? null, mask));
  }
  return masked;
}
