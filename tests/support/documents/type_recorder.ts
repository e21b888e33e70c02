/**
 * Loaded before a test file: writes the name of each type of a task or trigger to the file that `TESTED_TYPES` names, when it
 * first runs. Only `tested_types.ts` uses it.
 */
import { INTEGRATION_TASKS, INTEGRATION_TRIGGERS } from "../flows/all_integrations.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";

const path = Deno.env.get("TESTED_TYPES") ?? "";
const seen = new Set<string>();

/** Replaces the member that does the work of a type. */
function record(type: Record<string, unknown>, member: string): void {
  const work = type[member];
  if (typeof work !== "function") return;
  type[member] = function (this: unknown, ...parameters: unknown[]) {
    const name = String(type.type);
    if (!seen.has(name)) Deno.writeTextFileSync(path, `${name}\n`, { append: true });
    seen.add(name);
    return work.apply(this, parameters);
  };
}

for (const type of [...INTEGRATION_TASKS, ...createTaskCatalog().list()]) {
  record(type as unknown as Record<string, unknown>, "run");
}
for (const type of INTEGRATION_TRIGGERS) {
  record(type as unknown as Record<string, unknown>, "poll");
  record(type as unknown as Record<string, unknown>, "realtime");
}
