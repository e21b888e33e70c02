// deno-lint-ignore-file no-console
/**
 * Builds the files of a release into `dist/release`: a binary for each platform, `install.sh`, the bill of materials and
 * `SHA256SUMS`. Says what could not be built, and why; the exit code is then 1, unless `--partial` is given.
 *
 *   deno task release [--base-url <url>] [--only linux-x64,…] [--partial] [--compiler <command>]
 *
 * `--base-url` is where the files will be downloaded from; `install.sh` uses it. `DENORT_BIN` names the run-time half of this
 * machine, where none can be downloaded: then only this platform is built. `--compiler` names the Deno of the same version.
 */
import { createHash } from "node:crypto";
import { compileArguments, ROOT_PATH } from "./compile.ts";
import { ownBill } from "./sbom.ts";

/** A platform that a binary is built for. */
interface Platform {
  /** As in the name of the file. */
  readonly name: string;
  /** As `deno compile` names it. */
  readonly target: string;
}

const PLATFORMS: readonly Platform[] = [
  { name: "linux-x64", target: "x86_64-unknown-linux-gnu" },
  { name: "linux-arm64", target: "aarch64-unknown-linux-gnu" },
  { name: "macos-x64", target: "x86_64-apple-darwin" },
  { name: "macos-arm64", target: "aarch64-apple-darwin" },
  { name: "windows-x64", target: "x86_64-pc-windows-msvc" },
];
const INSTALLER = new URL("../../../docs/deploy/install.sh", import.meta.url);
const CHECKSUMS = "SHA256SUMS";
/** Place of the download address in `install.sh`. */
const BASE_URL_MARK = "@BASE_URL@";

/** What became of one platform. */
interface Outcome {
  readonly name: string;
  /** Why there is no binary. */
  readonly problem?: string;
}

/** Builds a binary into a file. Returns the reason if that failed. */
export type Build = (platform: Platform, output: string) => Promise<string | undefined>;

interface ReleaseOptions {
  readonly folder: string;
  readonly build: Build;
  readonly baseUrl?: string;
  /** Names of platforms; absent: all. */
  readonly only?: readonly string[];
}

/** Builds a release into a folder, which is emptied before. @throws Error for an unknown platform */
export async function release({ folder, build, baseUrl, only }: ReleaseOptions): Promise<Outcome[]> {
  const names = PLATFORMS.map(({ name }) => name);
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`Cannot build "${unknown}": platforms are ${names.join(", ")}`);
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  const outcomes: Outcome[] = [];
  for (const platform of PLATFORMS.filter(({ name }) => only?.includes(name) ?? true)) {
    const file = `sluice-${platform.name}${platform.name.startsWith("windows") ? ".exe" : ""}`;
    outcomes.push({ name: platform.name, problem: await build(platform, `${folder}/${file}`) });
  }
  const installer = await Deno.readTextFile(INSTALLER);
  const text = baseUrl === undefined ? installer : installer.replace(BASE_URL_MARK, () => baseUrl);
  await Deno.writeTextFile(`${folder}/install.sh`, text);
  await Deno.writeTextFile(`${folder}/sluice.cdx.json`, `${JSON.stringify(await ownBill(), null, 2)}\n`);
  await Deno.writeTextFile(`${folder}/${CHECKSUMS}`, await checksums(folder));
  return outcomes;
}

/** A line for each file, in the form that `sha256sum --check` reads. */
async function checksums(folder: string): Promise<string> {
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
  const lines = [];
  for (const name of names) {
    const hash = createHash("sha256").update(await Deno.readFile(`${folder}/${name}`));
    lines.push(`${hash.digest("hex")}  ${name}\n`);
  }
  return lines.join("");
}

/** Builds by `deno compile`, as the task does. */
const compile: Build = async ({ target }, output) => {
  const own = Deno.build.target;
  if (Deno.env.has("DENORT_BIN") && target !== own) return `DENORT_BIN is a run-time for ${own} only`;
  const [program = Deno.execPath(), ...before] = option("--compiler")?.split(" ") ?? [];
  const [command = "", ...rest] = await compileArguments(output);
  const args = [...before, command, "--target", target, ...rest];
  const built = await new Deno.Command(program, { args, cwd: ROOT_PATH, env: { NO_COLOR: "1" } })
    .output();
  if (built.success) return undefined;
  await Deno.remove(output).catch(() => {});
  return reasonOf(new TextDecoder().decode(built.stderr));
};

/** The first cause that is not just another step, such as a failed download; else the error. */
function reasonOf(errors: string): string {
  const cause = /^ +1: (.*)$/m.exec(errors)?.[1] ?? /^error: (.*)$/m.exec(errors)?.[1];
  return cause ?? (errors.trim().split("\n").at(-1) || "deno compile failed");
}

function option(name: string): string | undefined {
  const at = Deno.args.indexOf(name);
  return at === -1 ? undefined : Deno.args[at + 1];
}

if (import.meta.main) {
  const folder = `${ROOT_PATH}dist/release`;
  const only = option("--only")?.split(",");
  const outcomes = await release({ folder, build: compile, baseUrl: option("--base-url"), only });
  for (const { name, problem } of outcomes) {
    console.log(problem === undefined ? `built      ${name}` : `not built  ${name}: ${problem}`);
  }
  console.log(`Files and ${CHECKSUMS} are in ${folder}`);
  const isComplete = outcomes.every(({ problem }) => problem === undefined);
  Deno.exit(isComplete || Deno.args.includes("--partial") ? 0 : 1);
}
