/**
 * Builds the server (`deno task start`): its modules and small packages as a few minified scripts in `dist/server`, which start
 * in half the time of a thousand modules and take less memory. Other packages stay outside; the first task that needs one loads
 * it. Each script has a source map, for the stacks in the log. Builds the UI first. Does nothing while the last build is newer
 * than all sources.
 */
import { buildUi, changeTime, filesBelow } from "../ui/build.ts";
import { BUNDLE_FOLDER } from "../ui/bundle.ts";
import { deferGroups } from "./deferred_scripts.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const FOLDER = `${ROOT}dist/server`;
/** The script that starts the server. It is written last: without it there is no build. */
const ENTRY = "main.js";
/** Packages that each start needs. */
const BUNDLED = ["hono", "@std/yaml", "yaml", "fflate"];
const SOURCES = ["main.ts", "deno.json", "deno.lock"];
/** Sources of the UI alone, and its build. */
const SKIPPED = [`${ROOT}src/ui/app`, BUNDLE_FOLDER];
/** A server that runs may still load scripts of the build it was started from. */
const KEEP_MS = 24 * 60 * 60 * 1_000;

/**
 * Builds the UI and the server if their sources have changed; processes that do so at the same time wait for each other.
 * Returns the path of the script that starts the server. @throws Error the sources have a mistake
 */
export async function buildServer(): Promise<string> {
  using lock = await Deno.open(`${ROOT}deno.json`);
  await lock.lock(true);
  await buildUi();
  const entry = `${FOLDER}/${ENTRY}`;
  if (await changeTime(entry) < await newestChange()) await build();
  return entry;
}

async function build(): Promise<void> {
  await Deno.mkdir(FOLDER, { recursive: true });
  // Beside the folder, so that files move into it at once.
  const folder = await Deno.makeTempDir({ dir: `${ROOT}dist`, prefix: "server-" });
  try {
    await bundle(folder);
    await moveIn(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function newestChange(): Promise<number> {
  const paths = [...SOURCES.map((path) => ROOT + path), ...await filesBelow(`${ROOT}src`, SKIPPED)];
  return Math.max(...await Promise.all(paths.map(changeTime)));
}

async function bundle(folder: string): Promise<void> {
  const { imports } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const external = Object.keys(imports).filter((name) => !BUNDLED.includes(name.replace(/\/$/, "")));
  const options = ["--quiet", "--platform", "deno", "--minify", "--code-splitting", "--outdir", folder];
  // `--external` takes all values that follow, up to the next option: the entry comes before it.
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "main.ts", ...options, "--sourcemap", "external", "--external", ...external],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(`Cannot build the server:\n${new TextDecoder().decode(stderr)}`);
}

/** A position needs neither the sources nor the names that a source map repeats: two thirds of its size. */
async function finish(script: string): Promise<void> {
  const { sourcesContent: _, ...map } = JSON.parse(await Deno.readTextFile(`${script}.map`));
  const { code, mappings } = deferGroups({
    code: await Deno.readTextFile(script),
    mappings: map.mappings,
  });
  await Deno.writeTextFile(script, code);
  await Deno.writeTextFile(`${script}.map`, JSON.stringify({ ...map, mappings, names: [] }));
}

/** Other scripts carry a hash of their content in their names. Those of earlier builds are removed after a while. */
async function moveIn(folder: string): Promise<void> {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name !== ENTRY);
  for (const name of [...names, ENTRY].filter((each) => each.endsWith(".js"))) {
    await finish(`${folder}/${name}`);
  }
  for (const name of [...names, ENTRY]) await Deno.rename(`${folder}/${name}`, `${FOLDER}/${name}`);
  const oldest = await changeTime(folder) - KEEP_MS;
  for (const { name } of [...Deno.readDirSync(FOLDER)]) {
    const path = `${FOLDER}/${name}`;
    if (await changeTime(path) < oldest) await Deno.remove(path);
  }
}

if (import.meta.main) await buildServer();
