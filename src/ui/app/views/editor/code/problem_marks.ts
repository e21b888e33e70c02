/** Marks of what is wrong with a text: under the text and in the gutter; what is at the mouse is explained. */
import {
  type Extension,
  type Range,
  RangeSet,
  StateEffect,
  StateField,
  type TransactionSpec,
} from "@codemirror/state";
import {
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  gutter,
  GutterMarker,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { Popup } from "./popup.ts";

/** A problem at its place. */
export interface ProblemMark {
  readonly from: number;
  readonly to: number;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  /** A text that replaces what is wrong. */
  readonly fix?: { readonly name: string; readonly insert: string };
}

interface Marks {
  readonly list: readonly ProblemMark[];
  readonly underlines: DecorationSet;
  readonly signs: RangeSet<GutterMarker>;
}

/** The mouse has to rest on a mark, and may leave it for its explanation. */
const PAUSE_MS = 200;
const SEVERITIES = ["error", "warning", "info"] as const;

const replaceMarks = StateEffect.define<readonly ProblemMark[]>();

/** What shows the problems of a text, in place of those before. */
export function showMarks(marks: readonly ProblemMark[]): TransactionSpec {
  return { effects: replaceMarks.of([...marks].sort((a, b) => a.from - b.from)) };
}

class Sign extends GutterMarker {
  readonly #severity: ProblemMark["severity"];

  constructor(severity: ProblemMark["severity"]) {
    super();
    this.#severity = severity;
  }

  override toDOM(): HTMLElement {
    const dom = document.createElement("span");
    dom.className = `cm-sign ${this.#severity}`;
    dom.textContent = this.#severity === "error" ? "✕" : "!";
    return dom;
  }
}

const SIGNS = { error: new Sign("error"), warning: new Sign("warning"), info: new Sign("info") };

const marks = StateField.define<Marks>({
  create: () => ({ list: [], underlines: Decoration.none, signs: RangeSet.empty }),
  update(present, { effects, changes, docChanged, newDoc }) {
    const given = effects.find((effect) => effect.is(replaceMarks))?.value as ProblemMark[] | undefined;
    if (!given && !(docChanged && present.list.length > 0)) return present;
    const moved = (mark: ProblemMark) => {
      const from = changes.mapPos(mark.from, 1);
      return { ...mark, from, to: Math.max(from, changes.mapPos(mark.to, -1)) };
    };
    const list = given ?? present.list.map(moved);
    return { list, underlines: underlinesOf(list), signs: signsOf(list, (at) => newDoc.lineAt(at).from) };
  },
  provide: (field) => EditorView.decorations.from(field, ({ underlines }) => underlines),
});

function underlinesOf(list: readonly ProblemMark[]): DecorationSet {
  const ranges = list.filter(({ from, to }) => to > from)
    .map(({ from, to, severity }) => Decoration.mark({ class: `cm-wrong ${severity}` }).range(from, to));
  return Decoration.set(ranges, true);
}

/** One in a line: the worst. */
function signsOf(list: readonly ProblemMark[], startOf: (offset: number) => number): RangeSet<GutterMarker> {
  const worst = new Map<number, ProblemMark["severity"]>();
  for (const severity of SEVERITIES.toReversed()) {
    for (const mark of list) if (mark.severity === severity) worst.set(startOf(mark.from), severity);
  }
  const ranges = [...worst].map(([start, severity]): Range<GutterMarker> => SIGNS[severity].range(start));
  return RangeSet.of(ranges, true);
}

/** Explains what is at the mouse, or where F8 leads. */
class Explanation {
  readonly #view: EditorView;
  readonly #popup: Popup;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView) {
    this.#view = view;
    this.#popup = new Popup(view, "cm-problem");
    view.dom.addEventListener("mouseover", this);
    view.dom.addEventListener("mouseleave", this);
  }

  update({ docChanged, selectionSet, geometryChanged }: ViewUpdate): void {
    if (docChanged || selectionSet) this.#popup.hide();
    else if (geometryChanged) this.#popup.place();
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#view.dom.removeEventListener("mouseover", this);
    this.#view.dom.removeEventListener("mouseleave", this);
    this.#popup.destroy();
  }

  handleEvent({ type, target, clientY }: MouseEvent): void {
    if (!(target instanceof Element)) return;
    clearTimeout(this.#timer);
    if (type === "mouseover" && this.#popup.dom.contains(target)) return;
    const found = type === "mouseover" ? this.#marksAt(target, clientY) : [];
    this.#timer = setTimeout(() => this.show(found), PAUSE_MS);
  }

  show(found: readonly ProblemMark[]): void {
    const [first] = found;
    if (first) this.#popup.show(first.from, ...found.map((mark) => this.#draw(mark)));
    else this.#popup.hide();
  }

  #marksAt(target: Element, clientY: number): readonly ProblemMark[] {
    const { state } = this.#view;
    const { list } = state.field(marks);
    if (target.closest(".cm-sign")) {
      const { from, to } = this.#view.lineBlockAtHeight(clientY - this.#view.documentTop);
      return list.filter((mark) => mark.from >= from && mark.from <= to);
    }
    const wrong = target.closest(".cm-wrong");
    if (!wrong) return [];
    const position = this.#view.posAtDOM(wrong);
    return list.filter(({ from, to }) => from <= position && position < to);
  }

  #draw(mark: ProblemMark): HTMLElement {
    const dom = document.createElement("div");
    dom.className = `cm-diagnostic ${mark.severity}`;
    dom.textContent = mark.message;
    if (mark.fix) dom.append(" ", this.#fixButton(mark, mark.fix));
    return dom;
  }

  #fixButton(mark: ProblemMark, { name, insert }: NonNullable<ProblemMark["fix"]>): HTMLElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "cm-diagnosticAction";
    button.textContent = name;
    button.onclick = () => {
      this.#view.dispatch({ changes: { from: mark.from, to: mark.to, insert } });
      this.#view.focus();
    };
    return button;
  }
}

const explanation = ViewPlugin.fromClass(Explanation);

/** Goes to the next problem, from the last one to the first, and explains it. */
const goToNext: Command = (view) => {
  const { list } = view.state.field(marks);
  const next = list.find(({ from }) => from > view.state.selection.main.from) ?? list[0];
  if (!next) return false;
  view.dispatch({ selection: { anchor: next.from, head: next.to }, scrollIntoView: true });
  view.plugin(explanation)?.show(list.filter(({ from }) => from === next.from));
  return true;
};

/** Shows the problems that {@link showMarks} gives. */
export const problemMarks: Extension = [
  marks,
  explanation,
  gutter({ class: "cm-signs", markers: (view) => view.state.field(marks).signs }),
  keymap.of([{ key: "F8", run: goToNext }]),
];
