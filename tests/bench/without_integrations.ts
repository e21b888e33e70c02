/** The server without integrations: a copy of the sources whose registry of groups is empty, built as the server is. */
import { cp } from "node:fs/promises";
import { withTempDir } from "../support/temp_dir.ts";

/** Folder of the project. */
export const PROJECT: string = new URL("../../", import.meta.url).pathname;
/** What a build of the server and of the binary reads. */
const COPIED = [
  "main.ts",
  "deno.json",
  "deno.lock",
  "src",
  "tests/support/release",
  "tests/support/processes",
];
const REGISTRY = "src/integrations/registry.ts";
const GROUPS = /(INTEGRATION_GROUPS: readonly IntegrationGroup\[\] = Object\.freeze\()\[.*\n\]\);/s;
/** Of the binary; without it, it is written again with the packages that the modules import. */
const LOCK = "tests/support/release/compile.lock";
/** Stands for the run-time half, which is the same in all binaries. */
const STUB = "/bin/true";

/** Copies the sources without the groups into a folder, and builds the server there. Returns the path of its script. */
export async function buildWithoutIntegrations(folder: string): Promise<string> {
  for (const path of COPIED) {
    await cp(PROJECT + path, `${folder}/${path}`, { recursive: true, preserveTimestamps: true });
  }
  const source = await Deno.readTextFile(`${folder}/${REGISTRY}`);
  if (!GROUPS.test(source)) throw new Error(`Cannot empty the registry: "${REGISTRY}" has another form`);
  await Deno.writeTextFile(`${folder}/${REGISTRY}`, source.replace(GROUPS, "$1[]);"));
  await Deno.remove(`${folder}/${LOCK}`);
  await runDeno(folder, ["run", "-A", "--no-check", "src/server/build.ts"]);
  return `${folder}/dist/server/main.js`;
}

/** Bytes that a binary of the sources in a folder embeds beside the run-time half. */
export async function embeddedBytes(folder: string): Promise<number> {
  const { compileArguments } = await import(`${folder}/tests/support/release/compile.ts`);
  return await withTempDir(async (target) => {
    const output = `${target}/binary`;
    await runDeno(folder, await compileArguments(output), { DENORT_BIN: STUB });
    return (await Deno.stat(output)).size - (await Deno.stat(STUB)).size;
  });
}

async function runDeno(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args: [...args], cwd, env }).output();
  if (!success) throw new Error(`Cannot build in "${cwd}":\n${new TextDecoder().decode(stderr)}`);
}
