/** Two texts side by side; on small screens one below the other as changes of one text. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../../texts/mod.ts";
import { FIRST_LINE, type YamlToken, yamlTokens } from "./code/yaml_tokens.ts";
import { innerChange, lineDiff } from "./line_diff.ts";

interface DiffProps {
  readonly before: string;
  readonly after: string;
  readonly beforeTitle: string;
  readonly afterTitle: string;
  /** Of another language than YAML. */
  readonly isPlain?: boolean;
}

const NARROW = "(max-width: 760px)";
/** Lines that stay visible around a change, and the fewest that are hidden. */
const MARGIN = 4;
const MIN_HIDDEN = 8;

/** A line with its number and the colours of its parts. */
interface TextLine {
  readonly number: number;
  readonly text: string;
  readonly tokens: readonly YamlToken[];
}

interface Part {
  readonly isSame: boolean;
  readonly before: readonly TextLine[];
  readonly after: readonly TextLine[];
}

/** The differences; give it a `key` that changes with the texts. */
export function DiffView({ before, after, beforeTitle, afterTitle, isPlain = false }: DiffProps) {
  const [parts] = useState(() => partsOf(before, after, isPlain));
  const [isNarrow] = useState(() => matchMedia(NARROW).matches);
  return (
    <figure class={isNarrow ? "diff narrow" : "diff"}>
      <figcaption>
        <span>{beforeTitle}</span>
        <span>{afterTitle}</span>
      </figcaption>
      <div class="diff-body" tabIndex={0} role="group" aria-label={`${beforeTitle}, ${afterTitle}`}>
        {parts.map((part, index) => {
          if (!part.isSame) return <Changed key={index} part={part} isNarrow={isNarrow} />;
          const around = { start: index === 0 ? 0 : MARGIN, end: index === parts.length - 1 ? 0 : MARGIN };
          return <Same key={index} part={part} around={around} isNarrow={isNarrow} />;
        })}
      </div>
    </figure>
  );
}

function partsOf(before: string, after: string, isPlain: boolean): readonly Part[] {
  const [linesA, linesB] = [linesOf(before, isPlain), linesOf(after, isPlain)];
  let [a, b] = [0, 0];
  return lineDiff(before, after).map(({ isSame, before, after }) => ({
    isSame,
    before: linesA.slice(a, a += before.length),
    after: linesB.slice(b, b += after.length),
  }));
}

function linesOf(source: string, isPlain: boolean): readonly TextLine[] {
  let state = FIRST_LINE;
  return source.split("\n").map((text, index) => {
    const { tokens, next } = isPlain ? { tokens: [], next: state } : yamlTokens(text, state);
    state = next;
    return { number: index + 1, text, tokens };
  });
}

interface PartProps {
  readonly part: Part;
  readonly isNarrow: boolean;
}

/** Lines that did not change; those far from a change are shown when one asks for them. */
function Same({ part: { before, after }, around: { start, end }, isNarrow }: PartProps & {
  readonly around: { readonly start: number; readonly end: number };
}) {
  const [isOpen, setOpen] = useState(false);
  const rows = before.map((line, index) => (
    <div key={line.number} class="diff-line">
      {!isNarrow && <Line line={line} />}
      <Line line={after[index]} />
    </div>
  ));
  const hidden = before.length - start - end;
  if (isOpen || hidden < MIN_HIDDEN) return <>{rows}</>;
  return (
    <>
      {rows.slice(0, start)}
      <button type="button" class="plain" onClick={() => setOpen(true)}>
        ⋯ {t("diff.sameLines", { count: hidden })}
      </button>
      {rows.slice(start + hidden)}
    </>
  );
}

function Changed({ part: { before, after }, isNarrow }: PartProps) {
  const old = (line: TextLine | undefined, index: number) => (
    <Line key={`-${index}`} line={line} other={after[index]} tag="del" />
  );
  const fresh = (line: TextLine | undefined, index: number) => (
    <Line key={`+${index}`} line={line} other={before[index]} tag="ins" />
  );
  const rows = isNarrow
    ? [...before.map(old), ...after.map(fresh)].map((line) => [line])
    : (before.length > after.length ? before : after).map((_, index) => [
      old(before[index], index),
      fresh(after[index], index),
    ]);
  return <>{rows.map((row, index) => <div key={index} class="diff-line">{row}</div>)}</>;
}

interface LineProps {
  /** Absent: only the other text has a line here. */
  readonly line?: TextLine;
  /** The line of the other text in place of one that changed. */
  readonly other?: TextLine;
  readonly tag?: "ins" | "del";
}

function Line({ line, other, tag: Tag }: LineProps) {
  if (!line) return <div class="diff-none" />;
  const { number, text } = line;
  const { start, end } = Tag ? innerChange(text, other?.text ?? "") : { start: text.length, end: 0 };
  const last = text.length - end;
  return (
    <div class={`diff-text ${Tag ?? ""}`}>
      <b>{number}</b>
      <code>
        {coloured(line, 0, start)}
        {Tag && <Tag>{coloured(line, start, last)}</Tag>}
        {coloured(line, last, text.length)}
      </code>
    </div>
  );
}

/** A piece of a line, in the colours of its parts. */
function coloured({ text, tokens }: TextLine, from: number, to: number): ComponentChildren {
  const inside = (offset: number) => Math.max(from, Math.min(to, offset));
  const cuts = [from, ...tokens.flatMap((token) => [inside(token.from), inside(token.to)]), to];
  return cuts.slice(1).map((end, index) => {
    const piece = text.slice(cuts[index], end);
    if (piece === "") return null;
    const tone = index % 2 === 1 ? tokens[(index - 1) / 2]?.tone : undefined;
    return tone ? <span key={index} class={`yaml-${tone}`}>{piece}</span> : piece;
  });
}
