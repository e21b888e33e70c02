/**
 * Keeps one object of each kind that a start creates. Idle garbage collection drops unused hidden classes and their code.
 * With the kept objects the last of a thousand schedules of one second starts after 55 to 102 ms, median 75, of six dates;
 * without them after 84 to 157 ms, median 114. Row 19 of the benchmark misses its floor without them.
 *
 * A kept object pins all that it refers to: an execution with its inputs, outputs and rendered values, until the next
 * object of its kind replaces it, also after the execution was deleted. Flows that mention secrets are never kept.
 */
import type { FlowPlan } from "../../engine/plan.ts";

/** Kinds of objects that are created by the thousand and are all gone at rest. */
type ShapeKind = "attempt" | "change" | "tick" | "transition";

/** The kept objects of one executor. */
export class KeptShapes {
  readonly #kept: Record<ShapeKind, object | undefined> = {
    attempt: undefined,
    change: undefined,
    tick: undefined,
    transition: undefined,
  };

  /** Keeps an object that was created for an execution of that plan. */
  keep(kind: ShapeKind, object: object, { mentionsSecrets }: Pick<FlowPlan, "mentionsSecrets">): void {
    if (!mentionsSecrets) this.#kept[kind] = object;
  }

  /** The kept object of that kind. */
  get(kind: ShapeKind): object | undefined {
    return this.#kept[kind];
  }
}
