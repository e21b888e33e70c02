/** Keeps the lists in `docs/COMPATIBILITY.md` equal to what the source knows: what works, and what is refused. */
import { BUILT_IN_FUNCTION_NAMES, FILTER_NAMES, TEST_NAMES } from "../../src/expr/mod.ts";
import {
  FLOW_PROPERTIES,
  MANAGED_PROPERTIES,
  TASK_PROPERTIES,
  TRIGGER_PROPERTIES,
} from "../../src/flow/flow_schema.ts";
import { listInputTypes, WEBHOOK_KIND } from "../../src/flow/mod.ts";
import {
  IGNORED_FLOW_PROPERTIES,
  IGNORED_TASK_PROPERTIES,
  IGNORED_TRIGGER_PROPERTIES,
  UNSUPPORTED_FLOW_PROPERTIES,
  UNSUPPORTED_INPUT_TYPES,
  UNSUPPORTED_TASK_PROPERTIES,
  UNSUPPORTED_TASK_TYPES,
  UNSUPPORTED_TRIGGER_PROPERTIES,
  UNSUPPORTED_TRIGGER_TYPES,
} from "../../src/flow/not_supported.ts";
import { HostCalls } from "../../src/runtime/host_functions.ts";
import { createTaskCatalog } from "../../src/tasks/registry.ts";

const PATH = "docs/COMPATIBILITY.md";
const BEGIN = "<!-- lists: written by tests/support/compatibility_doc.ts -->";
const END = "<!-- end of lists -->";

/** As the prose around it. */
const MAX_LINE_LENGTH = 120;

/** Filters of existing flows, beside those that work. */
const OTHER_FILTERS = ["className", "jq", "toIon"];
/** Functions of existing flows, beside those that work. */
const OTHER_FUNCTIONS = [
  ...["appLink", "currentEachOutput", "errorLogs", "fileExists", "fileSize", "fileURI", "fromIon", "http"],
  ...["isFileEmpty", "iterationOutput", "read", "tasksWithState"],
];
/** Conditions of triggers, below `core.condition.`. */
const CONDITIONS = [
  ...["DateTimeBetween", "DayWeek", "DayWeekInMonth", "ExecutionFlow", "ExecutionLabels"],
  ...["ExecutionNamespace", "ExecutionOutputs", "ExecutionStatus", "Expression", "FlowCondition"],
  ...["FlowNamespaceCondition", "HasRetryAttempt", "MultipleCondition", "Not", "Or", "PublicHoliday"],
  ...["TimeBetween", "Weekend"],
];
/** What differs on purpose, by name. */
const DIFFERENCES = new Map([["BOOLEAN", "as in older flows, every text but `true` is false"]]);

/** Status of what the server sets itself. */
const MANAGED = "set by the server, ignored when sent";

/** Names as shown, and what can be said of them. */
type Row = readonly [names: string, status: string];

/** The document with the lists in their place. */
export function withCompatibilityLists(document: string): string {
  const [before = "", rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`"${PATH}" lacks the marks of the lists`);
  return `${before}${BEGIN}\n\n${lists()}\n\n${END}${after}`;
}

function lists(): string {
  const tasks = createTaskCatalog();
  const types = tasks.list().map(({ type, aliases }) => toRow(type, ...aliases));
  const names = new Set([...FILTER_NAMES, ...BUILT_IN_FUNCTION_NAMES]);
  const hosted = [...new HostCalls(NO_VALUES, { tenant: "", namespace: "" }).functions.keys()];
  return [
    section("Task types", [
      ...types,
      ...later([...UNSUPPORTED_TASK_TYPES].filter((type) => tasks.find(type) === undefined).sort()),
    ]),
    section("Trigger types", [toRow(WEBHOOK_KIND), ...later([...UNSUPPORTED_TRIGGER_TYPES])]),
    section("Conditions of triggers", later(CONDITIONS.map((name) => `core.condition.${name}`))),
    section("Input and output types", [
      ...listInputTypes().map(({ names: [name = "", ...older] }) => toRow(name, ...older)),
      ...later([...UNSUPPORTED_INPUT_TYPES]),
    ]),
    section("Filters", [
      ...FILTER_NAMES.map((name) => toRow(name)),
      ...later(OTHER_FILTERS.filter((name) => !names.has(name))),
    ]),
    section("Functions", [
      ...[...BUILT_IN_FUNCTION_NAMES, ...hosted].map((name) => toRow(name)),
      ...later(OTHER_FUNCTIONS.filter((name) => !names.has(name) && !hosted.includes(name))),
    ]),
    section("Tests", TEST_NAMES.map((name) => toRow(name))),
    section(
      "Properties of flows",
      properties(FLOW_PROPERTIES, IGNORED_FLOW_PROPERTIES, UNSUPPORTED_FLOW_PROPERTIES),
    ),
    section(
      "Properties of every task",
      properties(TASK_PROPERTIES, IGNORED_TASK_PROPERTIES, UNSUPPORTED_TASK_PROPERTIES),
    ),
    section(
      "Properties of every trigger",
      properties(TRIGGER_PROPERTIES, IGNORED_TRIGGER_PROPERTIES, UNSUPPORTED_TRIGGER_PROPERTIES),
    ),
  ].join("\n\n");
}

/** Functions with data from outside are listed, never called. */
const NO_VALUES = { secret: () => Promise.resolve(undefined), kvPair: () => Promise.resolve(undefined) };

function toRow(name: string, ...aliases: readonly string[]): Row {
  const difference = DIFFERENCES.get(name);
  const also = aliases.length === 0 ? "" : ` (or ${aliases.map(code).join(", ")})`;
  return [code(name) + also, difference === undefined ? "works" : `differs (${difference})`];
}

function code(name: string): string {
  return `\`${name}\``;
}

function later(names: readonly string[]): Row[] {
  return names.map((name) => [code(name), "not supported yet"]);
}

function properties(known: object, ignored: ReadonlySet<string>, unsupported: ReadonlySet<string>): Row[] {
  return [
    ...Object.keys(known).map((name) =>
      MANAGED_PROPERTIES.has(name) ? [code(name), MANAGED] as const : toRow(name)
    ),
    ...[...ignored].map((name): Row => [code(name), "accepted with a warning, has no effect"]),
    ...later([...unsupported]),
  ];
}

/** A list with one item a status, wrapped as prose is. */
function section(title: string, rows: readonly Row[]): string {
  const byStatus = new Map<string, string[]>();
  for (const [names, status] of rows) byStatus.set(status, [...byStatus.get(status) ?? [], names]);
  const items = [...byStatus].map(([status, names]) => wrap(`- **${status}**: ${names.join(", ")}`));
  return [`### ${title}`, "", ...items].join("\n");
}

function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && `${line} ${word}`.length <= MAX_LINE_LENGTH) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else lines.push(line === undefined ? word : `  ${word}`);
  }
  return lines.join("\n");
}

if (import.meta.main) await Deno.writeTextFile(PATH, withCompatibilityLists(await Deno.readTextFile(PATH)));
