/** The rules of the source tree: who may import whom, who may meet the platform, and how long a file may be. */
import type { Found, SourceFacts } from "../documents/source_facts.ts";

/** What each room of `src` may import beside itself: rooms that are named here, by the first part of their path. */
const MAY_IMPORT = new Map<string, readonly string[]>([
  ["base", []],
  ["config", ["base", "deno.json"]],
  ["languages", ["base"]],
  ["model", ["base", "languages"]],
  ["expr", ["base", "languages"]],
  ["engine", ["base", "model"]],
  ["store", ["base", "model"]],
  ["flow", ["base", "languages", "model", "expr"]],
  // Definitions reach everything through their context, so that a type may also run in another process.
  ["integrations", ["base", "languages", "model"]],
  ["tasks", ["base", "languages", "model", "expr", "integrations"]],
  ["triggers", ["base", "languages", "model", "expr", "integrations", "tasks"]],
  ["rendering", ["base", "languages", "model", "expr", "engine", "store"]],
  ["runtime", ["base", "languages", "model", "expr", "engine", "store", "rendering"]],
  ["services", ["base", "languages", "model", "expr", "engine", "store", "rendering", "flow", "runtime"]],
  ["machine", ["base", "config", "model"]],
  // The process of a worker: task types by the same code as on the server, over the ports of another machine.
  ["worker", ["base", "config", "model", "tasks", "machine", "rendering"]],
  ["ui", ["base", "model"]],
  ["http", ["base", "model", "services", "ui"]],
  ["server", [
    ...["base", "languages", "model", "expr", "engine", "store", "flow", "tasks", "triggers", "rendering"],
    ...["runtime", "services", "machine", "worker", "ui", "http", "config"],
  ]],
  ["main.ts", ["config", "machine", "server"]],
]);

/** The rooms of `src`. */
export const ROOMS: readonly string[] = [...MAY_IMPORT.keys()].filter((name) => name !== "main.ts");

/** Whether the files of a room may import those of another one. */
export function mayImport(room: string, target: string): boolean {
  return MAY_IMPORT.get(room)?.includes(target) ?? false;
}

/** Packages by the rooms that may import them; a package that is not listed may be imported nowhere. */
const PACKAGES = new Map<string, readonly string[]>([
  ["hono", ["http"]],
  ["preact", ["ui"]],
  ["@preact/signals", ["ui"]],
  ["@codemirror/commands", ["ui"]],
  ["@codemirror/state", ["ui"]],
  ["@codemirror/view", ["ui"]],
  ["marked", ["ui", "integrations"]],
  ["@std/yaml", ["config", "languages", "flow", "http"]],
  ["yaml", ["languages", "flow"]],
  ["fflate", ["services", "http", "integrations"]],
  ["csv-parse", ["integrations"]],
  ["csv-stringify", ["integrations"]],
  ["sax", ["integrations"]],
  ["avsc", ["integrations"]],
  ["hyparquet", ["integrations"]],
  ["hyparquet-writer", ["integrations"]],
  ["hyparquet-compressors", ["integrations"]],
  ["modern-tar", ["integrations"]],
  ["yauzl", ["integrations"]],
  ["unbzip2-stream", ["integrations"]],
  ["xz-decompress", ["integrations"]],
  ["ldapts", ["integrations"]],
  ["aws4fetch", ["integrations"]],
  ["jsonata", ["integrations"]],
  ["ioredis", ["integrations"]],
  ["kafkajs", ["integrations"]],
  ["mqtt-packet", ["integrations"]],
  ["@cloudamqp/amqp-client", ["integrations"]],
  ["bson", ["integrations"]],
  ["openpgp", ["integrations"]],
  ["@bufbuild/protobuf", ["integrations"]],
  ["@toon-format/toon", ["integrations"]],
  ["sucrase", ["machine"]],
  ["@jridgewell/sourcemap-codec", ["server"]],
  ["pg", ["integrations"]],
  ["mysql2", ["integrations"]],
  ["basic-ftp", ["integrations"]],
  ["isomorphic-git", ["integrations"]],
  ["nodemailer", ["integrations"]],
  ["ssh2", ["integrations"]],
  ["ws", ["integrations"]],
  ["imapflow", ["integrations"]],
  ["postal-mime", ["integrations"]],
]);

/** The only places where the platform may be used: the adapters to it. A path that ends with "/" means all files below. */
export const PLATFORM_PLACES: readonly string[] = [
  "main.ts",
  "src/config/mod.ts",
  "src/machine/",
  "src/server/",
  "src/ui/build.ts",
  "src/ui/bundle.ts",
  "src/store/kv_store.ts",
  "src/tasks/",
  "src/worker/",
];

