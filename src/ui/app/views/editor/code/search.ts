/** What is looked for in an editor: the matches, their marks, and the commands that go through them. */
import {
  EditorSelection,
  type EditorState,
  type Extension,
  StateEffect,
  StateField,
} from "@codemirror/state";
import {
  type Command,
  Decoration,
  EditorView,
  keymap,
  type PanelConstructor,
  showPanel,
} from "@codemirror/view";
import { type Match, matchesIn, patternOf, type Query, replacementAt } from "./text_search.ts";

/** What the panel asks for. */
interface Search {
  readonly kind: "text" | "line";
  readonly isOpen: boolean;
  readonly query: Query;
  readonly pattern: RegExp | undefined;
  readonly matches: readonly Match[];
}

const NOTHING: Search = {
  kind: "text",
  isOpen: false,
  query: { text: "", isRegExp: false, isCaseSensitive: false, isWholeWord: false },
  pattern: undefined,
  matches: [],
};
/** Longer selections are not marked elsewhere. */
const MAX_SELECTION = 200;
const MATCH = Decoration.mark({ class: "cm-searchMatch" });
const CHOSEN = Decoration.mark({ class: "cm-searchMatch-selected" });
const SAME = Decoration.mark({ class: "cm-selectionMatch" });

/** Changes what is asked for. */
export const setSearch = StateEffect.define<Partial<Pick<Search, "kind" | "isOpen" | "query">>>();

/** The search of an editor. */
export const search = StateField.define<Search>({
  create: () => NOTHING,
  update(present, { effects, docChanged, newDoc }) {
    const given = effects.find((effect) => effect.is(setSearch))?.value as Partial<Search> | undefined;
    if (!given && !(docChanged && present.pattern)) return present;
    const next = { ...present, ...given };
    const pattern = patternOf(next.query);
    return { ...next, pattern, matches: pattern ? matchesIn(newDoc.toString(), pattern) : [] };
  },
  provide: (field) =>
    EditorView.decorations.from(
      field,
      ({ isOpen, kind, matches }) =>
        isOpen && kind === "text"
          ? Decoration.set(matches.map(({ from, to }) => MATCH.range(from, to)))
          : Decoration.none,
    ),
});

/** The index of the match that is selected; -1: none. */
export function selectedMatch(state: EditorState): number {
  const { from, to } = state.selection.main;
  return state.field(search).matches.findIndex((match) => match.from === from && match.to === to);
}

/** Selects the match behind the selection, or before it. After the last one the first follows. */
export function goToMatch(by: 1 | -1): Command {
  return (view) => {
    const { matches } = view.state.field(search);
    const { from, to } = view.state.selection.main;
    const next = by > 0
      ? matches.find((match) => match.from >= to) ?? matches[0]
      : matches.findLast((match) => match.to <= from) ?? matches.at(-1);
    if (!next) return false;
    select(view, next);
    return true;
  };
}

function select(view: EditorView, { from, to }: Match): void {
  const range = EditorSelection.range(from, to);
  const effects = EditorView.scrollIntoView(range, { y: "nearest", yMargin: 60 });
  view.dispatch({ selection: range, effects, userEvent: "select.search" });
}

/** Replaces the selected match, or all, and goes on to the next one. */
export function replaceMatches(view: EditorView, replacement: string, isAll: boolean): void {
  const { matches, pattern, query } = view.state.field(search);
  const chosen = isAll ? matches : matches.slice(selectedMatch(view.state)).slice(0, 1);
  if (view.state.readOnly || !pattern) return;
  if (!isAll && selectedMatch(view.state) < 0) return void goToMatch(1)(view);
  const source = view.state.doc.toString();
  const changes = chosen.map((match) => ({
    ...match,
    insert: query.isRegExp ? replacementAt(source, match, pattern, replacement) : replacement,
  }));
  view.dispatch({ changes, userEvent: "input.replace" });
  goToMatch(1)(view);
}

/** Puts the cursor at a line. */
export function goToLine(view: EditorView, number: number): void {
  const { doc } = view.state;
  const { from } = doc.line(Math.max(1, Math.min(doc.lines, number)));
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  closeSearch(view);
}

/** Closes the panel; the matches remain for the keys that go through them. */
export function closeSearch(view: EditorView): boolean {
  view.dispatch({ effects: setSearch.of({ isOpen: false }) });
  view.focus();
  return true;
}

/** Puts the cursor into the first field of the panel. */
export function focusField(dom: HTMLElement): void {
  const field = dom.querySelector<HTMLInputElement>(".cm-search input, :scope > form input");
  field?.focus();
  field?.select();
}

function open(kind: Search["kind"]): Command {
  return (view) => {
    const { query } = view.state.field(search);
    const { from, to } = view.state.selection.main;
    const selected = view.state.sliceDoc(from, Math.min(to, from + MAX_SELECTION));
    const text = selected === "" || selected.includes("\n") ? query.text : selected;
    view.dispatch({ effects: setSearch.of({ kind, isOpen: true, query: { ...query, text } }) });
    // If the panel was open already.
    focusField(view.dom);
    return true;
  };
}

/** Looks for what is selected, or the word at the cursor. */
const goToSame: Command = (view) => {
  const { main } = view.state.selection;
  const word = main.empty ? view.state.wordAt(main.head) : main;
  if (!word) return false;
  const text = view.state.sliceDoc(word.from, word.to);
  view.dispatch({ effects: setSearch.of({ query: { ...NOTHING.query, text, isCaseSensitive: true } }) });
  return goToMatch(1)(view);
};

/** The same text elsewhere, while a part of a line is selected. */
const sameTexts = EditorView.decorations.compute(["selection", "doc", search], (state) => {
  const { from, to } = state.selection.main;
  const text = to - from <= MAX_SELECTION ? state.sliceDoc(from, to) : "";
  if (text.trim() === "" || text.includes("\n") || state.field(search).isOpen) return Decoration.none;
  const pattern = patternOf({ ...NOTHING.query, text, isCaseSensitive: true });
  const matches = pattern ? matchesIn(state.doc.toString(), pattern) : [];
  return Decoration.set(
    matches.filter((match) => match.from !== from).map((match) => SAME.range(match.from, match.to)),
  );
});

/** Marks the match that is selected. */
const chosenMatch = EditorView.decorations.compute(["selection", search], (state) => {
  const { isOpen, matches } = state.field(search);
  const match = isOpen ? matches[selectedMatch(state)] : undefined;
  return match ? Decoration.set(CHOSEN.range(match.from, match.to)) : Decoration.none;
});

/** Search by the panel that is given, and its keys. */
export function searching(panel: PanelConstructor): Extension {
  return [
    search,
    sameTexts,
    chosenMatch,
    showPanel.compute([search], (state) => state.field(search).isOpen ? panel : null),
    keymap.of([
      { key: "Mod-f", run: open("text"), preventDefault: true },
      { key: "Mod-Alt-g", run: open("line") },
      { key: "F3", run: goToMatch(1), shift: goToMatch(-1), preventDefault: true },
      { key: "Mod-g", run: goToMatch(1), shift: goToMatch(-1), preventDefault: true },
      { key: "Mod-d", run: goToSame, preventDefault: true },
    ]),
  ];
}
