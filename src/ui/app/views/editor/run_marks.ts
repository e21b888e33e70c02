/** Marks behind the ids of tasks in a source: how each of them ended in the last execution. */
import { type EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { durationText } from "../../core/time.ts";
import { type Tone, toneOf } from "../../kit/state_badge.tsx";
import { t } from "../../texts/mod.ts";
import type { RunSummary } from "./last_run.ts";
import { declarationsIn } from "./yaml_context.ts";

type Summaries = ReadonlyMap<string, RunSummary>;

interface Marks {
  readonly summaries: Summaries;
  readonly decorations: DecorationSet;
}

const SYMBOLS: Readonly<Record<Tone, string>> = {
  good: "✓",
  bad: "✕",
  warn: "!",
  held: "‖",
  busy: "…",
  idle: "○",
};

/** Replaces the marks; the key is the id of the task. */
export const setRunMarks = StateEffect.define<Summaries>();

class RunMark extends WidgetType {
  readonly #summary: RunSummary;

  constructor(summary: RunSummary) {
    super();
    this.#summary = summary;
  }

  override eq(mark: RunMark): boolean {
    const other = mark.#summary;
    const { state, count, seconds } = this.#summary;
    return other.state === state && other.count === count && other.seconds === seconds;
  }

  override toDOM(): HTMLElement {
    const { state, count, seconds } = this.#summary;
    const tone = toneOf(state);
    const mark = document.createElement("span");
    mark.className = `cm-run ${tone}`;
    mark.textContent = `${SYMBOLS[tone]} ${count > 1 ? `${count} ×` : durationText(seconds)}`;
    mark.title = t("editor.lastRunMark", { state, count });
    return mark;
  }
}

/** Shows the marks, and moves them with the text. */
export const runMarks = StateField.define<Marks>({
  create: () => ({ summaries: new Map(), decorations: Decoration.none }),
  update(marks, { state, docChanged, effects }) {
    const summaries = effects.find((effect) => effect.is(setRunMarks))?.value as Summaries | undefined;
    if (!summaries && !docChanged) return marks;
    return marksIn(state, summaries ?? marks.summaries);
  },
  provide: (field) => EditorView.decorations.from(field, ({ decorations }) => decorations),
});

function marksIn(state: EditorState, summaries: Summaries): Marks {
  const ranges = declarationsIn(state.doc.toString()).flatMap(({ id, offset }) => {
    const summary = summaries.get(id);
    if (!summary) return [];
    return Decoration.widget({ widget: new RunMark(summary), side: 1 }).range(state.doc.lineAt(offset).to);
  });
  return { summaries, decorations: Decoration.set(ranges, true) };
}
