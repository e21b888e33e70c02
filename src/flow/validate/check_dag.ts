/** Dependencies of the tasks of a Dag: known, and without a cycle. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { orderByNeeds } from "../inputs/depends_on.ts";
import { cutText, scalarText } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";

interface Entry {
  readonly id: string;
  readonly needs: readonly JsonValue[];
  /** Of the entry. */
  readonly path: Path;
}

/** Tasks that a message about a cycle names. */
const MAX_NAMED = 10;

/** Reports dependencies on tasks that the Dag does not have, and tasks that wait for one another. */
export function checkDag(dag: JsonObject, path: Path, report: Report): void {
  const entries = entriesOf(ownProperty(dag, "tasks"), [...path, "tasks"]);
  const ids = new Set(entries.map(({ id }) => id));
  const name = scalarText(ownProperty(dag, "id")) ?? "";
  for (const { needs, path } of entries) {
    for (const [index, need] of needs.entries()) {
      const id = scalarText(need);
      if (id === undefined || ids.has(id)) continue;
      const message = `${name}: Not existing task id in dependency: ${cutText(id)}${report.suggest(id, ids)}`;
      report.error("unknown_task", [...path, "dependsOn", index], message);
    }
  }
  const { cyclic } = orderByNeeds(entries, ({ needs }) => needs.flatMap((need) => scalarText(need) ?? []));
  const [first] = cyclic;
  if (!first) return;
  const names = cyclic.slice(0, MAX_NAMED).map(({ id }) => cutText(id)).join(", ");
  report.error(
    "dependency_cycle",
    [...first.path, "dependsOn"],
    `${name}: Cyclic dependency detected: ${names}`,
  );
}

function entriesOf(tasks: JsonValue | undefined, path: Path): Entry[] {
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((entry, index) => {
    const task = isJsonObject(entry) ? ownProperty(entry, "task") : undefined;
    if (!isJsonObject(entry) || !isJsonObject(task)) return [];
    const dependsOn = ownProperty(entry, "dependsOn");
    const id = scalarText(ownProperty(task, "id")) ?? "";
    return [{ id, needs: Array.isArray(dependsOn) ? dependsOn : [], path: [...path, index] }];
  });
}
