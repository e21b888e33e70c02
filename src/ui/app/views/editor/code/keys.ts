/** Keys of the editor: those of the package, without the ones that need a parser, and what YAML needs instead. */
import {
  copyLineDown,
  copyLineUp,
  cursorCharLeft,
  cursorCharRight,
  cursorDocEnd,
  cursorDocStart,
  cursorGroupLeft,
  cursorGroupRight,
  cursorLineBoundaryBackward,
  cursorLineBoundaryForward,
  cursorLineBoundaryLeft,
  cursorLineBoundaryRight,
  cursorLineDown,
  cursorLineEnd,
  cursorLineStart,
  cursorLineUp,
  cursorPageDown,
  cursorPageUp,
  deleteGroupBackward,
  deleteGroupForward,
  deleteLine,
  deleteLineBoundaryBackward,
  deleteLineBoundaryForward,
  deleteToLineEnd,
  history,
  historyKeymap,
  moveLineDown,
  moveLineUp,
  selectAll,
  selectCharLeft,
  selectCharRight,
  selectDocEnd,
  selectDocStart,
  selectGroupLeft,
  selectGroupRight,
  selectLine,
  selectLineBoundaryBackward,
  selectLineBoundaryForward,
  selectLineBoundaryLeft,
  selectLineBoundaryRight,
  selectLineDown,
  selectLineEnd,
  selectLineStart,
  selectLineUp,
  selectPageDown,
  selectPageUp,
  toggleComment,
  toggleTabFocusMode,
  transposeChars,
} from "@codemirror/commands";
import { type ChangeSpec, EditorState, type Extension, type Line, type Text } from "@codemirror/state";
import { type Command, type EditorView, type KeyBinding, keymap } from "@codemirror/view";
import { goToPartner } from "./brackets.ts";
import { partAround } from "./yaml_blocks.ts";
import { columnAfter, INDENT, indentAfter } from "./yaml_indent.ts";

const STEP = " ".repeat(INDENT);

/** Deletes what is selected, else up to where `end` is. */
function deletion(userEvent: string, end: (view: EditorView) => number): Command {
  return (view) => {
    const { state } = view;
    const { main } = state.selection;
    const other = main.empty ? end(view) : main.anchor;
    if (state.readOnly || other === main.head) return false;
    const changes = { from: Math.min(other, main.head), to: Math.max(other, main.head) };
    view.dispatch(state.update({ changes, scrollIntoView: true, userEvent }));
    return true;
  };
}

/** Before the text of a line a step at a time. */
const deleteBackward = deletion("delete.backward", (view) => {
  const { main } = view.state.selection;
  const { from, text } = view.state.doc.lineAt(main.head);
  const before = text.slice(0, main.head - from);
  const isIndent = before !== "" && /^ *$/.test(before);
  return isIndent ? main.head - (before.length % INDENT || INDENT) : view.moveByChar(main, false).head;
});

const deleteForward = deletion(
  "delete.forward",
  (view) => view.moveByChar(view.state.selection.main, true).head,
);

/** Begins the next line where YAML continues; between brackets, with the closing one on a line of its own. */
const insertLine: Command = (view) => {
  const { state } = view;
  if (state.readOnly) return false;
  const { from, to } = state.selection.main;
  const line = state.doc.lineAt(from);
  const before = line.text.slice(0, from - line.from);
  const rest = state.doc.lineAt(to).text.slice(to - state.doc.lineAt(to).from);
  const isInBrackets = /[[{]$/.test(before) && /^[\]}]/.test(rest);
  const own = before.length - before.trimStart().length;
  const column = isInBrackets ? own + INDENT : indentAfter(before);
  const insert = `\n${" ".repeat(column)}`;
  const after = isInBrackets ? `\n${" ".repeat(own)}` : "";
  // Before the text of a line the line moves down as it is.
  const isBeforeText = before.trim() === "";
  const start = isBeforeText ? from : from - (before.length - before.trimEnd().length);
  const end = isBeforeText ? to : to + (rest.length - rest.trimStart().length);
  view.dispatch(state.update({
    changes: { from: start, to: end, insert: insert + after },
    selection: { anchor: start + insert.length },
    scrollIntoView: true,
    userEvent: "input",
  }));
  return true;
};

/** Changes each line that is selected, as the first line with a text decides. */
function eachLine(
  userEvent: string,
  changeBy: (first: Line, doc: Text) => (line: Line) => ChangeSpec,
): Command {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const { from, to, empty } = state.selection.main;
    const first = state.doc.lineAt(from).number;
    const last = state.doc.lineAt(empty || state.doc.lineAt(to).from < to ? to : to - 1).number;
    const lines = Array.from({ length: last - first + 1 }, (_, index) => state.doc.line(first + index));
    const deciding = lines.find(({ text }) => text.trim() !== "") ?? state.doc.lineAt(from);
    const changes = state.changes(lines.map(changeBy(deciding, state.doc)));
    dispatch(state.update({ changes, selection: state.selection.map(changes, 1), userEvent }));
    return true;
  };
}