/** Where time and chance may be met, and why there; everywhere else they arrive as arguments. */
export const EFFECT_FILES: ReadonlyMap<string, string> = new Map([
  ["src/base/time/clock.ts", "is the clock of the machine"],
  ["src/server/serving.ts", "passes the machine's chance on to those who need it"],
]);

/** An alarm: a file of that length holds more than one concept. */
const MAX_FILE_LINES = 600;

/** Every breach of the rules, one line each, `path:line: what is wrong`. */
export function findProblems(files: readonly SourceFacts[]): string[] {
  return [
    ...files.flatMap((file) => file.imports.flatMap((found) => importProblems(file.path, found))),
    ...files.flatMap((file) => file.effects.flatMap((found) => effectProblems(file.path, found))),
    ...files.flatMap(sizeProblems),
    ...findCycles(files),
    ...findSiblingCycles(files),
  ];
}

function importProblems(path: string, found: Found): string[] {
  const room = topRoomOf(path);
  const allowed = MAY_IMPORT.get(room);
  if (!allowed) return [`${path}:1: "${room}" is not a room of the source tree`];
  if (!found.name.startsWith(".")) return packageProblems(path, room, found);
  const targetPath = resolve(path, found.name);
  const face = faceOf(targetPath);
  if (face !== undefined && targetPath !== face && siblingOf(path) !== siblingOf(targetPath)) {
    return [`${path}:${found.line}: "${targetPath}" is internal, import "${face}" ("${found.name}")`];
  }
  const target = topRoomOf(targetPath);
  if (target === room || allowed.includes(target)) return [];
  return [`${path}:${found.line}: "${room}" may not import "${target}" ("${found.name}")`];
}

function packageProblems(path: string, room: string, found: Found): string[] {
  if (found.name.startsWith("node:")) return [];
  const name = found.name.split("/").slice(0, found.name.startsWith("@") ? 2 : 1).join("/");
  if (PACKAGES.get(name)?.includes(room)) return [];
  return [`${path}:${found.line}: "${room}" may not import the package "${name}"`];
}

/** What runs in browsers has no injected clock. */
const BROWSER_PLACE = "src/ui/app/";

function effectProblems(path: string, found: Found): string[] {
  const isAllowed = found.name === "Deno"
    ? PLATFORM_PLACES.some((place) => path === place || (place.endsWith("/") && path.startsWith(place)))
    : EFFECT_FILES.has(path) || path.startsWith(BROWSER_PLACE);
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

/** Each cycle of files once, by the path that closes it. */
function findCycles(files: readonly SourceFacts[]): string[] {
  const edges = new Map(files.map((file) => [file.path, new Set(targetsOf(file))]));
  return cyclesOf(edges).map((trail) => `${trail[0]}:1: imports in a circle: ${trail.join(" → ")}`);
}

/**
 * Each cycle of sibling folders once: the folders of one room have an order, too. A folder and the files of the room
 * above it may import each other, as a registry and its entries do.
 */
function findSiblingCycles(files: readonly SourceFacts[]): string[] {
  const edges = new Map<string, Set<string>>();
  for (const file of files) {
    const folder = siblingOf(file.path);
    if (folder === undefined) continue;
    const targets = edges.get(folder) ?? new Set();
    for (const target of targetsOf(file)) {
      const other = siblingOf(target);
      if (other !== undefined && other !== folder) targets.add(other);
    }
    edges.set(folder, targets);
  }
  return cyclesOf(edges).map((trail) => `${trail[0]}/: folders import each other: ${trail.join(" → ")}`);
}

function targetsOf(file: SourceFacts): string[] {
  return file.imports.filter((found) => found.name.startsWith(".")).map((found) =>
    resolve(file.path, found.name)
  );
}

/** Each cycle of a graph once, its first node again at its end. */
function cyclesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const done = new Set<string>();
  const trail: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string): void => {
    const start = trail.indexOf(node);
    if (start >= 0) cycles.push([...trail.slice(start), node]);
    if (start >= 0 || done.has(node)) return;
    trail.push(node);
    for (const target of edges.get(node) ?? []) visit(target);
    trail.pop();
    done.add(node);
  };
  for (const node of edges.keys()) visit(node);
  return cycles;
}

/** The only file of a language that other folders may import. */
function faceOf(path: string): string | undefined {
  const folder = /^src\/languages\/[^/]+(?=\/)/.exec(path)?.[0];
  return folder && `${folder}/mod.ts`;
}

/** The room of {@link MAY_IMPORT} that a file belongs to. */
function topRoomOf(path: string): string {
  const parts = path.split("/");
  return parts[0] === "src" ? parts[1] ?? "" : path;
}

/** The folder below a room that a file belongs to; `undefined` for a file of the room itself. */
function siblingOf(path: string): string | undefined {
  return /^src\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0];
}

function resolve(from: string, specifier: string): string {
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}
