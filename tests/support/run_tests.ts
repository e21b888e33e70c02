/**
 * Runs `deno test` with the given arguments (all tests when there are none), passes its output on, and ends with the plain
 * line `N passed, N failed`. The exit code is that of `deno test`.
 */

const ESCAPES = new RegExp(String.raw`\u001b\[[0-9;]*m`, "g");
const SUMMARY = /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/gm;

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

/** Files that are tested side by side: stories of the UI and tests of crashes wait for other processes most of the time. */
function jobs(): string {
  return Deno.env.get("DENO_JOBS") ?? String(navigator.hardwareConcurrency + 1);
}

async function passOn(
  stream: ReadableStream<Uint8Array>,
  write: (text: Uint8Array) => Promise<number>,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    for (let offset = 0; offset < chunk.length;) offset += await write(chunk.subarray(offset));
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

async function run(args: readonly string[]): Promise<number> {
  const isFile = (argument: string) => !argument.startsWith("-");
  const command = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--parallel", "--no-check", ...args, ...(args.some(isFile) ? [] : ["tests/"])],
    env: { DENO_JOBS: jobs() },
    stdout: "piped",
    stderr: "piped",
  });
  await using child = command.spawn();
  const [output, , status] = await Promise.all([
    passOn(child.stdout, (chunk) => Deno.stdout.write(chunk)),
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

if (import.meta.main) Deno.exit(await run(Deno.args));
