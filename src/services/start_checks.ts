/** What is looked at before an execution is created: whether its inputs are right, and whether the flow's checks hold. */
import type { Instant } from "../base/clock.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import {
  checkInputs,
  decisiveChecks,
  type FailedCheck,
  failedChecks,
  type InputCheck,
  resolveInputs,
  type ResolveOptions,
} from "../flow/mod.ts";
import { DomainError } from "../model/errors.ts";
import { addLogLine, type Execution } from "../model/execution.ts";
import type { Flow } from "../model/flow.ts";
import type { GivenValue } from "../model/input_value.ts";
import { move } from "../model/state.ts";

/** What the checks work with. */
export interface StartChecksDeps {
  /** How inputs of that flow are resolved. */
  readonly resolving: (flow: Flow) => ResolveOptions;
  /** Renders a condition or message of a check, which see `inputs` as they are kept. It throws what cannot be rendered. */
  readonly render: (flow: Flow, template: string, inputs: JsonObject) => JsonValue;
}

/** Values that a caller gives for inputs, by id. */
export type GivenValues = ReadonlyMap<string, GivenValue>;

/** The checks before a start. Holds nothing of an execution. */
export class StartChecks {
  readonly #deps: StartChecksDeps;

  constructor(deps: StartChecksDeps) {
    this.#deps = deps;
  }

  /** The inputs of an execution, or values for other `declared` ones; `undefined` for none. @throws DomainError invalid_entity */
  inputs(flow: Flow, given: GivenValues, declared = flow.inputs): JsonObject | undefined {
    return resolveInputs({ inputs: declared }, given, this.#deps.resolving(flow));
  }

  /**
   * Looks at the checks of the flow for an execution that is about to begin; one that must fail has failed afterwards.
   * @throws DomainError invalid_entity when a check blocks it
   */
  judge(flow: Flow, execution: Execution, now: Instant): void {
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
    const inputs = checkInputs({ inputs: declared }, given, this.#deps.resolving(flow));
    const isSound = declared === flow.inputs && inputs.every(({ problem }) => problem === undefined);
    // Checks are about inputs that are right.
    const failed = isSound ? this.#failed(flow, this.inputs(flow, given)) : [];
    return {
      id: flow.id,
      namespace: flow.namespace,
      inputs: inputs.map(inputAnswer),
      checks: failed.map(({ message, style, behavior }) => ({ message, style, behavior })),
    };
  }

  #failed(flow: Flow, inputs: JsonObject = {}): readonly FailedCheck[] {
    if (!Object.hasOwn(flow.definition, "checks")) return NO_CHECKS;
    return failedChecks(flow.definition, (template) => this.#deps.render(flow, template, inputs));
  }
}

const NO_CHECKS: readonly FailedCheck[] = [];

function inputAnswer({ input, value, enabled, isDefault, problem }: InputCheck): JsonObject {
  const answer: JsonObject = { input: { ...input.properties, id: input.id }, enabled, isDefault };
  if (value !== undefined && value !== null) answer.value = value;
  answer.errors = problem === undefined ? [] : [{ message: problem }];
  return answer;
}
