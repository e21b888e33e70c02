/** Where the source of a flow names namespaces: as literal properties, and in expressions. Edits the literal ones in place. */
import { isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap } from "yaml";
import { canonicalType } from "../../model/flows/flow.ts";
import { keyName, nodeRange, parseYamlTree } from "../../languages/yaml/mod.ts";
import { scalarText, setNamespace } from "./source_edit.ts";

/** A place of a source that names a namespace other than that of the flow itself. */
export interface NamespaceReference {
  readonly namespace: string;
  /** From 1. */
  readonly line: number;
  /** True for a property that certainly means a namespace; false for text in expressions, URIs and the data of tasks. */
  readonly isEditable: boolean;
}

/** A scalar that is a namespace, and whether it certainly is one. */
interface Literal {
  readonly node: Scalar;
  readonly isCertain: boolean;
}

const NAMES = new Set([
  "namespace",
  "namespaces",
  "sourceNamespace",
  "targetNamespace",
  "protectedNamespaces",
]);
/** Groups of types whose namespaces are those of flows. That of a task of Kubernetes is one of the other system. */
const GROUPS = /^(?:core|git|kestra|ai)\./;
/** The address of another server, whose namespaces are meant. */
const OTHER_SERVER = "kestraUrl";
/** Parents whose lists of namespaces are known. */
const PARENTS = new Set(["namespaceFiles"]);

/** The places that name one of the namespaces, in the order of the source. */
export function namespaceReferences(source: string, names: readonly string[]): NamespaceReference[] {
  if (!names.some((name) => source.includes(name))) return [];
  const found: (NamespaceReference & { readonly offset: number })[] = [];
  const add = (node: Scalar, namespace: string, isEditable: boolean) => {
    const [offset] = nodeRange(node);
    found.push({ namespace, line: lineAt(source, offset), isEditable, offset });
  };
  for (const { node, isCertain } of literalsOf(source)) {
    const name = names.find((each) => each === String(node.value));
    if (name === undefined) continue;
    add(node, name, isCertain);
  }
  for (const node of scalarsOf(source)) {
    const text = node.value;
    const name = names.find((each) => isNamedIn(text, each));
    if (name !== undefined) add(node.node, name, false);
  }
  return found.sort((a, b) => a.offset - b.offset).map(({ offset: _offset, ...reference }) => reference);
}

/** The source with those namespaces renamed: its own, and those of {@link namespaceReferences} that are editable. All else stays as it is. */
export function renameNamespaces(source: string, renamed: ReadonlyMap<string, string>, own: string): string {
  const edits = literalsOf(source, true).flatMap(({ node, isCertain }) => {
    const to = renamed.get(String(node.value));
    return to === undefined || !isCertain ? [] : [{ range: nodeRange(node), text: textLike(node, to) }];
  });
  const edited = edits.sort((a, b) => b.range[0] - a.range[0]).reduce(
    (text, { range: [start, end], text: value }) => text.slice(0, start) + value + text.slice(end),
    source,
  );
  return setNamespaceOnce(edited, own);
}

/** Sets the namespace of the flow where it is written as something else than a plain or quoted text. */
function setNamespaceOnce(source: string, namespace: string): string {
  const root = parseYamlTree(source).document?.contents;
  const pair = isMap(root) ? root.items.find((item) => keyName(item.key) === "namespace") : undefined;
  return pair && isScalar(pair.value) && pair.value.value === namespace
    ? source
    : setNamespace(source, namespace);
}

/** The value in the same quotes. */
function textLike({ type }: Scalar, value: string): string {
  if (type === "QUOTE_DOUBLE") return JSON.stringify(value);
  return type === "QUOTE_SINGLE" ? `'${value}'` : scalarText(value);
}

/** The plain and quoted scalars under `namespace` and `namespaces`; with `withOwn` also that of the flow itself. */
function literalsOf(source: string, withOwn = false): Literal[] {
  const found: Literal[] = [];
  walk(source, (map, pair, parent) => {
    if (!NAMES.has(keyName(pair.key) ?? "")) return;
    const isRoot = parent === undefined;
    if (isRoot && (!withOwn || keyName(pair.key) !== "namespace")) return;
    const isCertain = isRoot || PARENTS.has(parent) || isOfFlows(map);
    const values = isSeq(pair.value) ? pair.value.items : [pair.value];
    for (const node of values) {
      if (isScalar(node) && typeof node.value === "string" && !isBlock(node)) found.push({ node, isCertain });
    }
  });
  return found;
}

/** Whether the object is a task, trigger or condition of a group that deals with flows, or a flow that is waited for. */
function isOfFlows(map: YAMLMap): boolean {
  const members = new Map(map.items.map(({ key, value }) => [keyName(key), isScalar(value) && value.value]));
  const type = members.get("type");
  if (type === undefined) return members.has("flowId");
  return GROUPS.test(canonicalType(String(type))) && !members.has(OTHER_SERVER);
}

/** The text of every scalar that is a value. */
function scalarsOf(source: string): { readonly node: Scalar; readonly value: string }[] {
  const found: { readonly node: Scalar; readonly value: string }[] = [];
  walk(source, (_map, { value }) => {
    const values = isSeq(value) ? value.items : [value];
    for (const node of values) {
      if (isScalar(node) && typeof node.value === "string") found.push({ node, value: node.value });
    }
  });
  return found;
}

/** Calls back for each member of each map, with the name of the member that holds the map; `undefined` for the root. */
function walk(source: string, visit: (map: YAMLMap, pair: Pair, parent: string | undefined) => void): void {
  const enter = (node: unknown, parent: string | undefined): void => {
    if (isSeq(node)) { for (const item of node.items) enter(item, parent ?? ""); }
    if (!isMap(node)) return;
    for (const pair of node.items) {
      visit(node, pair, parent);
      enter(pair.value, keyName(pair.key) ?? "");
    }
  };
  enter(parseYamlTree(source).document?.contents, undefined);
}

/** True if an expression of the text contains the name in quotes, or a URI of a namespace file begins with it. */
function isNamedIn(text: string, name: string): boolean {
  if (!text.includes(name)) return false;
  if (text.includes(`nsfile://${name}/`)) return true;
  return /\{[{%]/.test(text) && [`"${name}"`, `'${name}'`].some((quoted) => text.includes(quoted));
}

function isBlock({ type }: Scalar): boolean {
  return type === "BLOCK_LITERAL" || type === "BLOCK_FOLDED";
}

function lineAt(source: string, offset: number): number {
  let line = 1;
  for (let at = source.indexOf("\n"); at >= 0 && at < offset; at = source.indexOf("\n", at + 1)) line++;
  return line;
}
