/** What the parts of the editor share: the source, what is wrong with it, and where the cursor is. */
import { computed, signal } from "@preact/signals";
import { EditorView } from "@codemirror/view";
import type { RunSummary } from "./last_run.ts";
import { isUsable, type Problem, rangeOf, suggestionOf } from "./problem.ts";
import { validateNow } from "./problems.ts";
import { setRunMarks } from "./run_marks.ts";
import { declarationsIn, isTriggerAt, taskIdAt, typeAt } from "./yaml_context.ts";

/** The state of one editor; create it once a mount. */
export class EditorModel {
  /** The text as it is. */
  readonly source = signal("");
  /** The text as it is stored; empty while nothing is. */
  readonly saved = signal("");
  /** The revision that `saved` is; `undefined` for a new flow. */
  readonly revision = signal<number | undefined>(undefined);
  readonly problems = signal<readonly Problem[]>([]);
  /** The last text without errors. */
  readonly valid = signal<string | undefined>(undefined);
  /** Type and id of the task or trigger under the cursor. */
  readonly type = signal<string | undefined>(undefined);
  readonly taskId = signal<string | undefined>(undefined);
  /** The same for a task alone. */
  readonly runnableId = computed(() => this.#isTrigger.value ? undefined : this.taskId.value);
  readonly #isTrigger = signal(false);
  /** The text at the beginning. */
  readonly #first: string;
  #view: EditorView | undefined;

  constructor(source: string, revision?: number) {
    this.#first = source;
    this.source.value = source;
    // A new flow is not stored, whatever it begins with.
    this.saved.value = revision === undefined ? "" : source;
    this.revision.value = revision;
  }

  /** True if the text differs from what is stored. */
  get isChanged(): boolean {
    return this.source.value !== this.saved.value;
  }

  /** True if a person has written something that is not stored. */
  get hasLosses(): boolean {
    // Before the first save, the initial text is a template and not a person's work.
    const isUntouched = this.saved.value === "" && this.source.value === this.#first;
    return this.isChanged && !isUntouched;
  }

  /** Connects the editor on the page. */
  connect(view: EditorView): void {
    this.#view = view;
    this.#readCursor(view);
    validateNow(view);
  }

  /** Follows the text and the cursor. */
  readonly follow = EditorView.updateListener.of((update) => {
    if (update.docChanged) this.source.value = update.state.doc.toString();
    if (update.docChanged || update.selectionSet) this.#readCursor(update.view);
  });

  /** Takes the result of a validation. */
  readonly receive = (problems: readonly Problem[], source: string): void => {
    this.problems.value = problems;
    // An empty source has no mistakes, but is no flow either.
    if (isUsable(problems) && source.trim() !== "") this.valid.value = source;
  };

  /** Replaces the whole text. */
  replace(source: string): void {
    const view = this.#view;
    view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: source } });
  }

  /** Puts the cursor at a problem. */
  goToProblem(problem: Problem): void {
    const view = this.#view;
    if (view) this.#goTo(rangeOf(problem, view.state.doc).from);
  }

  /** Replaces what is wrong by what the server suggests. */
  fix(problem: Problem): void {
    const view = this.#view;
    const insert = suggestionOf(problem);
    if (view && insert !== undefined) {
      view.dispatch({ changes: { ...rangeOf(problem, view.state.doc), insert } });
    }
  }

  /** Marks the tasks with what they did in the last execution. */
  showRuns(summaries: ReadonlyMap<string, RunSummary>): void {
    this.#view?.dispatch({ effects: setRunMarks.of(summaries) });
  }

  /** Puts the cursor at the declaration of a task or trigger. */
  goToTask(id: string): void {
    const declared = declarationsIn(this.source.value).find((each) => each.id === id);
    if (declared) this.#goTo(declared.offset);
  }

  #goTo(offset: number): void {
    this.#view?.dispatch({
      selection: { anchor: offset },
      effects: EditorView.scrollIntoView(offset, { y: "center" }),
    });
    this.#view?.focus();
  }

  #readCursor({ state }: EditorView): void {
    const source = state.doc.toString();
    this.type.value = typeAt(source, state.selection.main.head);
    this.taskId.value = taskIdAt(source, state.selection.main.head);
    this.#isTrigger.value = isTriggerAt(source, state.selection.main.head);
  }
}
