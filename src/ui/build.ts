/**
 * Builds the UI for browsers (`deno task ui`): scripts by `deno bundle`, styles joined in the order of their folders, each
 * file with a hash in its name and compressed beforehand. Does nothing while the last build is newer than all sources.
 */
import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import {
  BUNDLE_FOLDER,
  type Language,
  LANGUAGES,
  LINKED_VIEWS,
  type LinkedView,
  type Manifest,
  MANIFEST_FILE,
} from "./bundle.ts";
import { withShortNames } from "./short_names.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const APP = `${ROOT}src/ui/app`;
/** The script that starts the application, before it has a hash in its name. */
const ENTRY = "main.js";
/** Imported by the editor and unused. The bundler would keep its 6 KB, because the module has side effects. */
const UNUSED_PACKAGE = "@lezer/common";
/** Files beside the application whose change makes a new build necessary. */
const BESIDE = [
  "deno.json",
  "deno.lock",
  "src/ui/build.ts",
  "src/ui/short_names.ts",
  "src/ui/tokens.css",
  "src/ui/views.ts",
  "src/base/time/duration.ts",
  "src/base/json.ts",
  "src/base/time/time_parts.ts",
  "src/model/executions/state.ts",
];

async function newestChange(): Promise<number> {
  const paths = [...BESIDE.map((path) => ROOT + path), ...await filesBelow(APP)];
  return Math.max(...await Promise.all(paths.map(changeTime)));
}

/** Paths of the files of a folder and its folders, without those of `skipped` folders. */
export async function filesBelow(folder: string, skipped: readonly string[] = []): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (!isDirectory) found.push(path);
    else if (!skipped.includes(path)) found.push(...await filesBelow(path, skipped));
  }
  return found.sort();
}

/** When a file was changed, in milliseconds; 0 if it does not exist. */
export async function changeTime(path: string): Promise<number> {
  return await Deno.stat(path).then(({ mtime }) => mtime?.getTime() ?? 0, () => 0);
}

/** Builds the UI anew. @throws Error the sources have a mistake */
export async function build(): Promise<void> {
  const short = withShortNames(await bundledScripts(), { isTexts, hash: fileHash });
  const encoder = new TextEncoder();
  const bytes = new Map([...short].map(([name, script]) => [name, encoder.encode(script)]));
  await write(bytes, encoder.encode(await styles()));
}

/** The scripts by file name. */
async function bundledScripts(): Promise<ReadonlyMap<string, string>> {
  const scripts = await bundle(["--external", UNUSED_PACKAGE]);
  const lean = new Map([...scripts].map(([name, script]) => [name, withoutUnused(script)]));
  const needed = [...lean.values()].some((script) => script.includes(UNUSED_PACKAGE));
  // The bundlers of other versions of Deno keep what uses it.
  return needed ? await bundle([]) : lean;
}

