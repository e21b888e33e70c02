/**
 * Builds the binary `dist/sluice`. Checks, tests and the release use the same arguments.
 *
 * `deno compile` embeds whole npm packages. A third of their size is files that no program loads: sources, declarations of
 * types, source maps, documents, and builds for browsers. The larger ones are left out.
 */
import { readdir, stat } from "node:fs/promises";
import { buildServer } from "../../../src/server/build.ts";
import { deferredScripts } from "../../../src/server/deferred_scripts.ts";
import { START_FLAGS } from "../processes/server_process.ts";

const ROOT = new URL("../../../", import.meta.url);

/** Folder of the repository. */
export const ROOT_PATH: string = ROOT.pathname;

const FOLDER = "dist/server";
const ENTRY = `${FOLDER}/main.js`;
/** The packages of the server without those of tests, benchmarks and the UI's build. */
const LOCK = "tests/support/release/compile.lock";
/** Beside what the entry imports: the UI, and the modules of threads, which are found by their paths. */
const INCLUDED = [
  "src/ui/dist",
  "src/server/render_worker/worker.ts",
  "src/integrations/evaluator_worker.ts",
  "src/machine/plugins/worker.ts",
  "src/machine/sqlite/worker.ts",
  "src/machine/backup/thread.ts",
  "src/machine/password_worker.ts",
];
const FLAGS = [`--lock=${LOCK}`, "--no-check", ...START_FLAGS];
const NEVER_LOADED =
  /\.[cm]?ts$|\.map$|\.md$|\.(?:c|cc|h|inl)$|\.min\.[cm]?js$|\/dist\/(?:umd|iife)\/|\/amqp-client\/[^/]+\/(?:dist|lib\/cjs)\/amqp-|\/openpgp\/[^/]+\/dist\/(?!node(?:\/openpgp\.mjs)?$)|\/protobuf\/[^/]+\/dist\/cjs\//;
/** Smaller files stay: each path is an argument, and a shell takes 128 KB of them at most. */
const MIN_EXCLUDED_BYTES = 4_096;

/** Builds the server and fetches the packages; gives the arguments of `deno` for a build into a file. */
export async function compileArguments(output: string): Promise<string[]> {
  await buildServer();
  await runDeno("cache", "--no-check", `--lock=${LOCK}`, "main.ts");
  const included = [...INCLUDED, ...await findScripts()].flatMap((path) => ["--include", path]);
  const excluded = (await findNeverLoaded()).flatMap((path) => ["--exclude", path]);
  return ["compile", ...FLAGS, ...included, ...excluded, "--output", output, ENTRY];
}

/** The run-time half for builds without network by Deno 2.6.8, and `undefined` where it is missing. */
export async function findDenort(): Promise<string | undefined> {
  const path = Deno.env.get("DENORT_BIN") ?? new URL("../shared/bin/denort", ROOT).pathname;
  return await Deno.stat(path).then(() => path, () => undefined);
}

/**
 * The scripts that the program imports by names that Deno does not see, and the source maps of all scripts. The folder may hold
 * scripts of earlier builds.
 */
async function findScripts(): Promise<string[]> {
  const seen = await importedScripts(ENTRY);
  const codes = await Promise.all(seen.map((path) => Deno.readTextFile(ROOT_PATH + path)));
  const deferred = codes.flatMap(deferredScripts).map((name) => `${FOLDER}/${name}`);
  const all = [...seen, ...await Promise.all(deferred.map(importedScripts))].flat();
  return [...deferred, ...new Set(all.map((path) => `${path}.map`))];
}

/** Paths of the scripts that a script imports, with its own. */
async function importedScripts(script: string): Promise<string[]> {
  const { modules } = JSON.parse(await runDeno("info", "--json", script));
  const paths: string[] = modules.map(({ specifier }: { specifier: string }) =>
    URL.parse(specifier)?.pathname
  );
  return paths.filter((path) => path?.startsWith(`${ROOT_PATH}${FOLDER}/`)).map((path) =>
    path.slice(ROOT_PATH.length)
  );
}

/** Paths of large files of the locked packages that no program loads. */
async function findNeverLoaded(): Promise<string[]> {
  const { npmCache } = JSON.parse(await runDeno("info", "--json"));
  const { npm } = JSON.parse(await Deno.readTextFile(new URL(LOCK, ROOT)));
  const packages = new Set(Object.keys(npm).map(packageFolder));
  const registries = await Array.fromAsync(Deno.readDir(npmCache));
  const folders = registries.flatMap(({ name }) =>
    [...packages].map((path) => `${npmCache}/${name}/${path}`)
  );
  const files = await Promise.all(folders.map(filesBelow));
  const paths = files.flat().filter((path) => NEVER_LOADED.test(path)).sort();
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  return paths.filter((_, at) => (sizes[at] ?? 0) >= MIN_EXCLUDED_BYTES);
}

/** `name/version` of a package's key in a lock file, which may end with the versions of its peers (`_name@version`). */
function packageFolder(key: string): string {
  const [, name, version] = /^(@?[^@]+)@([^_]+)/.exec(key) ?? [];
  return `${name}/${version}`;
}

/** Paths of all files below a folder; empty if it does not exist. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  return entries.map((path) => `${folder}/${path}`);
}

/** @throws Error with its messages if the command fails */
async function runDeno(...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT_PATH })
    .output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

if (import.meta.main) {
  const args = await compileArguments("dist/sluice");
  const { code } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT_PATH }).spawn().status;
  Deno.exit(code);
}
