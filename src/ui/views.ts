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

/** A view with an address of its own. */
export type View = typeof VIEWS[number];
