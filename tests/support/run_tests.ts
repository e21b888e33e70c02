/**
 * Runs `deno test` with the given arguments (all tests when there are none), passes its output on, and ends with the plain
 * line `N passed, N failed`. The exit code is that of `deno test`.
 */
import { withTempDir } from "./temp_dir.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** Stories of the UI: the files of a group share a browser and what drives it, which take as long as ten stories. */
const STORY_FOLDER = "tests/ui";
/** Folders whose files take long: they run first, because the last files of a run leave cores idle if they are long. */
const LONG_FOLDERS = [
  "tests/crash",
  "tests/cluster",
  "tests/faults",
  "tests/e2e",
  "tests/flows",
  "tests/integrations/git",
  "tests/integrations/jdbc",
  "tests/machine/scripts",
  "tests/services/triggers",
  "tests/simulation",
  "tests/store/catalog",
  "tests/tasks/docker",
  "tests/tasks/scripts",
];

/** Files that are a group of their own: one leaves timers of a package behind, one begins with modules that are not loaded yet. */
const ALONE = ["tests/integrations/kafka/stop_test.ts", "tests/integrations/loading_test.ts"];
/** Files of a group of stories, in the long folders, and elsewhere: so few that the last groups of a run end at about the same time. */
const GROUP_SIZES = { stories: 11, long: 7, other: 55 };

/** Longest time without the end of a test. Nothing else ends a test that waits for something that never happens. */
const STALL_MS = 900_000;

const ESCAPES = new RegExp(String.raw`\u001b\[[0-9;]*m`, "g");
const SUMMARY = /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/gm;

/** What `deno test` says again and again of a test that takes long. */
const STILL_RUNNING = "has been running for over";

/** Passed and failed tests in the output of `deno test`. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

/** The counts of the summary in the output; without one, or with an exit code that it does not explain, one failure more. */
export function countTests(output: string, exitCode: number): TestCounts {
  const summary = [...output.replace(ESCAPES, "").matchAll(SUMMARY)].at(-1);
  const passed = Number(summary?.[1] ?? 0);
  const failed = Number(summary?.[2] ?? 0);
  return { passed, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
}

/** Groups that run side by side. Many wait for other processes: five at a time leave two cores a quarter idle. */
function jobs(): string {
  return Deno.env.get("DENO_JOBS") ?? String(4 * navigator.hardwareConcurrency);
}

/**
 * All test files in the order in which they run, each in one group. The modules of the server are loaded and compiled once for
 * a group, which takes as long as the tests of many files.
 */
export function allGroups(): string[][] {
  const stories = testFilesBelow(STORY_FOLDER);
  const long = LONG_FOLDERS.flatMap(testFilesBelow);
  const named = new Set([...stories, ...long, ...ALONE]);
  const other = testFilesBelow("tests").filter((file) => !named.has(file));
  return [
    ...chunksOf(stories, GROUP_SIZES.stories),
    ...chunksOf(long, GROUP_SIZES.long),
    ...chunksOf(ALONE, 1),
    ...chunksOf(other, GROUP_SIZES.other),
  ];
}

function chunksOf(files: readonly string[], size: number): string[][] {
  return Array.from(
    { length: Math.ceil(files.length / size) },
    (_, index) => files.slice(index * size, (index + 1) * size),
  );
}

/** Writes a module for each group, which imports its files: paths for `deno test`. Its output names the group of each test, and the file of a failed one. */
async function writeGroups(dir: string): Promise<string[]> {
  return await Promise.all(
    allGroups().map(async (files, index) => {
      const path = `${dir}/group_${index + 1}.ts`;
      await Deno.writeTextFile(path, files.map((file) => `import "file://${ROOT}${file}";\n`).join(""));
      return path;
    }),
  );
}

function testFilesBelow(folder: string): string[] {
  return [...Deno.readDirSync(`${ROOT}${folder}`)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return testFilesBelow(path);
    return name.endsWith("_test.ts") ? [path] : [];
  }).sort();
}

/** Whether output of `deno test` says more than that a test is still running. */
export function isProgress(output: string): boolean {
  return output.split("\n").some((line) => line.trim() !== "" && !line.includes(STILL_RUNNING));
}

/** Reads output of `deno test`, and calls `onStall` when there was no progress for a while. */
class StallWatch implements Disposable {
  readonly #onStall: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onStall: () => void) {
    this.#onStall = onStall;
    this.#begin();
  }

  read(output: string): void {
    if (isProgress(output)) this.#begin();
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onStall, STALL_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

async function passOn(
  stream: ReadableStream<Uint8Array>,
  write: (text: Uint8Array) => Promise<number>,
  watch?: StallWatch,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    for (let offset = 0; offset < chunk.length;) offset += await write(chunk.subarray(offset));
    const part = decoder.decode(chunk, { stream: true });
    watch?.read(part);
    text += part;
  }
  return text;
}

async function run(args: readonly string[]): Promise<number> {
  const isFile = (argument: string) => !argument.startsWith("-");
  return await withTempDir(async (dir) => {
    const files = args.some(isFile) ? [] : await writeGroups(dir);
    return await runDenoTest([...args, ...files], dir);
  });
}

/** `dir` is for what the tests of a run share. */
async function runDenoTest(args: readonly string[], dir: string): Promise<number> {
  const ports = `${dir}/ports`;
  await Deno.mkdir(ports);
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "-A",
      "--parallel",
      "--no-check",
      ...args,
    ],
    env: { DENO_JOBS: jobs(), SLUICE_CHECKED_FORMS: `${dir}/checked_forms`, SLUICE_TEST_PORTS: ports },
    stdout: "piped",
    stderr: "piped",
  });
  await using child = command.spawn();
  using watch = new StallWatch(() => void stop(child));
  const [output, , status] = await Promise.all([
    passOn(child.stdout, (chunk) => Deno.stdout.write(chunk), watch),
    passOn(child.stderr, (chunk) => Deno.stderr.write(chunk)),
    child.status,
  ]);
  const { passed, failed } = countTests(output, status.code);
  if (status.signal) {
    await Deno.stdout.write(new TextEncoder().encode(`deno test was ended by ${status.signal}\n`));
  }
  await Deno.stdout.write(new TextEncoder().encode(`${passed} passed, ${failed} failed\n`));
  return status.code;
}

async function stop(child: Deno.ChildProcess): Promise<void> {
  const reason = `No test has ended for ${STALL_MS / 60_000} minutes: deno test is stopped\n`;
  await Deno.stdout.write(new TextEncoder().encode(reason));
  child.kill("SIGKILL");
}

if (import.meta.main) Deno.exit(await run(Deno.args));
