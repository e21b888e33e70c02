/** Colours of the parts of YAML in an editor. */
import { type EditorState, RangeSetBuilder } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { FIRST_LINE, type LineState, yamlTokens, type YamlTone } from "./yaml_tokens.ts";

const TONES: readonly YamlTone[] = ["key", "atom", "comment", "sign", "meta"];
const MARKS = new Map(TONES.map((tone) => [tone, Decoration.mark({ class: `yaml-${tone}` })]));

class YamlColours {
  decorations: DecorationSet;
  /** The state of each line that was read, from the first one. */
  readonly #states: LineState[] = [FIRST_LINE];

  constructor(view: EditorView) {
    this.decorations = this.#colours(view);
  }

  update({ docChanged, viewportChanged, changes, startState, view }: ViewUpdate): void {
    if (docChanged) {
      this.#states.length = Math.min(this.#states.length, firstChangedLine(startState, changes));
    }
    if (docChanged || viewportChanged) this.decorations = this.#colours(view);
  }

  #colours({ state: { doc }, visibleRanges }: EditorView): DecorationSet {
    const builder = new RangeSetBuilder<Decoration>();
    for (const { from, to } of visibleRanges) {
      const last = doc.lineAt(to).number;
      for (let number = doc.lineAt(from).number; number <= last; number++) {
        const line = doc.line(number);
        for (const token of this.#read(doc, number)) {
          const mark = MARKS.get(token.tone);
          if (mark) builder.add(line.from + token.from, line.from + token.to, mark);
        }
      }
    }
    return builder.finish();
  }

  /** The tokens of a line; reads the lines before it whose state is not known. */
  #read(doc: EditorState["doc"], number: number) {
    for (let known = this.#states.length; known < number; known++) {
      this.#states.push(yamlTokens(doc.line(known).text, this.#states[known - 1] ?? FIRST_LINE).next);
    }
    return yamlTokens(doc.line(number).text, this.#states[number - 1] ?? FIRST_LINE).tokens;
  }
}

/** How many states of lines a change leaves as they are. */
function firstChangedLine({ doc }: EditorState, changes: ViewUpdate["changes"]): number {
  let first = doc.length;
  changes.iterChangedRanges((from) => first = Math.min(first, from));
  return doc.lineAt(first).number;
}

/** Colours of YAML. */
export const yamlColours = ViewPlugin.fromClass(YamlColours, { decorations: (plugin) => plugin.decorations });

const matcher = new MatchDecorator({
  regexp: /\{\{.*?\}\}|\{%.*?%\}/g,
  decoration: Decoration.mark({ class: "cm-template" }),
});

/** Marks what the server renders. */
export const templateMarks = ViewPlugin.define(
  (view) => ({
    decorations: matcher.createDeco(view),
    update(change: ViewUpdate) {
      this.decorations = matcher.updateDeco(change, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);
