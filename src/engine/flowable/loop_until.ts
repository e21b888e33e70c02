/** `core.flow.LoopUntil`: repeats its tasks until a condition holds. */
import type { Instant } from "../../base/time/clock.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { isTruthyText } from "../../base/text/truthy_text.ts";
import { sequence } from "../branches.ts";
import type { Flowable, Repetition } from "./flowable.ts";
import { durationMsOf } from "./values.ts";

const DEFAULT_INTERVAL = "PT1S";
const DEFAULT_MAX_ITERATIONS = 100;
const DEFAULT_MAX_DURATION = "PT1H";

/** Output: `iterationCount`, 1 for the first pass. */
export const loopUntil: Flowable = {
  kind: "core.flow.LoopUntil",
  renders: ["checkFrequency", "failOnMaxReached"],
  begin({ checkFrequency, failOnMaxReached }, now) {
    const frequency = isJsonObject(checkFrequency) ? checkFrequency : {};
    const maxIterations = Number(frequency.maxIterations ?? DEFAULT_MAX_ITERATIONS);
    return {
      decision: {
        iteration: 1,
        intervalMs: durationMsOf(frequency.interval ?? DEFAULT_INTERVAL),
        until: now + durationMsOf(frequency.maxDuration ?? DEFAULT_MAX_DURATION),
        maxIterations,
        failOnMaxReached: String(failOnMaxReached ?? false) === "true",
      },
      outputs: { iterationCount: 1 },
    };
  },
  branches: (place, { iteration }) => sequence(place.blocks.get("tasks"), { iteration: Number(iteration) }),
  repeat: { renders: ["condition"], decide },
};

function decide({ condition }: JsonObject, decision: JsonObject, now: Instant): Repetition {
  const iteration = Number(decision.iteration);
  const outputs = { iterationCount: iteration };
  if (isTruthyText(String(condition ?? ""))) return { type: "end", outputs, state: "SUCCESS" };
  const at = now + Number(decision.intervalMs);
  if (iteration < Number(decision.maxIterations) && at <= Number(decision.until)) {
    return {
      type: "again",
      at,
      decision: { ...decision, iteration: iteration + 1 },
      outputs: { iterationCount: iteration + 1 },
    };
  }
  const message = iteration >= Number(decision.maxIterations)
    ? `Max iterations reached: the condition did not hold within ${iteration} iterations`
    : "Max duration reached: the condition did not hold within the maximal duration";
  return { type: "end", outputs, state: decision.failOnMaxReached ? "FAILED" : "SUCCESS", message };
}
