/** Control groups of scripts, for real where this machine lets root create them, and on a folder that looks like one. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../src/base/time/clock.ts";
import { systemRandomBytes } from "../../../src/base/id.ts";
import { ControlGroups, enforcementText } from "../../../src/machine/scripts/control_groups.ts";
import { Processes, type ProcessOptions } from "../../../src/machine/scripts/processes.ts";
import { WorkDirectories } from "../../../src/machine/scripts/work_directories.ts";
import { ownSeconds, sleepers, until } from "../../support/processes/machine_processes.ts";
import { ATTEMPT, noContainers, shellScript } from "../../support/processes/scripts.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const ENV = { PATH: "/bin:/usr/bin" };
const ignore = !await hasGroups();

async function hasGroups(): Promise<boolean> {
  const groups = new ControlGroups({ limits: {}, env: ENV, randomBytes: systemRandomBytes });
  const support = await groups.support();
  if (support) await Deno.remove(support.path);
  return support !== undefined;
}

/** Runs scripts in control groups; `use` gets what runs one and returns its lines and its end. */
async function withGroups(
  options: Partial<ProcessOptions>,
  use: (run: (script: string, env?: ReadonlyMap<string, string>) => Promise<string[]>) => Promise<void>,
): Promise<void> {
  await using directories = new WorkDirectories(undefined);
  await using processes = new Processes(
    { clock: systemClock, host: "127.0.0.1", ...options },
    () => 1,
    {
      env: new Map(Object.entries(ENV)),
      containers: noContainers(),
      directories,
      randomBytes: systemRandomBytes,
    },
  );
  await use(async (script, env = new Map()) => {
    const lines: string[] = [];
    const onLine = ({ text }: { text: string }) => void lines.push(text);
    const { exitCode } = await processes.run(ATTEMPT, shellScript(script, { env, onLine }));
    return [...lines, String(exitCode)];
  });
}

/** The path of the group of a script, as the kernel tells it. */
const OWN_GROUP = "sed -n 's/^0:://p' /proc/self/cgroup";

Deno.test({
  name: "processes that left their process group and emptied their environment end with their script",
  ignore,
  async fn() {
    await withGroups({ scriptLimits: { processes: 100 } }, async (run) => {
      for (const script of ["", OWN_GROUP]) {
        const seconds = ownSeconds();
        await run(`${script}; env -i /usr/bin/setsid sleep ${seconds} > /dev/null 2>&1 &
          until ps -eo args | grep -qx "sleep ${seconds}"; do sleep 0.01; done`);
        await until(async () => (await sleepers(seconds)).length === 0);
      }
    });
  },
});

Deno.test({
  name: "each script has a control group, which is removed after it, and the group of all with the server",
  ignore,
  async fn() {
    let path = "";
    await withGroups({ scriptLimits: { processes: 100 } }, async (run) => {
      const [first = "", second = ""] = [(await run(OWN_GROUP))[0], (await run(OWN_GROUP))[0]];
      assertMatch(first, /\/sluice-[0-9a-f]{16}\/\d+$/);
      assert(first !== second, "two scripts, two groups");
      path = first.replace(/\/\d+$/, "");
      const text = "x".repeat(20_000);
      assertEquals(await run(`echo $V; : ${text}`, new Map([["V", "a b"]])), ["a b", "0"]);
    });
    await until(async () => !await isGroup(path));
  },
});

async function isGroup(path: string): Promise<boolean> {
  const { stdout } = await new Deno.Command("/bin/sh", {
    args: ["-c", `ls -d /sys/fs/cgroup$1 /sys/fs/cgroup/*$1 2> /dev/null`, "sh", path],
  }).output();
  return stdout.length > 0;
}

Deno.test("ControlGroups.place() writes the limits before it puts the process into the group", async () => {
  await withTempDir(async (path) => {
    const groups = new ControlGroups({
      limits: { memoryBytes: 1024 ** 2, cpus: 1.5 },
      env: ENV,
      randomBytes: systemRandomBytes,
    });
    const group = await groups.place(4711, {
      path,
      controllers: new Set(["memory", "cpu", "pids"] as const),
    });
    const read = async (name: string) => (await Deno.readTextFile(`${group}/${name}`)).trim();
    assertEquals(
      await Promise.all(["memory.max", "memory.oom.group", "cpu.max", "pids.max", "cgroup.procs"].map(read)),
      ["1048576", "1", "150000 100000", "4096", "4711"],
    );
    const other = await groups.place(4712, { path, controllers: new Set() });
    assertEquals(Array.from(Deno.readDirSync(other), ({ name }) => name), ["cgroup.procs"]);
  });
});

