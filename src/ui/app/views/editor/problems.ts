/** What is wrong with a source, as the server sees it, with a fix where it names what was meant. */
import { type Extension, StateEffect, type Text } from "@codemirror/state";
import { type EditorView, keymap, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { send } from "../../api/client.ts";
import { t } from "../../texts/mod.ts";
import { type ProblemMark, problemMarks, showMarks } from "./code/problem_marks.ts";
import { firstDocument, type Problem, rangeOf, suggestionOf } from "./problem.ts";

const PAUSE_MS = 250;

/** Gets the problems that were found in a source. */
type Receive = (problems: readonly Problem[], source: string) => void;
type Check = (source: string) => Promise<readonly Problem[]>;

const validation = StateEffect.define();

/** Validates without waiting for a pause. */
export function validateNow(view: EditorView): void {
  view.dispatch({ effects: validation.of(null) });
}

class Validation {
  readonly #view: EditorView;
  readonly #receive: Receive;
  readonly #check: Check;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView, receive: Receive, check: Check) {
    this.#view = view;
    this.#receive = receive;
    this.#check = check;
  }

  update({ docChanged, transactions }: ViewUpdate): void {
    const isWanted = transactions.some(({ effects }) => effects.some((effect) => effect.is(validation)));
    if (docChanged || isWanted) this.#wait(isWanted ? 0 : PAUSE_MS);
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #wait(pauseMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#validate(), pauseMs);
  }

  async #validate(): Promise<void> {
    const { doc } = this.#view.state;
    const source = doc.toString();
    const problems = await validate(source, this.#check);
    // What was written meanwhile is validated after its own pause.
    if (this.#view.state.doc !== doc) return;
    this.#receive(problems, source);
    this.#view.dispatch(showMarks(problems.map((problem) => markOf(problem, doc))));
  }
}

/** Validates after each pause of typing. */
export function problemLinter(receive: Receive, check: Check = checkFlows): Extension {
  return [
    ViewPlugin.define((view) => new Validation(view, receive, check)),
    problemMarks,
    keymap.of([{ key: "Mod-Shift-m", run: goToList, preventDefault: true }]),
  ];
}

/** The list of problems is below the source. */
function goToList(): boolean {
  document.querySelector<HTMLElement>(".editor-problems button")?.focus();
  return true;
}

async function checkFlows(source: string): Promise<readonly Problem[]> {
  const { text: body, nextLine: line } = firstDocument(source);
  const headers = { "content-type": "application/x-yaml" };
  const checks = await send<{ problems?: Problem[] }[]>("POST", "/flows/validate", { body, headers });
  const problems = checks.flatMap(({ problems = [] }) => problems);
  if (line === undefined) return problems;
  const message = t("editor.oneDocument");
  return [...problems, { path: "", message, severity: "error", line, column: 1, length: 3 }];
}

/** The problems of a source; one that says so if the server cannot be reached. */
async function validate(source: string, check = checkFlows): Promise<readonly Problem[]> {
  if (source.trim() === "") return [];
  try {
    return await check(source);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ path: "", message, severity: "warning" }];
  }
}

function markOf(problem: Problem, doc: Text): ProblemMark {
  const suggestion = suggestionOf(problem);
  const { from, to } = rangeOf(problem, doc);
  // A required property that is missing has the whole entry as its place: its first line is enough.
  const end = Math.min(to, doc.lineAt(from).to);
  return {
    from,
    to: Math.max(end, from),
    severity: problem.severity === "error" ? "error" : problem.severity === "warning" ? "warning" : "info",
    message: problem.path === "" ? problem.message : `${problem.path}: ${problem.message}`,
    fix: suggestion === undefined
      ? undefined
      : { name: t("editor.replaceBy", { text: suggestion }), insert: suggestion },
  };
}
