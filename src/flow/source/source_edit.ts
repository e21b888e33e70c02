/** Comparing sources, and the one change that the server makes to them. */
import { isMap, isScalar } from "@std/yaml";
import { jsonEquals, type JsonObject, ownProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import { parseFlowSource } from "./parse.ts";
import { SourceLines } from "./source_lines.ts";
import { keyName, nodeRange, parseYamlTree } from "../../languages/yaml/mod.ts";

/** A source and what it was parsed to. */
export interface SavedSource {
  readonly document: JsonObject;
  readonly source: string;
}

const REVISION_LINE = /^revision[ \t]*:[ \t]*\d+[ \t]*(?:\r?\n|$)/m;
const UNCOMPARED = ["revision", "deleted"];

/** True when saving `b` after `a` changes nothing: the `revision: n` line and managed members do not count. */
export function isSameSource(a: SavedSource, b: SavedSource): boolean {
  return a.source.replace(REVISION_LINE, "") === b.source.replace(REVISION_LINE, "") &&
    jsonEquals(withoutManaged(a.document), withoutManaged(b.document));
}

function withoutManaged(document: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !UNCOMPARED.includes(name)));
}

/**
 * The source with `disabled` set, everything else untouched: the value of a `disabled:` line is replaced, or a line is
 * added before the first one. Nothing changes when the flow is in that state already.
 * @throws DomainError conflict for a source that cannot be read
 */
export function setDisabled(source: string, disabled: boolean): string {
  const { document } = parseFlowSource(source);
  const root = parseYamlTree(source).document?.contents;
  if (!document || !isMap(root)) {
    throw new DomainError("conflict", "Cannot change the flow: its source is malformed");
  }
  const current = ownProperty(document, "disabled");
  if (String(current ?? false) === String(disabled)) return source;
  const pair = root.items.find((item) => keyName(item.key) === "disabled");
  if (pair && isScalar(pair.value)) return replaceValue(source, pair.value, disabled);
  const [start] = nodeRange(root);
  if (root.flow) return `${source.slice(0, start + 1)}"disabled": ${disabled}, ${source.slice(start + 1)}`;
  const line = new SourceLines(source).lineStart(start);
  const indent = /^[ \t]*/.exec(source.slice(line))?.[0] ?? "";
  const end = source.includes("\r\n") ? "\r\n" : "\n";
  return `${source.slice(0, line)}${indent}disabled: ${disabled}${end}${source.slice(line)}`;
}

/** An empty value ends right after its colon. */
function replaceValue(source: string, value: unknown, disabled: boolean): string {
  const [start, end] = nodeRange(value);
  const isEmpty = start === end;
  return `${source.slice(0, start)}${isEmpty ? " " : ""}${disabled}${source.slice(end)}`;
}