Deno.test("ControlGroups.met() names the limit that the kernel has counted, and its option", async () => {
  await withTempDir(async (path) => {
    const groups = new ControlGroups({
      limits: { memoryBytes: 1024 ** 3 },
      env: ENV,
      randomBytes: systemRandomBytes,
    });
    const events = async (memory: number, pids: number) => {
      await Deno.writeTextFile(`${path}/memory.events`, `low 0\nmax 7\noom 1\noom_kill ${memory}\n`);
      await Deno.writeTextFile(`${path}/pids.events`, `max ${pids}\n`);
      return (await groups.met(path))?.message;
    };
    assertEquals(await events(0, 0), undefined);
    assertEquals(
      await events(2, 0),
      "Cannot continue: the script needs more memory than the 1 GB of --script-memory",
    );
    assertEquals(
      await events(0, 3),
      "Cannot continue: the script has more processes at a time than the 4096 of --script-processes",
    );
    assertEquals(await groups.met(`${path}/none`), undefined);
  });
});

Deno.test("enforcementText() says what the kernel limits, what is checked, and what is not limited", () => {
  assertMatch(enforcementText(undefined), /^Scripts have no control groups: .*processors are not limited/);
  assertEquals(
    enforcementText({ path: "/g", controllers: new Set(["memory", "pids"] as const) }),
    'Scripts have control groups below "/g"; the kernel limits memory, processes; processors are not limited',
  );
});

Deno.test("ControlGroups.support() is undefined where no shell can be started", async () => {
  const env = { TOO_LONG: "x".repeat(4 * 1024 ** 2) };
  const groups = new ControlGroups({ limits: {}, env, randomBytes: systemRandomBytes });
  assertEquals(await groups.support(), undefined);
});

/** A server with a script that has started a process which nothing but its control group tells from others. */
const CRASH = (seconds: string) => `
import { systemClock } from "${import.meta.resolve("../../../src/base/time/clock.ts")}";
import { systemRandomBytes } from "${import.meta.resolve("../../../src/base/id.ts")}";
import { Processes } from "${import.meta.resolve("../../../src/machine/scripts/processes.ts")}";
import { WorkDirectories } from "${import.meta.resolve("../../../src/machine/scripts/work_directories.ts")}";
import { ATTEMPT, noContainers, shellScript } from "${
  import.meta.resolve("../../support/processes/scripts.ts")
}";
const processes = new Processes(
  { clock: systemClock, host: "127.0.0.1", scriptLimits: { processes: 100 } },
  () => 1,
  {
    env: new Map([["PATH", "/bin:/usr/bin"]]),
    containers: noContainers(),
    directories: new WorkDirectories(undefined),
    randomBytes: systemRandomBytes,
  },
);
const script = "${OWN_GROUP}; env -i /usr/bin/setsid sleep ${seconds} & wait";
await processes.run(ATTEMPT, shellScript(script, { onLine: ({ text }) => console.log(text) }));`;

Deno.test({
  name: "control groups end with their processes when the server is killed",
  ignore,
  async fn() {
    await withTempDir(async (folder) => {
      const seconds = ownSeconds();
      await Deno.writeTextFile(`${folder}/server.ts`, CRASH(seconds));
      const config = fileURLToPath(import.meta.resolve("../../../deno.json"));
      const server = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--config", config, `${folder}/server.ts`],
        stdout: "piped",
      }).spawn();
      const reader = server.stdout.getReader();
      const path = new TextDecoder().decode((await reader.read()).value).trim().replace(/\/\d+$/, "");
      await until(async () => (await sleepers(seconds)).length === 1);
      assert(await isGroup(path));
      server.kill("SIGKILL");
      await server.status;
      await reader.cancel();
      await until(async () => (await sleepers(seconds)).length === 0);
      await until(async () => !await isGroup(path));
    });
  },
});
