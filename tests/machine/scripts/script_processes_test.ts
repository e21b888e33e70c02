/** Script processes under load, and when the server that started them is killed. */
import { assert, assertEquals, assertLess } from "@std/assert";
import { fileURLToPath } from "node:url";
import { ownSeconds, sleepers, until } from "../../support/processes/machine_processes.ts";
import { yaml } from "../../support/flows/request_bodies.ts";
import { ServerProcess } from "../../support/processes/server_process.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const MIB = 1024 * 1024;
const LINES = 1_000_000;

/** Takes the lines of a script slowly; a process of its own, since tests share one, and with it its memory. */
const TAKER = `
import { setImmediate } from "node:timers";
import { systemClock } from "${import.meta.resolve("../../../src/base/time/clock.ts")}";
import { systemRandomBytes } from "${import.meta.resolve("../../../src/base/id.ts")}";
import { Processes } from "${import.meta.resolve("../../../src/machine/scripts/processes.ts")}";
import { WorkDirectories } from "${import.meta.resolve("../../../src/machine/scripts/work_directories.ts")}";
import { ATTEMPT, noContainers, shellScript } from "${
  import.meta.resolve("../../support/processes/scripts.ts")
}";
await using processes = new Processes({ clock: systemClock, host: "127.0.0.1" }, () => 1, {
  containers: noContainers(),
  directories: new WorkDirectories(undefined),
  env: new Map([["PATH", Deno.env.get("PATH") ?? ""]]),
  randomBytes: systemRandomBytes,
});
const before = Deno.memoryUsage().rss;
let count = 0, largest = 0;
const onLine = () => {
  if (++count % 20_000 !== 0) return;
  largest = Math.max(largest, Deno.memoryUsage().rss - before);
  return new Promise((resolve) => void setImmediate(resolve));
};
const script = "yes ${"x".repeat(300)} | head -n ${LINES}";
const { exitCode } = await processes.run(ATTEMPT, shellScript(script, { onLine }));
console.log(JSON.stringify({ exitCode, count, largest }));`;

Deno.test("Processes.run() holds little of a million lines in memory, however slowly they are taken", async () => {
  await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/taker.ts`, TAKER);
    const config = fileURLToPath(import.meta.resolve("../../../deno.json"));
    const args = ["run", "-A", "--no-check", "--config", config, `${folder}/taker.ts`];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
    const { exitCode, count, largest } = JSON.parse(new TextDecoder().decode(stdout));
    assertEquals([exitCode, count], [0, LINES]);
    // All of it would be 300 MiB.
    assertLess(largest, 150 * MIB);
  });
});

const FLOW = `
id: long
namespace: demo
tasks:
  - id: c
    type: io.kestra.plugin.scripts.shell.Commands
    commands: ["(sleep S1 & setsid sleep S2 &) ; test -e ROOT/again && exit 0; touch ROOT/again; sleep S3"]
    retry: {type: constant, interval: PT0.1S, maxAttempt: 3}
`;

interface Attempts {
  readonly state: { readonly current: string };
  readonly taskRunList: readonly {
    readonly attempts: readonly { readonly state: { readonly current: string } }[];
  }[];
}

Deno.test("main.ts leaves no process of a script when it is killed, and records the attempt at its next start", async () => {
  await withTempDir(async (root) => {
    const dataDir = `${root}/data`;
    const seconds = [ownSeconds(), ownSeconds(), ownSeconds()];
    const flow = FLOW.replaceAll("ROOT", root).replace(/S([123])/g, (_, n) => seconds[n - 1] ?? "");
    let id = "";
    {
      await using server = await ServerProcess.start({ dataDir });
      await server.json("POST", "/flows", yaml(flow));
      ({ id } = await server.json<{ id: string }>("POST", "/executions/demo/long"));
      await until(async () => (await sleepers(...seconds)).length === 3);
      await server.kill("SIGKILL");
    }
    await until(async () => (await sleepers(...seconds)).length === 0);
    await using server = await ServerProcess.start({ dataDir });
    let execution: Attempts | undefined;
    await until(async () => {
      execution = await server.json<Attempts>("GET", `/executions/${id}`);
      return execution.state.current !== "RUNNING";
    });
    const states = execution?.taskRunList[0]?.attempts.map(({ state }) => state.current) ?? [];
    assertEquals([execution?.state.current, states.at(-1)], ["SUCCESS", "SUCCESS"]);
    assert(states.length > 1, `attempts ${states.join(" ")}`);
    await until(async () => (await sleepers(...seconds)).length === 0);
  });
});
