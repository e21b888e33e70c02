/**
 * Keeps one object of each kind that a start creates. Idle garbage collection drops unused hidden classes and their code:
 * a thousand starts after some seconds of rest took 120 ms of JavaScript instead of 75.
 *
 * A kept object pins all that it refers to: an execution with its inputs, outputs and rendered values, until the next
 * object of its kind replaces it, also after the execution was deleted. Flows that mention secrets are never kept.
 */
import type { Flow } from "../../model/flows/flow.ts";

/** Kinds of objects that are created by the thousand and are all gone at rest. */
type ShapeKind = "attempt" | "change" | "tick" | "transition";

/** An input of type SECRET, a call of `secret()`. */
const SECRET = /secret/i;

/** The kept objects of one executor. */
export class KeptShapes {
  readonly #kept: Record<ShapeKind, object | undefined> = {
    attempt: undefined,
    change: undefined,
    tick: undefined,
    transition: undefined,
  };
  /** The source is searched once for each loaded revision: a lookup allocates nothing. */
  readonly #mayKeep = new WeakMap<Pick<Flow, "source">, boolean>();

  /** Keeps an object that was created for an execution of `flow`. */
  keep(kind: ShapeKind, object: object, flow: Pick<Flow, "source">): void {
    let mayKeep = this.#mayKeep.get(flow);
    if (mayKeep === undefined) {
      mayKeep = !SECRET.test(flow.source);
      this.#mayKeep.set(flow, mayKeep);
    }
    if (mayKeep) this.#kept[kind] = object;
  }

  /** The kept object of that kind. */
  get(kind: ShapeKind): object | undefined {
    return this.#kept[kind];
  }
}
