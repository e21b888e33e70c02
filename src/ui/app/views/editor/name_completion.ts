/** Completion of what a namespace holds: keys of KV pairs and secrets, paths of files. */
import { get } from "../../api/client.ts";
import { apiPath } from "../../core/places.ts";
import type { CompletionContext, CompletionResult } from "./code/completion_list.ts";
import type { YamlContext } from "./yaml_context.ts";

/** A name that is being written. */
interface WrittenName {
  readonly kind: "kv" | "secrets" | "files";
  readonly written: string;
}

interface Keyed {
  readonly key: string;
}

/** The first argument of a function in a template that is not closed. */
const ARGUMENT = /\{[{%](?:(?![}%]\}).)*\b(\w+)\(\s*(["'])([^"']*)$/;
const FUNCTIONS: ReadonlyMap<string, WrittenName["kind"]> = new Map([
  ["kv", "kv"],
  ["secret", "secrets"],
  ["read", "files"],
  ["fileURI", "files"],
  ["fileSize", "files"],
  ["fileExists", "files"],
  ["isFileEmpty", "files"],
]);
const FILE_ADDRESS = /\bnsfile:\/\/\/([\w./-]*)$/;
const PATTERNS: ReadonlySet<string> = new Set(["include", "exclude"]);

/** The name at the end of the text before a position in its line; `undefined` if there is another thing. */
export function nameAt(before: string, { levels, kind, prefix }: YamlContext): WrittenName | undefined {
  const [, name = "", , argument = ""] = ARGUMENT.exec(before) ?? [];
  const stored = FUNCTIONS.get(name);
  if (stored) return { kind: stored, written: argument };
  const address = FILE_ADDRESS.exec(before);
  if (address) return { kind: "files", written: address[1] ?? "" };
  const isPattern = kind === "key" && levels.at(-1)?.isItem && PATTERNS.has(levels.at(-1)?.key ?? "") &&
    levels.at(-2)?.key === "namespaceFiles";
  return isPattern ? { kind: "files", written: prefix.replace(/^["']/, "") } : undefined;
}

/** The names of a namespace that may be meant; nothing without a namespace. @throws ApiError */
export async function completeName(
  { position }: CompletionContext,
  namespace: string,
  { kind, written }: WrittenName,
): Promise<CompletionResult | null> {
  if (namespace === "") return null;
  const names = kind === "files" ? await pathsOf(namespace) : await keysOf(namespace, kind);
  const options = names.map((label) => ({ label }));
  return { from: position - written.length, options, validFor: /^[^"']*$/ };
}

async function keysOf(namespace: string, kind: "kv" | "secrets"): Promise<string[]> {
  const found = await get<readonly Keyed[] | { readonly results: readonly Keyed[] }>(
    apiPath("namespaces", namespace, kind),
  );
  const entries = "results" in found ? found.results : found;
  return entries.map(({ key }) => key);
}

async function pathsOf(namespace: string): Promise<string[]> {
  const paths = await get<readonly string[]>(apiPath("namespaces", namespace, "files", "search"), { q: "" });
  return paths.map((path) => path.replace(/^\//, ""));
}
