/** A small catalog, and flows built around one changing part. */
import { buildInputs, parseFlowSource, validateFlow } from "../../src/flow/mod.ts";
import type { Input } from "../../src/model/flow.ts";
import { LOG_LEVELS } from "../../src/model/flow.ts";
import type { TaskCatalog, TaskType } from "../../src/model/task_catalog.ts";

const TYPES: readonly TaskType[] = [
  {
    form: "runnable",
    type: "core.debug.Return",
    aliases: ["core.tasks.debugs.Return"],
    description: "",
    properties: { format: { type: "string", dynamic: true, description: "" } },
    pure: true,
    run: () => ({ state: "SUCCESS" }),
  },
  {
    form: "waiting",
    type: "core.flow.Sleep",
    aliases: [],
    description: "",
    properties: { duration: { type: "duration", required: true, dynamic: true, description: "" } },
    delayMs: () => 0,
  },
  {
    form: "runnable",
    type: "core.log.Log",
    aliases: ["core.tasks.log.Log"],
    description: "",
    properties: {
      message: { type: "string", required: true, dynamic: true, orList: true, description: "" },
      level: { type: "string", dynamic: true, values: LOG_LEVELS, description: "" },
    },
    pure: true,
    run: () => ({ state: "SUCCESS" }),
  },
  {
    form: "runnable",
    type: "test.Everything",
    aliases: [],
    description: "",
    properties: {
      integer: { type: "integer", minimum: 1, description: "" },
      number: { type: "number", description: "" },
      flag: { type: "boolean", dynamic: true, description: "" },
      list: { type: "list", required: true, dynamic: true, description: "" },
      map: { type: "map", dynamic: true, description: "" },
      short: { type: "string", maxLength: 3, description: "" },
      tasks: { type: "tasks", description: "" },
    },
    pure: true,
    run: () => ({ state: "SUCCESS" }),
  },
];

/** Log, Return, Sleep, and one type with a property of each kind. */
export const catalog: TaskCatalog = {
  find: (kind) => TYPES.find((type) => type.type === kind || type.aliases.includes(kind)),
  list: () => TYPES,
};

/** A template is wrong when its last brace is missing. */
export function checkTemplate(source: string): string | undefined {
  return /\{\{(?!.*\}\})/s.test(source) ? "missing }}" : undefined;
}

/** Errors and warnings as `[severity ]path: message @line:column+length`. */
export function problemsOf(source: string): string[] {
  return validateFlow(parseFlowSource(source), catalog, checkTemplate).map((problem) => {
    const { line, column, length } = problem.range ?? { line: 0, column: 0, length: 0 };
    const severity = problem.severity === "error" ? "" : "warning ";
    return `${severity}${problem.path}: ${problem.message} @${line}:${column}+${length}`;
  });
}

/** Head and one task, for tests of another part; four lines. */
export const VALID = `id: f
namespace: n
tasks:
- {id: t, type: io.svc.plugin.core.log.Log, message: m}
`;

/** Inputs as a flow declares them, from the YAML of a list. */
export function inputsOf(yaml: string): { inputs: Input[] } {
  const { document } = parseFlowSource(`inputs:\n${yaml}`);
  return { inputs: buildInputs(document?.inputs) };
}
