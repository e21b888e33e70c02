/** First segments of addresses below `/ui`, or `/ui/{tenant}`. Tenants cannot have these names. */
export const VIEWS = [
  "executions",
  "flows",
  "triggers",
  "namespaces",
  "logs",
  "dashboards",
  "plugins",
  "blueprints",
  "admin",
  "settings",
] as const;

/** Task runs that the page of an execution requests first; it requests all once it has shown these. */
export const FIRST_TASK_RUNS = 100;

/** A view with an address of its own. */
export type View = typeof VIEWS[number];
