/** Tests of flows: an execution in which fixtures replace tasks, and assertions on its result. */
import type { Clock } from "../../base/time/clock.ts";
import type { IdSource } from "../../base/id.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { createExecution } from "../../engine/create.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { currentState } from "../../model/executions/state.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import { TEST_LABEL } from "../../model/flows/label.ts";
import { MAX_WAIT_MS } from "../../model/limits.ts";
import type { EvaluateObject } from "../../rendering/expression_renderer.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import type { CallerLimits } from "../access/caller_limits.ts";
import { checkEnabled, type Executions } from "../executions/executions.ts";
import type { Flows } from "../flows/flows.ts";
import { maskedValue, type StartChecks, withLabels } from "../starts/start_checks.ts";
import { givenValues } from "../starts/subflows.ts";
import { OPERATORS } from "./operators.ts";
import { type Assertion, type Check, readTestCase, type TestCase, wrong } from "./test_case.ts";

/** States of a test. */
export const TEST_STATES = ["SUCCESS", "FAILED", "ERROR", "SKIPPED"] as const;
type TestState = typeof TEST_STATES[number];

interface FlowTestsDeps {
  readonly flows: Pick<Flows, "plan">;
  readonly executions: Pick<Executions, "run">;
  readonly waiting: CallerLimits;
  readonly records: Pick<ExecutionRecords, "load">;
  readonly checks: StartChecks;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly evaluate: EvaluateObject;
}

/** Options of a test. */
interface FlowTestOptions {
  readonly revision?: number;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Link to the page of an execution. */
  readonly urlOf: (execution: Execution) => string;
}

/** The use cases of tests. */
export class FlowTests {
  readonly #deps: FlowTestsDeps;

  constructor(deps: FlowTestsDeps) {
    this.#deps = deps;
  }

  /**
   * Runs a test case and waits for its end; the result.
   * @throws DomainError not_found, conflict, invalid_entity, quota_exceeded, too_many_requests, storage_full, unavailable
   */
  async run(actor: Actor, key: FlowKey, source: string, options: FlowTestOptions): Promise<JsonObject> {
    const { flows, executions, waiting, records } = this.#deps;
    const { tenant } = actor;
    const plan = checkEnabled(await flows.plan(tenant, key, { revision: options.revision }));
    const testCase = readTestCase(source);
    checkNames(plan, testCase);
    const named: JsonObject = testCase.id === undefined ? {} : { testId: testCase.id };
    if (testCase.isDisabled) return { ...named, ...resultOf("SKIPPED") };
    using _place = waiting.take(actor);
    const execution = await this.#create(plan, testCase);
    const head: JsonObject = { ...named, executionId: execution.id, url: options.urlOf(execution) };
    const ended = await executions.run({ execution, plan }, MAX_WAIT_MS, options.signal);
    const stored = ended && await records.load(tenant, execution.id);
    if (!stored) return { ...head, ...resultOf("ERROR", [], ["The execution has not ended"]) };
    return { ...head, ...await this.#result(stored.execution, plan, testCase) };
  }

  async #create(plan: FlowPlan, { inputs: given, tasks, trigger }: TestCase): Promise<Execution> {
    const { checks, clock, ids } = this.#deps;
    const labels = [{ key: TEST_LABEL, value: "true" }];
    const flow = withLabels(plan.flow, labels);
    const inputs = await checks.reading(flow, (reading) => reading.inputs(flow, givenValues(given)));
    const now = clock.now();
    const created = createExecution(flow, { id: ids.next(now), inputs, labels, trigger, kind: "TEST" }, now);
    const execution: Execution = { ...created, fixtures: { tasks } };
    await checks.reading(flow, (reading) => reading.evaluateChecks(flow, execution, now));
    return execution;
  }

  async #result(execution: Execution, plan: FlowPlan, { assertions }: TestCase): Promise<JsonObject> {
    const executionState = currentState(execution.history);
    const rows: JsonObject[] = [];
    for (const assertion of assertions) {
      for (const check of assertion.checks) {
        rows.push(await this.#row({ execution, plan }, assertion, check));
      }
    }
    const hasPassed = rows.length > 0
      ? rows.every(({ isSuccess }) => isSuccess)
      : executionState === "SUCCESS" || executionState === "WARNING";
    return { executionState, ...resultOf(hasPassed ? "SUCCESS" : "FAILED", rows) };
  }

  async #row(
    { execution, plan }: { readonly execution: Execution; readonly plan: FlowPlan },
    { value, taskId, description, errorMessage }: Assertion,
    { operator, expected }: Check,
  ): Promise<JsonObject> {
    const taskRun = execution.taskRuns.findLast((each) => each.taskId === taskId);
    const rendered = await this.#deps.evaluate({ execution, plan, taskRun }, { value, expected });
    const about: JsonObject = {
      operator,
      ...(taskId !== undefined && { taskId }),
      ...(description !== undefined && { description }),
    };
    if ("error" in rendered) {
      return { ...about, expected, actual: null, isSuccess: false, errorMessage: rendered.error };
    }
    const actual = ownProperty(rendered.value, "value") ?? null;
    const wanted = ownProperty(rendered.value, "expected") ?? null;
    const { isSuccess, problem } = compare(operator, actual, wanted);
    const message = isSuccess ? undefined : errorMessage ?? problem;
    return {
      ...about,
      expected: maskedValue(wanted, rendered.mask),
      actual: maskedValue(actual, rendered.mask),
      isSuccess,
      ...(message !== undefined && { errorMessage: rendered.mask(message) }),
    };
  }
}

function resultOf(
  state: TestState,
  assertionResults: JsonObject[] = [],
  errors: readonly string[] = [],
): JsonObject {
  return { state, assertionResults, errors: errors.map((message) => ({ message })) };
}

function compare(
  operator: Check["operator"],
  actual: JsonValue,
  expected: JsonValue,
): { readonly isSuccess: boolean; readonly problem?: string } {
  try {
    return { isSuccess: OPERATORS.get(operator)?.holds(actual, expected) ?? false };
  } catch (error) {
    if (error instanceof RangeError) return { isSuccess: false, problem: error.message };
    throw error;
  }
}

/** @throws DomainError invalid_entity: a task or an input that the flow does not have */
function checkNames(plan: FlowPlan, { inputs, tasks, assertions }: TestCase): void {
  const declared = new Set(plan.flow.inputs.map(({ id }) => id));
  // As in a start, an object has the values of inputs whose ids begin with its name and a dot.
  const groups = new Set([...declared].map((id) => id.split(".", 1)[0]));
  for (const [id, value] of Object.entries(inputs)) {
    if (!declared.has(id) && !(groups.has(id) && isJsonObject(value))) {
      throw wrong(`fixtures.inputs.${id.slice(0, 100)}`, "the flow has no such input");
    }
  }
  const isKnown = (id: string) =>
    plan.places.has(id) || [...plan.bodies.values()].some(({ places }) => places.has(id));
  for (const [index, { id }] of tasks.entries()) {
    if (!isKnown(id)) throw wrong(`fixtures.tasks[${index}].id`, noTask(id));
  }
  for (const [index, { taskId }] of assertions.entries()) {
    if (taskId !== undefined && !isKnown(taskId)) throw wrong(`assertions[${index}].taskId`, noTask(taskId));
  }
}

function noTask(id: string): string {
  return `the flow has no task "${id.slice(0, 100)}"`;
}
