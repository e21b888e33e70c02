/** Replaces one task in the source of a flow; everything else stays as it is written, comments too. */
import { isMap } from "yaml";
import {
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  setOwnProperty,
  stringifyJson,
} from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { TaskCatalog } from "../../model/tasks/task_catalog.ts";
import { nodeRange, parseYamlTree, readYaml, SOURCE_RULES, yamlText } from "../../languages/yaml/mod.ts";
import { type ParsedSource, parseFlowSource } from "../source/parse.ts";
import { problemsError } from "../source/problems.ts";
import { SourceLines } from "../source/source_lines.ts";
import { findWrittenTask } from "./nested_tasks.ts";

/** A task to write into a source, and where to look for it. */
interface TaskEdit {
  readonly taskId: string;
  /** The source of the new task, and the document it was parsed to. */
  readonly task: Pick<ParsedSource, "source" | "document">;
  readonly catalog: TaskCatalog;
}

/** Lines that begin another document or a directive. */
const MARKER = /^(?:---|\.\.\.|%)/m;

/**
 * The source with the task of that id replaced; `undefined` if it has no such task.
 * @throws DomainError conflict: other parts of the source would change too, because they refer to an anchor of the task
 */
export function replaceTask(source: string, { taskId, task, catalog }: TaskEdit): string | undefined {
  // The source was accepted before: one that `readPlainYaml` has read may have more values.
  const { value, nodes } = readYaml(source, { ...SOURCE_RULES, maxNodes: Infinity });
  const before = findWrittenTask(value as JsonObject, taskId, catalog);
  if (!before) return undefined;
  const node = nodes.get(before);
  const document = task.document ?? {};
  const wanted = withReplaced(value, before, document);
  let problems: ParsedSource["problems"] = [];
  for (const text of textsOf({ ...task, document }, isMap(node) && node.flow === true)) {
    const edited = splice(source, nodeRange(node), text);
    const parsed = parseFlowSource(edited);
    if (parsed.document && jsonEquals(parsed.document, wanted)) return edited;
    problems = parsed.problems;
  }
  if (problems.length > 0) throw problemsError(problems);
  throw new DomainError(
    "conflict",
    `Cannot replace the task "${taskId}" alone: other parts of the source refer to it; update the flow`,
  );
}

/** A copy of a value in which one object is replaced. */
function withReplaced(value: JsonValue, before: JsonObject, after: JsonObject): JsonValue {
  if (value === before) return after;
  if (Array.isArray(value)) return value.map((item) => withReplaced(item, before, after));
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [name, item] of Object.entries(value)) {
    setOwnProperty(copy, name, withReplaced(item, before, after));
  }
  return copy;
}

interface SentTask {
  readonly source: string;
  readonly document: JsonObject;
}

/** How the task can be written, the best first: the end of a block text may mean something else where lines follow. */
function* textsOf(task: SentTask, isFlowStyle: boolean): Generator<string> {
  if (!isFlowStyle) {
    yield blockText(task);
    yield yamlText(task.document);
  }
  yield stringifyJson(task.document);
}

/** The text as it was sent if it is a block at the start of its lines, else the values in that style. */
function blockText({ source, document }: SentTask): string {
  const root = parseYamlTree(source).document?.contents;
  const [start] = nodeRange(root);
  const isBlock = isMap(root) && !root.flow && new SourceLines(source).lineStart(start) === start;
  return isBlock && !MARKER.test(source) ? source : yamlText(document);
}

/** Replaces a range by the lines of a text, indented to the column of its start. */
function splice(source: string, [start, end]: readonly [number, number], text: string): string {
  const indent = " ".repeat(start - new SourceLines(source).lineStart(start));
  const lineEnd = source.includes("\r\n") ? "\r\n" : "\n";
  const [first = "", ...rest] = text.trimEnd().split(/\r?\n/);
  const lines = [first, ...rest.map((line) => line === "" ? line : indent + line)].join(lineEnd);
  // The value of a block ends with its last line.
  const tail = /\r?\n$/.test(source.slice(start, end)) ? lineEnd : "";
  return source.slice(0, start) + lines + tail + source.slice(end);
}
