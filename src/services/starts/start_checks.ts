/** What is looked at before an execution is created: whether its inputs are right, and whether the flow's checks hold. */
import type { Instant } from "../../base/clock.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import type { HostFunction } from "../../expr/mod.ts";
import {
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
import type { GivenValue } from "../../model/flows/input_value.ts";
import { move } from "../../model/executions/state.ts";

/** Functions of expressions, by name. */
type HostFunctions = ReadonlyMap<string, HostFunction>;

/** Values from outside that templates of one flow read by functions such as `kv()`. */
interface HostReads {
  readonly functions: HostFunctions;
  /** Does `work`; where a value is not there yet it is fetched, and `work` begins again. */
  run<T>(work: () => T): T | Promise<T>;
  /** The text without the secrets that were read. */
  mask(text: string): string;
}

/** What the checks work with. */
interface StartChecksDeps {
  /** The value of a SECRET as it is kept. */
  readonly seal: (flow: Flow, text: string) => JsonValue;
  /** Renders a default, a condition or a message with `inputs`. @throws ExpressionError what cannot be rendered */
  readonly render: (flow: Flow, template: Rendering) => JsonValue;
  /** Where templates of that flow read from. */
  readonly reads: (flow: Flow) => HostReads;
}

/** A template, and what it sees. */
interface Rendering {
  readonly template: string;
  readonly inputs: JsonObject;
  readonly functions: HostFunctions;
}

/** Values that a caller gives for inputs, by id. */
type GivenValues = ReadonlyMap<string, GivenValue>;

/** The checks before a start. Holds nothing of an execution. */
export class StartChecks {
  readonly #deps: StartChecksDeps;
  readonly #reads?: HostReads;

  constructor(deps: StartChecksDeps, reads?: HostReads) {
    this.#deps = deps;
    this.#reads = reads;
  }

  /**
   * Does `work` with checks whose templates may call functions that read data, at once where none does. It may be done
   * several times: it must change nothing before its last template is rendered, which is true of all methods here.
   */
  reading<T>(flow: Flow, work: (checks: StartChecks) => T): T | Promise<T> {
    if (flow.inputs.length === 0 && !hasChecks(flow)) return work(this);
    const reads = this.#deps.reads(flow);
    const checks = new StartChecks(this.#deps, reads);
    return reads.run(() => work(checks));
  }

  /** The inputs of an execution, or values for other `declared` ones; `undefined` for none. @throws DomainError invalid_entity */
  inputs(flow: Flow, given: GivenValues, declared = flow.inputs): JsonObject | undefined {
    return resolveInputs({ inputs: declared }, given, this.#resolving(flow));
  }

  /**
   * Looks at the checks of the flow for an execution that is about to begin; one that must fail has failed afterwards.
   * @throws DomainError invalid_entity when a check blocks it
   */
  evaluateChecks(flow: Flow, execution: Execution, now: Instant): void {
    const failed = this.#failed(flow, execution.inputs);
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
   * Every input with its value or what is wrong with it, and the checks that would fail. Nothing is created. Inputs other
   * than the flow's own, such as those of a Pause task, are `declared`; no check is about them.
   */
  report(flow: Flow, given: GivenValues, declared = flow.inputs): JsonObject {
    const inputs = checkInputs({ inputs: declared }, given, this.#resolving(flow));
    const isSound = declared === flow.inputs &&
      inputs.every(({ enabled, problem }) => !enabled || problem === undefined);
    // Checks are about inputs that are right.
    const failed = isSound ? this.#failed(flow, this.inputs(flow, given)) : [];
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
    const functions = this.#reads?.functions ?? NO_FUNCTIONS;
    return this.#deps.render(flow, { template, inputs, functions });
  }
}

const NO_CHECKS: readonly FailedCheck[] = [];
const NO_FUNCTIONS: HostFunctions = new Map();

function hasChecks(flow: Flow): boolean {
  return Object.hasOwn(flow.definition, "checks");
}

/** A default may have read a secret, which whoever may start the flow need not know. */
function inputResponse(
  { input, properties, value, enabled, isDefault, problem }: InputCheck,
  mask: (text: string) => string,
): JsonObject {
  const response: JsonObject = { input: { ...properties, id: input.id }, enabled, isDefault };
  if (value !== undefined && value !== null) response.value = isDefault ? maskedValue(value, mask) : value;
  response.errors = problem === undefined ? [] : [{ message: problem }];
  return response;
}

function maskedValue(value: JsonValue, mask: (text: string) => string): JsonValue {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, mask));
  if (!isJsonObject(value)) return value;
  const masked: JsonObject = {};
  for (const name of Object.keys(value)) {
    setOwnProperty(masked, name, maskedValue(ownProperty(value, name) ?? null, mask));
  }
  return masked;
}
