/** Source texts: comparing two sources, and setting a top-level member. */
import { isAlias, isMap, isScalar, type YAMLMap } from "yaml";
import {
  isJsonObject,
  jsonEquals,
  type JsonObject,
  ownProperty,
  stringifyJson,
  tryParseJson,
} from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import { type ParsedSource, parseFlowSource, parseYamlValue } from "./parse.ts";
import { SourceLines } from "./source_lines.ts";
import { keyName, nodeRange, parseYamlTree, yamlText } from "../../languages/yaml/mod.ts";

/** A source and the document it was parsed to. */
export interface SavedSource {
  readonly document: JsonObject;
  readonly source: string;
}

/** Members of the document that the server sets; submitted values are ignored. */
export const MANAGED_PROPERTIES: ReadonlySet<string> = new Set([
  "revision",
  "deleted",
  "draft",
  "tenantId",
  "updated",
]);

const REVISION_LINE = /^revision[ \t]*:[ \t]*\d+[ \t]*(?:\r?\n|$)/m;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * The source of a flow in JSON as YAML, without what the server adds to a flow that it returns; a source that is no JSON, or would
 * be too long, stays as it is.
 */
export function jsonAsYaml({ source, document: given }: ParsedSource): string {
  if (!given || tryParseJson(source) === undefined) return source;
  const document = withoutManaged(given);
  if (document.disabled === false) delete document.disabled;
  const text = yamlText(document);
  const written = parseFlowSource(text).document;
  return written && jsonEquals(written, document) ? text : source;
}

/** A flow in JSON without the source that the server adds to a flow that it returns: its other members count. */
export function withoutSource(json: string): string {
  const flow = tryParseJson(json);
  if (!isJsonObject(flow) || typeof ownProperty(flow, "source") !== "string") return json;
  const { source: _, ...rest } = flow;
  return stringifyJson(rest);
}

/** True when saving `b` after `a` changes nothing: the `revision: n` line and managed members do not count. */
export function isSameSource(a: SavedSource, b: SavedSource): boolean {
  return a.source.replace(REVISION_LINE, "") === b.source.replace(REVISION_LINE, "") &&
    jsonEquals(withoutManaged(a.document), withoutManaged(b.document));
}

function withoutManaged(document: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !MANAGED_PROPERTIES.has(name)));
}

/** The source with its `namespace` replaced or added, everything else untouched; a source that is no mapping stays as it is. */
export function setNamespace(source: string, namespace: string): string {
  return setText(source, "namespace", namespace);
}

/** The source with its `id` replaced or added, as {@link setNamespace}. */
export function setId(source: string, id: string): string {
  return setText(source, "id", id);
}

function setText(source: string, name: string, value: string): string {
  const root = parseYamlTree(source).document?.contents;
  return isMap(root) ? setMember(source, root, name, value) : source;
}

/**
 * The source with `disabled` replaced or added, everything else untouched; the same source when it has that value already.
 * @throws DomainError conflict: the source is malformed, or other parts would change, because they refer to the value
 */
export function setDisabled(source: string, disabled: boolean): string {
  const { document } = parseFlowSource(source);
  const root = parseYamlTree(source).document?.contents;
  if (!document || !isMap(root)) {
    throw new DomainError("conflict", "Cannot change the flow: its source is malformed");
  }
  const current = ownProperty(document, "disabled");
  if (String(current ?? false) === String(disabled)) return source;
  const edited = setMember(source, root, "disabled", disabled);
  const after = parseFlowSource(edited).document;
  if (after && jsonEquals(after, { ...document, disabled })) return edited;
  throw new DomainError(
    "conflict",
    'Cannot set "disabled" alone: other parts of the source would change; update the flow',
  );
}

/** Replaces the value of a scalar member, else adds a member before the first one. */
function setMember(source: string, root: YAMLMap, name: string, value: string | boolean): string {
  const pair = root.items.find((item) => keyName(item.key) === name);
  if (pair && (isScalar(pair.value) || isAlias(pair.value))) {
    const [start, end] = nodeRange(pair.value);
    const head = source.slice(0, start), rest = source.slice(end);
    if (start === end) {
      // An empty value ends right after its colon, or before a comment.
      const before = /\s$/.test(head) ? "" : " ", after = rest.startsWith("#") ? " " : "";
      return `${head}${before}${scalarText(value)}${after}${rest}`;
    }
    // A block ends after its last line.
    const after = /\r?\n$/.exec(source.slice(start, end))?.[0] ?? "";
    return `${head}${scalarText(value)}${after}${rest}`;
  }
  const [start] = nodeRange(root);
  if (root.flow) {
    return `${source.slice(0, start + 1)}"${name}": ${JSON.stringify(value)}, ${source.slice(start + 1)}`;
  }
  const line = Math.max(new SourceLines(source).lineStart(start), source.startsWith(BYTE_ORDER_MARK) ? 1 : 0);
  const indent = /^[ \t]*/.exec(source.slice(line))?.[0] ?? "";
  const end = source.includes("\r\n") ? "\r\n" : "\n";
  return `${source.slice(0, line)}${indent}${name}: ${scalarText(value)}${end}${source.slice(line)}`;
}

/** A value as a plain scalar, in quotes if it would be read as something else. */
export function scalarText(value: string | boolean): string {
  const text = String(value);
  const parsed = parseYamlValue(text);
  return "value" in parsed && parsed.value === value ? text : JSON.stringify(value);
}
