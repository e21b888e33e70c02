/** A JSON value as a tree that unfolds; each value can be copied, and so can the expression that reads it. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../texts/mod.ts";
import { CopyButton } from "./values.tsx";

interface ValueTreeProps {
  readonly value: unknown;
  /** Expression of the value, such as `outputs.fetch`. */
  readonly path: string;
  /** Shown instead of a text that is more than a text, such as the address of a file. */
  readonly special?: (text: string) => ComponentChildren | undefined;
  /** Levels that are unfolded at first. */
  readonly openLevels?: number;
}

/** Children of one value that are shown at first, and added by each press of "more". */
const STEP = 100;
/** A longer text is folded. */
const MAX_TEXT = 2_000;

/** The tree; the value itself is not named. */
export function ValueTree({ value, path, special, openLevels = 2 }: ValueTreeProps) {
  const entries = entriesOf(value, path);
  if (!entries) return <Leaf value={value} special={special} />;
  return <Entries entries={entries} special={special} openLevels={openLevels} />;
}

interface Entry {
  readonly name: string;
  readonly value: unknown;
  readonly path: string;
}

function Entries({ entries, special, openLevels }: {
  readonly entries: readonly Entry[];
  readonly special: ValueTreeProps["special"];
  readonly openLevels: number;
}) {
  const [count, setCount] = useState(STEP);
  if (entries.length === 0) return <span class="dim">{t("value.empty")}</span>;
  return (
    <ul class="tree">
      {entries.slice(0, count).map((entry) => (
        <li key={entry.path}>
          <Node entry={entry} special={special} openLevels={openLevels} />
        </li>
      ))}
      {entries.length > count && (
        <li>
          <button type="button" class="plain" onClick={() => setCount(count + STEP)}>
            {t("value.more", { count: entries.length - count })}
          </button>
        </li>
      )}
    </ul>
  );
}

function Node({ entry, special, openLevels }: {
  readonly entry: Entry;
  readonly special: ValueTreeProps["special"];
  readonly openLevels: number;
}) {
  const { name, value, path } = entry;
  const [isOpen, setOpen] = useState(openLevels > 0);
  const entries = entriesOf(value, path);
  if (!entries) {
    return (
      <div class="leaf">
        <code class="key">{name}</code>
        <Leaf value={value} special={special} />
        <CopyButton text={`{{ ${path} }}`} title={t("value.copyPath")} />
        <CopyButton text={textOf(value)} />
      </div>
    );
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code class="key">{name}</code> <span class="dim">{sizeText(value, entries.length)}</span>{" "}
        <CopyButton text={`{{ ${path} }}`} title={t("value.copyPath")} />
        <CopyButton text={textOf(value)} />
      </summary>
      {isOpen && <Entries entries={entries} special={special} openLevels={openLevels - 1} />}
    </details>
  );
}

function Leaf({ value, special }: Pick<ValueTreeProps, "value" | "special">) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== "string") return <code class="literal">{JSON.stringify(value) ?? "–"}</code>;
  const shown = special?.(value);
  if (shown !== undefined) return <>{shown}</>;
  const isLong = value.length > MAX_TEXT && !isWhole;
  return (
    <span class="text">
      {isLong ? value.slice(0, MAX_TEXT) : value}
      {isLong && (
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          {t("value.more", { count: value.length - MAX_TEXT })}
        </button>
      )}
    </span>
  );
}

/** What is within a value; `undefined` for one without parts. */
function entriesOf(value: unknown, path: string): readonly Entry[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    return value.map((each, index) => ({ name: String(index), value: each, path: `${path}[${index}]` }));
  }
  return Object.entries(value).map(([name, each]) => ({ name, value: each, path: memberPath(path, name) }));
}

/** The expression of a member; names that are not words stand in brackets. A backslash escapes quotes only. */
export function memberPath(path: string, name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return path === "" ? name : `${path}.${name}`;
  return `${path}['${name.replaceAll("'", "\\'")}']`;
}

function sizeText(value: unknown, count: number): string {
  return Array.isArray(value) ? `[${count}]` : `{${count}}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