async function bundle(options: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-ui-" });
  try {
    await bundleScripts(folder, options);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    return new Map(names.map((name) => [name, Deno.readTextFileSync(`${folder}/${name}`)]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function bundleScripts(folder: string, options: readonly string[]): Promise<void> {
  // `--external` takes all values up to the next option.
  const args = [
    "bundle",
    "--quiet",
    "--platform",
    "browser",
    "--minify",
    "--code-splitting",
    ...options,
    "--outdir",
    folder,
  ];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args, `${APP}/main.tsx`],
    cwd: ROOT,
  })
    .output();
  if (!success) throw new Error(`Cannot build the UI:\n${new TextDecoder().decode(stderr)}`);
}

const IMPORT_OF_UNUSED = new RegExp(`import\\{([^}]*)\\}from"${UNUSED_PACKAGE}";`);

/** Leaves out the import of {@link UNUSED_PACKAGE}, unless a name of it is used. */
function withoutUnused(script: string): string {
  const [statement = "", names = ""] = IMPORT_OF_UNUSED.exec(script) ?? [];
  const rest = script.replace(statement, () => "");
  const isUsed = names.split(",").map((name) => name.split(" ").at(-1) ?? "").some((name) =>
    name !== "" && new RegExp(`(?<![\\w$.])${RegExp.escape(name)}(?![\\w$])`).test(rest)
  );
  return isUsed ? script : rest;
}

/** The colours come first, then what all views share. */
async function styles(): Promise<string> {
  const paths = (await filesBelow(APP)).filter((path) => path.endsWith(".css"));
  const order = (path: string) => (path.includes("/styles/") ? 0 : 1);
  paths.sort((a, b) => order(a) - order(b));
  const texts = await Promise.all(
    [`${ROOT}src/ui/tokens.css`, ...paths].map((path) => Deno.readTextFile(path)),
  );
  return minified(texts.join("\n"));
}

/** Without comments, and without spaces and line ends where they mean nothing. */
function minified(style: string): string {
  return style.replace(/\/\*.*?\*\//gs, "").replace(/\s+/g, " ").replace(/ ?([{};,]) ?/g, "$1");
}

async function write(scripts: ReadonlyMap<string, Uint8Array>, style: Uint8Array): Promise<void> {
  const entry = scripts.get(ENTRY) ?? new Uint8Array();
  const preloads = importsOf(ENTRY, scripts);
  const manifest: Manifest = {
    script: hashed("main", "js", entry),
    style: hashed("app", "css", style),
    preloads: [...preloads],
    texts: textScripts([...scripts.keys()]),
    views: viewScripts(scripts, preloads),
  };
  await Deno.remove(BUNDLE_FOLDER, { recursive: true }).catch(() => {});
  await Deno.mkdir(BUNDLE_FOLDER, { recursive: true });
  const files = [
    [manifest.style, style] as const,
    ...[...scripts].map(([name, bytes]) => [name === ENTRY ? manifest.script : name, bytes] as const),
  ];
  for (const [name, bytes] of files) await writePacked(`${BUNDLE_FOLDER}/${name}`, bytes);
  // Last: a build that was interrupted has no manifest, and is repeated.
  await Deno.writeTextFile(`${BUNDLE_FOLDER}/${MANIFEST_FILE}`, JSON.stringify(manifest));
}

async function writePacked(path: string, bytes: Uint8Array): Promise<void> {
  await Deno.writeFile(`${path}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await Deno.writeFile(`${path}.br`, brotliCompressSync(bytes, { params }));
}

function textScripts(names: readonly string[]): Manifest["texts"] {
  const scriptOf = (language: Language) => names.find((name) => name.startsWith(`${language}-`));
  return Object.fromEntries(LANGUAGES.map((each) => [each, scriptOf(each)])) as Record<Language, string>;
}

/** The scripts of each linked view that the first view does not need. */
function viewScripts(
  scripts: ReadonlyMap<string, Uint8Array>,
  preloads: ReadonlySet<string>,
): Manifest["views"] {
  const entries = LINKED_VIEWS.map((view) => {
    const own = [...scripts.keys()].filter((name) => name.startsWith(`${view}-`));
    const all = own.flatMap((name) => [name, ...importsOf(name, scripts)]);
    return [view, all.filter((name) => name !== ENTRY && !preloads.has(name))] as const;
  });
  return Object.fromEntries(entries) as Record<LinkedView, string[]>;
}

/** The scripts that are loaded with a script: its imports, without those that it loads later. */
function importsOf(
  name: string,
  scripts: ReadonlyMap<string, Uint8Array>,
  found = new Set<string>(),
): ReadonlySet<string> {
  const text = new TextDecoder().decode(scripts.get(name));
  for (const [, imported = ""] of text.matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g)) {
    if (found.has(imported)) continue;
    found.add(imported);
    importsOf(imported, scripts, found);
  }
  return found;
}

function isTexts(file: string): boolean {
  return LANGUAGES.some((language) => file.startsWith(`${language}-`));
}

/** As long as those of the bundler. */
function fileHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase();
}

function hashed(name: string, ending: string, bytes: Uint8Array): string {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 10);
  return `${name}-${hash}.${ending}`;
}

/** Builds the UI if its sources have changed. @throws Error the sources have a mistake */
export async function buildUi(): Promise<void> {
  if (await changeTime(`${BUNDLE_FOLDER}/${MANIFEST_FILE}`) < await newestChange()) await build();
}

if (import.meta.main) await buildUi();
