/** Limits of scripts, where the server enforces them itself. */
import { assertEquals, assertMatch } from "@std/assert";
import { systemRandomBytes } from "../../../src/base/id.ts";
import type { ScriptLimits } from "../../../src/config/mod.ts";
import { LimitWatch } from "../../../src/machine/scripts/limits.ts";
import { Processes } from "../../../src/machine/scripts/processes.ts";
import { WorkDirectories } from "../../../src/machine/scripts/work_directories.ts";
import type { ProcessEnd } from "../../../src/model/ports/processes.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { ownSeconds, sleepers, until } from "../../support/processes/machine_processes.ts";
import { ATTEMPT, noContainers, shellScript } from "../../support/processes/scripts.ts";
import { withTempDir } from "../../support/temp_dir.ts";

interface LimitedRun extends ProcessEnd {
  readonly lines: readonly string[];
}

/** Runs a script with limits; once it says "ready", time passes until it has ended. */
async function run(scriptLimits: ScriptLimits, script: string, stepMs = 1_000): Promise<LimitedRun> {
  const clock = new FakeClock();
  await using directories = new WorkDirectories(undefined);
  await using processes = new Processes(
    { clock, host: "127.0.0.1", scriptLimits },
    () => 1,
    {
      env: new Map([["PATH", "/bin:/usr/bin"]]),
      containers: noContainers(),
      directories,
      randomBytes: systemRandomBytes,
    },
  );
  const lines: string[] = [];
  let hasEnded = false;
  const workingDirectory = await directories.make("a");
  const running = processes.run(
    ATTEMPT,
    shellScript(script, { workingDirectory, onLine: ({ text }) => void lines.push(text) }),
  ).finally(() => hasEnded = true);
  await until(() => hasEnded || lines.includes("ready"));
  await until(async () => {
    if (!hasEnded) await clock.advance(stepMs);
    return hasEnded;
  });
  return { ...await running, lines };
}

const CASES: readonly (readonly [name: string, limits: ScriptLimits, script: string, limit: RegExp])[] = [
  ["time", { timeMs: 60_000 }, "", /runs longer than the PT1M of --script-time$/],
  [
    "output",
    { outputBytes: 1024 ** 2 },
    "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done;",
    /logs more than the 1 MB of --script-output$/,
  ],
  [
    "disk",
    { diskBytes: 512 * 1024 },
    "head -c 1000000 /dev/urandom > large;",
    /has a working directory larger than the 512 KB of --script-disk$/,
  ],
  [
    "memory",
    { memoryBytes: 64 * 1024 ** 2 },
    `exec python3 -c 'import time; kept = b"x" * 100_000_000; print("ready", flush=True); time.sleep(SECONDS)';`,
    /needs more memory than the 64 MB of --script-memory$/,
  ],
  [
    "processes",
    { processes: 4 },
    "for i in 1 2 3 4 5 6; do setsid sleep SECONDS & done;",
    /has more processes at a time than the 4 of --script-processes$/,
  ],
];

for (const [name, limits, script, limit] of CASES) {
  Deno.test(`a script that meets the limit of ${name} is ended, and its end names limit and option`, async () => {
    const seconds = ownSeconds();
    const ended = await run(limits, `${script.replaceAll("SECONDS", seconds)} echo ready; sleep ${seconds}`);
    assertMatch(String(ended.reason), /^Cannot continue: the script /);
    assertMatch(String(ended.reason), limit);
    assertEquals(ended.exitCode, 137);
    await until(async () => (await sleepers(seconds)).length === 0);
  });
}

Deno.test("a script within its limits ends as it likes", async () => {
  const limits = {
    timeMs: 86_400_000,
    outputBytes: 1_000,
    diskBytes: 10_000_000,
    processes: 100,
    memoryBytes: 1024 ** 3,
  };
  const { exitCode, reason, lines } = await run(limits, "echo ready; echo x > f; exit 3");
  assertEquals({ exitCode, reason, lines: [...lines] }, { exitCode: 3, reason: undefined, lines: ["ready"] });
});

Deno.test("LimitWatch counts the directory of a script together with that of its packages", async () => {
  await withTempDir(async (folder) => {
    const directories = ["work", "packages"].map((name) => `${folder}/${name}`);
    for (const directory of directories) {
      await Deno.mkdir(directory);
      await Deno.writeFile(`${directory}/f`, new Uint8Array(300_000));
    }
    const met = async (diskBytes: number) => {
      const clock = new FakeClock();
      const watch = new LimitWatch({ clock, limits: { diskBytes }, directories, env: {} });
      const failures: string[] = [];
      const end = watch.start({ mark: "none" }, ({ message }) => failures.push(message));
      await clock.advance(1_000);
      await until(() => clock.timerCount === 1 || failures.length > 0);
      await end();
      return failures.length > 0;
    };
    assertEquals([await met(500_000), await met(1_000_000)], [true, false]);
  });
});

Deno.test("a machine that can start no process to look at a script ends neither the script nor the server", async () => {
  const clock = new FakeClock();
  const env = { TOO_LONG: "x".repeat(4 * 1024 ** 2) };
  const watch = new LimitWatch({ clock, limits: { diskBytes: 1 }, directories: ["/"], env });
  const failures: Error[] = [];
  const end = watch.start({ mark: "none" }, (error) => failures.push(error));
  for (let count = 0; count < 3; count++) {
    await until(() => clock.timerCount === 1);
    await clock.advance(1_000);
  }
  await end();
  assertEquals(failures, []);
});
