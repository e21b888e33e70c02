/** Tags of operations. Generated clients have a class or a module for each. */

/** Every tag with its description, in the order of the description. */
export const TAGS: readonly (readonly [name: string, description: string])[] = [
  ["Flows", "Flows, their revisions, graphs and dependencies"],
  ["Executions", "Starts of flows, actions on executions, their views and files"],
  ["Outputs", "Outputs of executions and task runs"],
  ["Logs", "Log lines"],
  ["Metrics", "Metrics that tasks report"],
  ["Triggers", "States of triggers, and backfills"],
  ["Webhooks", "Starts by key"],
  ["Namespaces", "Namespaces"],
  ["KV", "KV pairs of namespaces"],
  ["Files", "Files of namespaces"],
  ["Secrets", "Secrets of namespaces, without their values"],
  ["Dashboards", "Dashboards and data of charts"],
  ["Blueprints", "Templates of flows"],
  ["Plugins", "Types of tasks and triggers, and their documentation"],
  ["Expressions", "Expressions, their filters and functions"],
  ["Users", "The caller, users, logins and API tokens"],
  ["Tenants", "Tenants"],
  ["Workers", "Workers that run attempts, and their messages"],
  ["Server", "Health, configuration and description of the server"],
];

/** Tags by the beginning of the path; the first that fits. */
const BY_PATH: readonly (readonly [pattern: RegExp, tag: string])[] = [
  [/^\/executions\/webhook\//, "Webhooks"],
  [/^\/executions(\/|$)|^\/taskruns(\/|$)/, "Executions"],
  [/^\/outputs(\/|$)/, "Outputs"],
  [/^\/logs(\/|$)/, "Logs"],
  [/^\/metrics\//, "Metrics"],
  [/^\/triggers(\/|$)/, "Triggers"],
  [/^\/kv$|^\/namespaces\/\{namespace\}\/kv/, "KV"],
  [/^\/namespaces\/\{namespace\}\/files/, "Files"],
  [/^\/secrets$|^\/namespaces\/\{namespace\}\/(?:inherited-)?secrets/, "Secrets"],
  [/^\/flows(\/|$)|\/dependencies$|^\/concurrency-limit\//, "Flows"],
  [/^\/namespaces(\/|$)/, "Namespaces"],
  [/^\/(?:dashboards|stats|charts)(\/|$)/, "Dashboards"],
  [/^\/blueprints\//, "Blueprints"],
  [/^\/plugins(\/|$)/, "Plugins"],
  [/^\/(?:expressions|pebble)\//, "Expressions"],
  [/^\/(?:me|users|login|logout|basicAuth)(\/|$)/, "Users"],
  [/^\/tenants(\/|$)/, "Tenants"],
  [/^\/workers?(\/|$)/, "Workers"],
];

/** The tag of an operation by its key, a method and a path; `Server` for paths that belong to no other. */
export function tagOf(key: string): string {
  const path = key.slice(key.indexOf(" ") + 1);
  return BY_PATH.find(([pattern]) => pattern.test(path))?.[1] ?? "Server";
}
