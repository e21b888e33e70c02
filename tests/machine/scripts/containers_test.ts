/** Real containers: what the options of a place do, with Podman, and with the `docker` program on its service. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { systemClock } from "../../../src/base/time/clock.ts";
import { systemRandomBytes } from "../../../src/base/id.ts";
import { ContainerHost } from "../../../src/machine/scripts/container_host.ts";
import { Processes } from "../../../src/machine/scripts/processes.ts";
import { WorkDirectories } from "../../../src/machine/scripts/work_directories.ts";
import type { ContainerPlace, ContainerRuntimeName } from "../../../src/model/ports/containers.ts";
import type { ProcessCommand } from "../../../src/model/ports/processes.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { containersWith, podmanProblem, TEST_IMAGE } from "../../support/processes/containers.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { ATTEMPT, shellScript } from "../../support/processes/scripts.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const problem = await podmanProblem();
const PATH = Deno.env.get("PATH") ?? "";
const hasDocker = await new Deno.Command("docker", { args: ["--version"] }).output().then(
  () => true,
  () => false,
);
const MIB = 1024 ** 2;

interface Ran {
  readonly exitCode: number;
  readonly reason?: string;
  readonly lines: readonly string[];
  /** Path of the working directory. */
  readonly directory: string;
}

interface Machine {
  /** Runs a shell script in a container of the test image. */
  run(script: string, place?: Partial<ContainerPlace>, rest?: Partial<ProcessCommand>): Promise<Ran>;
  readonly directory: string;
  /** Names of its containers that are there. */
  containers(): Promise<string[]>;
}

async function withMachine(
  runtime: ContainerRuntimeName,
  env: Readonly<Record<string, string>>,
  use: (machine: Machine) => Promise<void>,
): Promise<void> {
  await using directories = new WorkDirectories(undefined);
  const programEnv = { PATH, HOME: Deno.env.get("HOME") ?? "/", ...env };
  // A machine that does much else may take long to respond: its clock stands still.
  const containers = new ContainerHost({ clock: new FakeClock(), env: programEnv, runtime });
  await using processes = new Processes({ clock: systemClock, host: "127.0.0.1" }, () => 1, {
    env: new Map(),
    clientEnv: programEnv,
    containers,
    directories,
    randomBytes: systemRandomBytes,
  });
  const attempt = { ...ATTEMPT, executionId: crypto.randomUUID() };
  const directory = await directories.make("work");
  await Deno.chmod(directory, 0o777);
  await use({
    directory,
    containers: () => containersWith(`sluice.execution=${attempt.executionId}`),
    async run(script, place = {}, rest = {}) {
      const lines: string[] = [];
      const onLine = ({ text }: { readonly text: string }) => void lines.push(text);
      const end = await processes.run(
        attempt,
        shellScript(script, {
          onLine,
          workingDirectory: directory,
          place: { type: "container", image: TEST_IMAGE, network: "none", pull: "never", ...place },
          ...rest,
        }),
      );
      return { ...end, lines, directory };
    },
  });
}

/** Scripts with the options of their place, and what they print; `DIR` is the working directory. */
const PLACES: readonly (readonly [
  name: string,
  place: Partial<ContainerPlace>,
  script: string,
  lines: readonly string[],
])[] = [
  ["the working directory", {}, "pwd; cat given", ["DIR", "from outside"]],
  ["a user", { user: "1234:99" }, "id -u; id -g; touch own && echo wrote", ["1234", "99", "wrote"]],
  ["no network", { network: "none" }, "ls /sys/class/net", ["lo"]],
  ["an entry point", { entryPoint: ["/bin/sh", "-c", 'echo first; exec "$@"', "x"] }, "echo then", [
    "first",
    "then",
  ]],
  ["another host", { extraHosts: ["db:10.0.0.5"] }, "grep -c 10.0.0.5 /etc/hosts", ["1"]],
  [
    "shared memory",
    { sharedMemoryBytes: 8 * MIB },
    "df -k /dev/shm | tail -n 1 | grep -o ' 8192 ' | head -n 1",
    [
      " 8192 ",
    ],
  ],
  ["copied files", { copiesFiles: true }, "cat given", ["from outside"]],
];

