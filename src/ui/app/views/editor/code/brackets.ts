/** Pairs of brackets and quotes: the partner of the one at the cursor is marked, and what is opened is closed as one types. */
import {
  EditorSelection,
  type EditorState,
  type Extension,
  StateEffect,
  StateField,
  type Transaction,
} from "@codemirror/state";
import { type Command, Decoration, EditorView, keymap } from "@codemirror/view";

const PAIRS = "()[]{}";
const QUOTES = "\"'";
/** How far a partner is looked for. */
const MAX_DISTANCE = 10_000;
/** What may follow a bracket or quote that is closed at once. */
const BEFORE = /[\s)\]}:;,>]/;

/** Offsets of the bracket beside a position and of its partner; -1 if there is none. */
function partnersAt({ doc }: EditorState, position: number): readonly [number, number] | undefined {
  for (const at of [position - 1, position]) {
    const bracket = doc.sliceString(at, at + 1);
    if (at >= 0 && bracket !== "" && PAIRS.includes(bracket)) return [at, partnerOf(doc, at, bracket)];
  }
  return undefined;
}

function partnerOf(doc: EditorState["doc"], at: number, bracket: string): number {
  const index = PAIRS.indexOf(bracket);
  const isOpen = index % 2 === 0;
  const partner = PAIRS[isOpen ? index + 1 : index - 1];
  const first = isOpen ? at : Math.max(0, at - MAX_DISTANCE);
  const text = doc.sliceString(first, isOpen ? at + MAX_DISTANCE : at + 1);
  let depth = 0;
  for (let step = 0; step < text.length; step++) {
    const place = isOpen ? step : text.length - 1 - step;
    if (text[place] === bracket) depth++;
    else if (text[place] === partner && --depth === 0) return first + place;
  }
  return -1;
}

const MATCH = Decoration.mark({ class: "cm-matchingBracket" });
const NO_MATCH = Decoration.mark({ class: "cm-nonmatchingBracket" });

function marksIn(state: EditorState) {
  const { head, empty } = state.selection.main;
  const [at, partner] = empty ? partnersAt(state, head) ?? [] : [];
  if (at === undefined || partner === undefined) return Decoration.none;
  if (partner < 0) return Decoration.set(NO_MATCH.range(at, at + 1));
  return Decoration.set([at, partner].map((place) => MATCH.range(place, place + 1)), true);
}

/** Marks the bracket at the cursor and its partner. */
export const matchingBrackets = StateField.define({
  create: marksIn,
  update: (marks, { docChanged, selection, state }) => docChanged || selection ? marksIn(state) : marks,
  provide: (field) => EditorView.decorations.from(field),
});

/** Puts the cursor at the partner of the bracket beside it. */
export const goToPartner: Command = (view) => {
  const partner = partnersAt(view.state, view.state.selection.main.head)?.[1] ?? -1;
  if (partner >= 0) view.dispatch({ selection: { anchor: partner }, scrollIntoView: true });
  return partner >= 0;
};

/** A closing bracket or quote at this offset was inserted by the editor. */
export const closed = StateEffect.define<number>();

/** Offsets of what was closed for the writer, who may type it all the same. */
const closedByEditor = StateField.define<readonly number[]>({
  create: () => [],
  update(places, { changes, effects, docChanged, selection, state }: Transaction) {
    const moved = docChanged ? places.map((place) => changes.mapPos(place, 1)) : places;
    const added = effects.filter((effect) => effect.is(closed)).map(({ value }) => value as number);
    const all = added.length > 0 ? [...moved, ...added] : moved;
    if (all.length === 0 || !(docChanged || selection)) return all;
    // On another line the writer has finished with it.
    const line = state.doc.lineAt(state.selection.main.head);
    return all.filter((place) => place >= line.from && place < line.to);
  },
});

function partnerToType(text: string): string | undefined {
  if (text.length !== 1) return undefined;
  if (QUOTES.includes(text)) return text;
  const index = PAIRS.indexOf(text);
  return index >= 0 && index % 2 === 0 ? PAIRS[index + 1] : undefined;
}

/** What happens instead of typing a character; `undefined`: it is typed. */
function typed(state: EditorState, text: string): Transaction | undefined {
  const { from, to, empty, head } = state.selection.main;
  const next = state.sliceDoc(head, head + 1);
  if (empty && next === text && state.field(closedByEditor).includes(head)) {
    return state.update({ selection: { anchor: head + 1 }, userEvent: "input.type", scrollIntoView: true });
  }
  const partner = partnerToType(text);
  if (partner === undefined || !(empty ? isPairWanted(state, text, next) : true)) return undefined;
  return state.update({
    changes: [{ from, insert: text }, { from: to, insert: partner }],
    // Behind the text that is there and the character.
    selection: empty ? EditorSelection.cursor(from + 1) : EditorSelection.range(from + 1, to + 1),
    effects: closed.of(to + 1),
    userEvent: "input.type",
    scrollIntoView: true,
  });
}

function isPairWanted(state: EditorState, text: string, next: string): boolean {
  if (next !== "" && !BEFORE.test(next)) return false;
  const { head } = state.selection.main;
  const before = state.sliceDoc(Math.max(0, head - 1), head);
  // An apostrophe, or the end of a text in quotes.
  return !QUOTES.includes(text) || !/[\p{L}\p{N}_"'\\]/u.test(before);
}

/** Deletes both of a pair that has nothing in it. */
const deletePair: Command = ({ state, dispatch }) => {
  const { head, empty } = state.selection.main;
  const [before = "", after = ""] = state.sliceDoc(Math.max(0, head - 1), head + 1);
  if (state.readOnly || !empty || head === 0 || partnerToType(before) !== after) return false;
  dispatch(state.update({ changes: { from: head - 1, to: head + 1 }, userEvent: "delete.backward" }));
  return true;
};

/** Closes brackets and quotes that are typed. */
export const closingBrackets: Extension = [
  closedByEditor,
  EditorView.inputHandler.of((view, _from, _to, text) => {
    if (view.composing || view.state.readOnly) return false;
    const transaction = typed(view.state, text);
    if (transaction) view.dispatch(transaction);
    return transaction !== undefined;
  }),
  keymap.of([{ key: "Backspace", run: deletePair }]),
];