const indentMore = eachLine("input.indent", () => ({ from }) => ({ from, insert: STEP }));
const indentLess = eachLine("delete.dedent", () => ({ from, text }) => ({
  from,
  to: from + (/^(?: {1,2}|\t)/.exec(text)?.[0].length ?? 0),
}));
/** Moves the lines together to where the first of them belongs. */
const indentLines = eachLine("indent", (first, doc) => {
  const before = doc.sliceString(0, first.from).split("\n").reverse();
  const shift = columnAfter(before, first.text) - first.text.search(/\S|$/);
  return ({ from, text }) => {
    const column = text.search(/\S/);
    if (column < 0 || shift === 0) return [];
    return { from, to: from + column, insert: " ".repeat(Math.max(0, column + shift)) };
  };
});

/** Selects the next larger part of the source. */
const selectMore: Command = ({ state, dispatch }) => {
  const { from, to } = partAround(state.doc, state.selection.main);
  dispatch(state.update({ selection: { anchor: from, head: to }, userEvent: "select" }));
  return true;
};

/** Moves the cursor, and with the shift key the selection. */
function move(key: string, run: Command, shift: Command, mac?: string): KeyBinding {
  return { key, mac, run, shift, preventDefault: true };
}

/** The same on macOS alone. */
function macMove(mac: string, run: Command, shift?: Command): KeyBinding {
  return { mac, run, shift, preventDefault: true };
}

const MOVES: readonly KeyBinding[] = [
  move("ArrowLeft", cursorCharLeft, selectCharLeft),
  move("ArrowRight", cursorCharRight, selectCharRight),
  move("ArrowUp", cursorLineUp, selectLineUp),
  move("ArrowDown", cursorLineDown, selectLineDown),
  move("Mod-ArrowLeft", cursorGroupLeft, selectGroupLeft, "Alt-ArrowLeft"),
  move("Mod-ArrowRight", cursorGroupRight, selectGroupRight, "Alt-ArrowRight"),
  move("PageUp", cursorPageUp, selectPageUp),
  move("PageDown", cursorPageDown, selectPageDown),
  move("Home", cursorLineBoundaryBackward, selectLineBoundaryBackward),
  move("End", cursorLineBoundaryForward, selectLineBoundaryForward),
  move("Mod-Home", cursorDocStart, selectDocStart),
  move("Mod-End", cursorDocEnd, selectDocEnd),
  macMove("Cmd-ArrowLeft", cursorLineBoundaryLeft, selectLineBoundaryLeft),
  macMove("Cmd-ArrowRight", cursorLineBoundaryRight, selectLineBoundaryRight),
  macMove("Cmd-ArrowUp", cursorDocStart, selectDocStart),
  macMove("Cmd-ArrowDown", cursorDocEnd, selectDocEnd),
  macMove("Ctrl-ArrowUp", cursorPageUp, selectPageUp),
  macMove("Ctrl-ArrowDown", cursorPageDown, selectPageDown),
  macMove("Ctrl-b", cursorCharLeft, selectCharLeft),
  macMove("Ctrl-f", cursorCharRight, selectCharRight),
  macMove("Ctrl-p", cursorLineUp, selectLineUp),
  macMove("Ctrl-n", cursorLineDown, selectLineDown),
  macMove("Ctrl-a", cursorLineStart, selectLineStart),
  macMove("Ctrl-e", cursorLineEnd, selectLineEnd),
  macMove("Ctrl-v", cursorPageDown),
];

/** Keys of all texts, also of those that cannot be changed. */
export const readingKeys: Extension = keymap.of([
  ...MOVES,
  { key: "Mod-a", run: selectAll },
  { key: "Alt-l", mac: "Ctrl-l", run: selectLine },
  { key: "Mod-i", run: selectMore, preventDefault: true },
  { key: "Shift-Mod-\\", run: goToPartner },
  { key: "Ctrl-m", mac: "Shift-Alt-m", run: toggleTabFocusMode },
]);

const WRITING: readonly KeyBinding[] = [
  { key: "Enter", run: insertLine, shift: insertLine },
  { key: "Backspace", run: deleteBackward, shift: deleteBackward, preventDefault: true },
  { key: "Delete", run: deleteForward, preventDefault: true },
  { key: "Mod-Backspace", mac: "Alt-Backspace", run: deleteGroupBackward, preventDefault: true },
  { key: "Mod-Delete", mac: "Alt-Delete", run: deleteGroupForward, preventDefault: true },
  { key: "Tab", run: indentMore, shift: indentLess },
  { key: "Mod-]", run: indentMore },
  { key: "Mod-[", run: indentLess },
  { key: "Mod-Alt-\\", run: indentLines },
  { key: "Alt-ArrowUp", run: moveLineUp },
  { key: "Alt-ArrowDown", run: moveLineDown },
  { key: "Shift-Alt-ArrowUp", run: copyLineUp },
  { key: "Shift-Alt-ArrowDown", run: copyLineDown },
  { key: "Shift-Mod-k", run: deleteLine },
  { key: "Mod-/", run: toggleComment },
  { key: "Alt-A", run: toggleComment },
  macMove("Mod-Backspace", deleteLineBoundaryBackward),
  macMove("Mod-Delete", deleteLineBoundaryForward),
  macMove("Ctrl-d", deleteForward),
  macMove("Ctrl-h", deleteBackward),
  macMove("Ctrl-k", deleteToLineEnd),
  macMove("Ctrl-t", transposeChars),
];

/** Keys that change the text, and the way back. */
export const writingKeys: Extension = [
  history(),
  EditorState.languageData.of(() => [{ commentTokens: { line: "#" } }]),
  keymap.of([...WRITING, ...historyKeymap]),
];