Deno.test("a container has what its place says", async (test) => {
  if (problem !== undefined) return void await test.step({ name: problem, ignore: true, fn() {} });
  await withMachine("podman", {}, async ({ run, directory }) => {
    await Deno.writeTextFile(`${directory}/given`, "from outside\n");
    for (const [name, place, script, lines] of PLACES) {
      await test.step(name, async () => {
        const ran = await run(script, place);
        assertEquals(ran.lines, lines.map((line) => line === "DIR" ? directory : line));
        assertEquals(ran.exitCode, 0);
      });
    }
  });
});

Deno.test("the end of a container is that of its command", async (test) => {
  if (problem !== undefined) return void await test.step({ name: problem, ignore: true, fn() {} });
  await withMachine("podman", {}, async ({ run, directory, containers }) => {
    await test.step("its exit code and its files", async () => {
      const env = new Map([["A", "x y"], ["LINES", "a\nb"]]);
      const ran = await run('echo "$A" "$LINES" > made; exit 7', {}, { env });
      assertEquals([ran.exitCode, ran.reason], [7, undefined]);
      assertEquals(await Deno.readTextFile(`${directory}/made`), "x y a\nb\n");
    });
    await test.step("its files come back when they were copied", async () => {
      const ran = await run("echo back > copied; exit 3", { copiesFiles: true });
      assertEquals([ran.exitCode, await Deno.readTextFile(`${directory}/copied`)], [3, "back\n"]);
    });
    await test.step("too little memory is named", async () => {
      const script = "head -c 64m /dev/zero | tail -n 1 > /dev/null; exit $?";
      const { exitCode, reason } = await run(script, {
        memory: { limitBytes: 16 * MIB, swapBytes: 16 * MIB },
      });
      assert(exitCode !== 0);
      // The kernel may kill the shell or only what it has started.
      if (exitCode === 137) {
        assertMatch(String(reason), /than the 16 MB of its task runner, or something else/);
      }
    });
    await test.step("a missing image is named", async () => {
      const { exitCode, reason, lines } = await run("true", { image: "localhost/sluice-test/none:1" });
      assertEquals(exitCode, 125);
      assertMatch(lines.join("\n"), /sluice-test\/none/);
      assertMatch(
        String(reason),
        /image "localhost\/sluice-test\/none:1": podman could not create it, .*credentials/,
      );
    });
    await test.step("a stop ends and removes it", async () => {
      const controller = new AbortController();
      const onLine = () => controller.abort();
      const { signal } = controller;
      const { exitCode } = await run("echo up; sleep 1000000", { graceMs: 0 }, { signal, onLine });
      assertEquals(exitCode, 143);
      await until(async () => (await containers()).length === 0);
    });
  });
});

Deno.test("the docker program runs containers on a service of podman", async (test) => {
  const reason = problem ?? (hasDocker ? undefined : "no docker program here");
  if (reason !== undefined) return void await test.step({ name: reason, ignore: true, fn() {} });
  await withTempDir(async (folder) => {
    const address = `unix://${folder}/podman.sock`;
    const service = new Deno.Command("podman", {
      args: ["system", "service", "--time=0", address],
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      await until(() => Deno.stat(`${folder}/podman.sock`).then(() => true, () => false));
      await withMachine("docker", { DOCKER_HOST: address }, async ({ run, directory, containers }) => {
        await Deno.writeTextFile(`${directory}/given`, "from outside\n");
        const ran = await run("cat given; id -u; exit 4", { user: "1234" });
        assertEquals([ran.exitCode, ...ran.lines], [4, "from outside", "1234"]);
        const copied = await run("echo back > copied; exit 5", { copiesFiles: true });
        assertEquals([copied.exitCode, await Deno.readTextFile(`${directory}/copied`)], [5, "back\n"]);
        // Removals need the service.
        await until(async () => (await containers()).length === 0);
      });
    } finally {
      service.kill("SIGTERM");
      await service.status;
    }
  });
});
