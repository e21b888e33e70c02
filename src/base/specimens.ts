/**
 * One object of each kind that work in progress is made of, kept when the work is over. V8 tidies up a process that rests:
 * it forgets the shapes that no object has any more, and with them the machine code that was compiled for them. A thousand
 * schedules due after half a minute's rest took 120 ms of JavaScript then, and 75 ms with these.
 */

/** Kinds of objects that come by the thousand and are gone at rest. */
type SpecimenKind = "attempt" | "change" | "context" | "tick" | "transition";

const specimens: Record<SpecimenKind, object | undefined> = {
  attempt: undefined,
  change: undefined,
  context: undefined,
  tick: undefined,
  transition: undefined,
};

/** Keeps an object, and what it refers to, until the next of its kind. */
export function keepSpecimen(kind: SpecimenKind, object: object): void {
  specimens[kind] = object;
}
