/** The rules of the source tree: who may import whom, who may meet the platform, and how long a file may be. */
import type { Found, SourceFacts } from "./source_facts.ts";

/** What each part of `src` may import, beside itself. */
const MAY_IMPORT = new Map<string, readonly string[]>([
  ["base", []],
  ["model", ["base"]],
  ["expr", ["base"]],
  ["flow", ["base", "model", "expr"]],
  ["engine", ["base", "model"]],
  ["store", ["base", "model"]],
  ["tasks", ["base", "model", "expr"]],
  ["triggers", ["base", "model", "expr"]],
  ["services", ["base", "model", "expr", "flow", "engine", "store"]],
  ["runtime", ["base", "model", "expr", "engine", "store", "services"]],
  ["ui", ["base", "model"]],
  ["http", ["base", "model", "services", "ui"]],
  ["config", ["base", "deno.json"]],
  ["data_dir", ["base", "config"]],
  ["process", ["base", "config", "data_dir"]],
  ["server", [
    ...[
      "base",
      "model",
      "expr",
      "flow",
      "engine",
      "store",
      "tasks",
      "triggers",
      "services",
      "runtime",
      "ui",
      "http",
    ],
    ...["config", "data_dir", "process"],
  ]],
  ["main", ["config", "process", "server"]],
]);

/** Packages by the parts that may import them; a package that is not listed may be imported nowhere. */
const PACKAGES = new Map<string, readonly string[]>([
  ["hono", ["http"]],
  ["@std/yaml", ["config", "expr", "flow", "http"]],
  ["fflate", ["services", "http"]],
]);

/** The only places where the platform may be used: the adapters to it. */
const PLATFORM_FILES = [
  "main.ts",
  "src/config.ts",
  "src/data_dir.ts",
  "src/process.ts",
  "src/server.ts",
  "src/server/",
  "src/store/kv_store.ts",
  "src/http/assets.ts",
  "src/tasks/",
];

/** Where time and chance may be met, and why there; everywhere else they arrive as arguments. */
const EFFECT_FILES = new Map<string, string>([
  ["src/base/clock.ts", "is the clock of the machine"],
  ["src/server.ts", "passes the machine's chance on to those who need it"],
]);

const MAX_FILE_LINES = 400;

/** Every breach of the rules, one line each, `path:line: what is wrong`. */
export function findProblems(files: readonly SourceFacts[]): string[] {
  return [
    ...files.flatMap((file) => file.imports.flatMap((found) => importProblems(file.path, found))),
    ...files.flatMap((file) => file.effects.flatMap((found) => effectProblems(file.path, found))),
    ...files.flatMap(sizeProblems),
    ...findCycles(files),
  ];
}

function importProblems(path: string, found: Found): string[] {
  const layer = layerOf(path);
  const allowed = MAY_IMPORT.get(layer);
  if (!allowed) return [`${path}:1: "${layer}" is not a part of the source tree`];
  if (!found.name.startsWith(".")) return packageProblems(path, layer, found);
  const target = layerOf(resolve(path, found.name));
  if (target === layer || allowed.includes(target)) return [];
  return [`${path}:${found.line}: "${layer}" may not import "${target}" ("${found.name}")`];
}

function packageProblems(path: string, layer: string, found: Found): string[] {
  if (found.name.startsWith("node:")) return [];
  const name = found.name.split("/").slice(0, found.name.startsWith("@") ? 2 : 1).join("/");
  if (PACKAGES.get(name)?.includes(layer)) return [];
  return [`${path}:${found.line}: "${layer}" may not import the package "${name}"`];
}

function effectProblems(path: string, found: Found): string[] {
  const isAllowed = found.name === "Deno"
    ? PLATFORM_FILES.some((place) => path === place || (place.endsWith("/") && path.startsWith(place)))
    : EFFECT_FILES.has(path);
  return isAllowed ? [] : [`${path}:${found.line}: "${found.name}" may not be used here`];
}

function sizeProblems(file: SourceFacts): string[] {
  const problems = file.longFunctions.map((found) =>
    `${file.path}:${found.line}: a function has ${found.name}`
  );
  if (file.lineCount <= MAX_FILE_LINES) return problems;
  return [
    ...problems,
    `${file.path}:1: the file has ${file.lineCount} lines, at most ${MAX_FILE_LINES} are allowed`,
  ];
}

/** Each cycle once, by the path that closes it. */
function findCycles(files: readonly SourceFacts[]): string[] {
  const edges = new Map(files.map((file) => [
    file.path,
    file.imports.filter((found) => found.name.startsWith(".")).map((found) => resolve(file.path, found.name)),
  ]));
  const done = new Set<string>();
  const trail: string[] = [];
  const cycles: string[] = [];
  const visit = (path: string): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      cycles.push(`${path}:1: imports in a circle: ${[...trail.slice(start), path].join(" → ")}`);
    }
    if (start >= 0 || done.has(path)) return;
    trail.push(path);
    for (const target of edges.get(path) ?? []) visit(target);
    trail.pop();
    done.add(path);
  };
  for (const file of files) visit(file.path);
  return cycles;
}

/** The part a file belongs to: the folder or file below `src`, or the file at the top. The composition root has several files. */
function layerOf(path: string): string {
  const parts = path.split("/");
  const name = (parts[0] === "src" ? parts[1] ?? "" : path).replace(/\.ts$/, "");
  return /(^|_)assembly$/.test(name) ? "server" : name;
}

function resolve(from: string, specifier: string): string {
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}
