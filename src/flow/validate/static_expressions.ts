/** Checks expressions without rendering them: syntax errors and unknown names. All problems are warnings. */
import type { PathSet } from "../../base/path_set.ts";
import {
  BUILT_IN_FUNCTION_NAMES,
  ExpressionError,
  inspectTemplate,
  type Reference,
  type TemplateFacts,
} from "../../expr/mod.ts";
import { MAX_TASK_ID_LENGTH } from "../../model/limits.ts";
import { groupsOf } from "./check_ids.ts";
import { cutText, describeValue } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import type { NotedTemplate, Report } from "../source/report.ts";

/** Paths of Loops. */
export type LoopPaths = PathSet<Path[number]>;

/** Names that expressions of a flow may use; a missing set is not checked. */
export interface KnownNames {
  /** Ids of inputs; an id with dots is nested. */
  readonly inputs?: ReadonlySet<string>;
  /** Ids of tasks. */
  readonly tasks?: ReadonlySet<string>;
  readonly variables?: ReadonlySet<string>;
  /** Functions besides the built-in ones. */
  readonly functions?: ReadonlySet<string>;
  /** Paths of the Loops of the flow: only expressions within them know `item`. */
  readonly loops?: LoopPaths;
}

interface Facts extends TemplateFacts {
  /** Its syntax error. */
  readonly mistake?: string;
}

interface Rule {
  /** Name of its members in messages. */
  readonly noun: string;
  readonly names: (known: KnownNames) => ReadonlySet<string> | undefined;
  readonly isKnown: (path: readonly string[], names: ReadonlySet<string>) => boolean;
}

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["inputs", { noun: "input", names: ({ inputs }) => inputs, isKnown: isKnownInput }],
  ["outputs", { noun: "task", names: ({ tasks }) => tasks, isKnown: isKnownTask }],
  ["vars", {
    noun: "variable",
    names: ({ variables }) => variables,
    isKnown: ([name = ""], names) => names.has(name),
  }],
]);

/** Ids of task runs that a task creates besides its own. */
const GENERATED_ID = /_(?:split|items|merge)$/;

/** Reports problems of the noted templates. Each text is parsed once. */
export function checkExpressions(report: Report, names: KnownNames): void {
  const known = { ...names, inputs: names.inputs && withGroups(names.inputs) };
  const facts = new Map<string, Facts>();
  for (const template of report.templates) {
    if (report.hasEnoughWarnings) return;
    const found = facts.get(template.source) ?? factsOf(template.source);
    facts.set(template.source, found);
    checkTemplate(template, found, { report, known });
  }
}

function factsOf(source: string): Facts {
  try {
    return inspectTemplate(source);
  } catch (error) {
    if (error instanceof ExpressionError) return { ...NOTHING, mistake: error.message };
    throw error;
  }
}

const NOTHING: TemplateFacts = { references: [], functionNames: new Set() };

interface Checking {
  readonly report: Report;
  readonly known: KnownNames;
}

function checkTemplate({ path, isForeign }: NotedTemplate, facts: Facts, { report, known }: Checking): void {
  if (facts.mistake !== undefined) {
    report.warning("expression", path, facts.mistake);
    return;
  }
  for (const name of facts.functionNames) {
    if (known.functions === undefined || BUILT_IN.has(name) || known.functions.has(name)) continue;
    const hint = report.suggest(name, [...BUILT_IN, ...known.functions]);
    report.warning("unknown_function", path, `Function or Macro [${cutText(name)}] does not exist${hint}`);
  }
  if (isForeign) return;
  const reported = new Set<string>();
  for (const reference of facts.references) {
    if (reference.isGuarded || reported.has(reference.text) || report.hasEnoughWarnings) continue;
    reported.add(reference.text);
    const message = itemMistake(reference, path, known) ?? referenceMistake(reference, { report, known });
    if (message !== undefined) report.warning("unknown_reference", path, message);
  }
}

/** Only an iteration of a Loop has an `item`; the Loop's own properties and its `finally` are rendered outside of it. */
function itemMistake(
  { path: [root], text }: Reference,
  path: Path,
  { loops }: KnownNames,
): string | undefined {
  if (root !== "item" || !loops || isInIteration(path, loops)) return undefined;
  return `Unable to find \`${cutText(text)}\`: only the tasks of a Loop have an "item"`;
}

/** True for a path within a Loop at which the iteration is known. */
export function isInIteration(path: Path, loops: LoopPaths): boolean {
  return loops.hasBeginningOf(path, (length) => IN_ITERATION.has(path[length] ?? ""));
}

/** Members of a Loop that are rendered within an iteration. */
const IN_ITERATION: ReadonlySet<string | number> = new Set(["tasks", "errors", "outputs", "breakWhen"]);

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_FUNCTION_NAMES);

function referenceMistake({ path: [root = "", ...path], text }: Reference, { report, known }: Checking) {
  const rule = RULES.get(root);
  const names = rule?.names(known);
  const [name] = path;
  if (!rule || !names || name === undefined || rule.isKnown(path, names)) return undefined;
  const isNested = names.has(`${name}.`);
  const missing = isNested ? path.join(".") : name;
  const ids = () => [...names].filter((known) => !known.endsWith("."));
  const hint = report.suggest(missing, ids) ||
    (report.mayLookAt(names.size) ? bracketHint(root, name, ids()) : "");
  return `Unable to find \`${cutText(text)}\`: the flow has no ${rule.noun} ${describeValue(missing)}${hint}`;
}

/** `outputs.my-task` is parsed as `outputs.my` minus `task`. */
function bracketHint(root: string, name: string, names: readonly string[]): string {
  const start = `${name}-`;
  const found = names.find((known) => known.startsWith(start));
  return found === undefined ? "" : `, did you mean \`${root}['${found}']\``;
}

/** An input `a.b` makes `inputs.a`, `inputs.a.b` and all below it known; a name that ends in a dot is a group only. */
function isKnownInput(path: readonly string[], names: ReadonlySet<string>): boolean {
  let text = "";
  for (const name of path) {
    text = text === "" ? name : `${text}.${name}`;
    if (names.has(text)) return true;
    if (text.length > MAX_TASK_ID_LENGTH) return false;
  }
  return names.has(`${text}.`);
}

/** Ids of inputs, and `a.` for each group `a`. */
function withGroups(ids: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...ids, ...[...ids].flatMap(groupsOf).map((group) => `${group}.`)]);
}

function isKnownTask([id = ""]: readonly string[], names: ReadonlySet<string>): boolean {
  return names.has(id) || names.has(id.replace(GENERATED_ID, ""));
}
