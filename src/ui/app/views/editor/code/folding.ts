/** Folding of what is indented below a line. */
import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import {
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  gutter,
  GutterMarker,
  type KeyBinding,
  keymap,
  WidgetType,
} from "@codemirror/view";
import { t } from "../../../texts/mod.ts";
import { blockBelow, type TextRange } from "./yaml_blocks.ts";

const fold = StateEffect.define<TextRange>({
  map: ({ from, to }, changes) => ({ from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) }),
});
/** Opens all that begins within the range. */
const unfold = StateEffect.define<TextRange>();

class Placeholder extends WidgetType {
  override toDOM(view: EditorView): HTMLElement {
    const dom = document.createElement("span");
    dom.className = "cm-folded";
    dom.textContent = "⋯";
    dom.title = t("editor.unfold");
    dom.onclick = () => {
      const { from } = view.state.doc.lineAt(view.posAtDOM(dom));
      view.dispatch({ effects: unfold.of({ from, to: view.posAtDOM(dom) }) });
    };
    return dom;
  }
}

const FOLDED = Decoration.replace({ widget: new Placeholder() });

/** What is folded. The cursor within it opens it. */
const folded = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(ranges, transaction) {
    let next = ranges.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(fold) && effect.value.from < effect.value.to) {
        next = next.update({ add: [FOLDED.range(effect.value.from, effect.value.to)] });
      } else if (effect.is(unfold)) {
        const { from: first, to: last } = effect.value;
        next = next.update({ filter: (from) => from < first || from > last });
      }
    }
    if (next.size === 0 || !(transaction.selection || transaction.docChanged)) return next;
    const { head } = transaction.state.selection.main;
    return next.update({ filter: (from, to) => head <= from || head >= to });
  },
  provide: (field) => EditorView.decorations.from(field),
});

function foldedAt(state: EditorState, number: number): boolean {
  let isFolded = false;
  const { to } = state.doc.line(number);
  state.field(folded).between(to, to, (from) => void (isFolded ||= from === to));
  return isFolded;
}

class FoldMarker extends GutterMarker {
  readonly #isFolded: boolean;

  constructor(isFolded: boolean) {
    super();
    this.#isFolded = isFolded;
  }

  override eq(other: FoldMarker): boolean {
    return this.#isFolded === other.#isFolded;
  }

  override toDOM(): HTMLElement {
    const dom = document.createElement("span");
    dom.textContent = this.#isFolded ? "›" : "⌄";
    dom.title = t(this.#isFolded ? "editor.unfold" : "editor.fold");
    return dom;
  }
}

const OPEN = new FoldMarker(false);
const CLOSED = new FoldMarker(true);

const foldGutter = gutter({
  class: "cm-foldGutter",
  lineMarker(view, { from }) {
    const { number } = view.state.doc.lineAt(from);
    if (foldedAt(view.state, number)) return CLOSED;
    return blockBelow(view.state.doc, number) ? OPEN : null;
  },
  lineMarkerChange: ({ startState, state, docChanged }) =>
    docChanged || startState.field(folded) !== state.field(folded),
  domEventHandlers: { click: (view, { from }) => toggle(view, from) },
});

function toggle(view: EditorView, position: number): boolean {
  const line = view.state.doc.lineAt(position);
  const isFolded = foldedAt(view.state, line.number);
  return isFolded ? unfoldLine(view, line) : foldLine(view, line.number);
}

function foldLine(view: EditorView, number: number): boolean {
  const range = blockBelow(view.state.doc, number);
  if (!range) return false;
  const { head } = view.state.selection.main;
  // The cursor would open it again.
  const selection = head > range.from && head < range.to ? { anchor: range.from } : undefined;
  view.dispatch({ effects: fold.of(range), selection });
  return true;
}

function unfoldLine(view: EditorView, { from, to }: TextRange): boolean {
  view.dispatch({ effects: unfold.of({ from, to }) });
  return true;
}

/** Folds the innermost part around the cursor. */
const foldHere: Command = (view) => {
  const { doc, selection } = view.state;
  const { head } = selection.main;
  for (let { number } = doc.lineAt(head); number > 0; number--) {
    const range = blockBelow(doc, number);
    if (range && range.to >= head && !foldedAt(view.state, number)) return foldLine(view, number);
  }
  return false;
};

const unfoldHere: Command = (view) => unfoldLine(view, view.state.doc.lineAt(view.state.selection.main.head));

/** Folds all parts that are within no other. */
const foldAll: Command = (view) => {
  const { doc } = view.state;
  const ranges: TextRange[] = [];
  for (let number = 1; number <= doc.lines; number++) {
    const range = blockBelow(doc, number);
    if (!range) continue;
    ranges.push(range);
    number = doc.lineAt(range.to).number;
  }
  view.dispatch({ effects: ranges.map((range) => fold.of(range)), selection: { anchor: 0 } });
  return true;
};

const unfoldAll: Command = (view) => unfoldLine(view, { from: 0, to: view.state.doc.length });

const KEYS: readonly KeyBinding[] = [
  { key: "Ctrl-Shift-[", mac: "Cmd-Alt-[", run: foldHere },
  { key: "Ctrl-Shift-]", mac: "Cmd-Alt-]", run: unfoldHere },
  { key: "Ctrl-Alt-[", run: foldAll },
  { key: "Ctrl-Alt-]", run: unfoldAll },
];

/** The gutter and keys of folding. */
export const folding: Extension = [folded, foldGutter, keymap.of(KEYS)];
