/** Script processes under load, and when the server that started them is killed. */
import { assert, assertEquals, assertLess } from "@std/assert";
import { setImmediate } from "node:timers";
import { systemClock } from "../../../src/base/clock.ts";
import { systemRandomBytes } from "../../../src/base/id.ts";
import { Processes } from "../../../src/machine/scripts/processes.ts";
import { sleep, sleepers, until } from "../../support/machine_processes.ts";
import { yaml } from "../../support/request_bodies.ts";
import { ATTEMPT, shellScript } from "../../support/scripts.ts";
import { ServerProcess } from "../../support/server_process.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const MIB = 1024 * 1024;
const LINES = 1_000_000;

Deno.test("Processes.run() holds little of a million lines in memory, however slowly they are taken", async () => {
  const path = Deno.env.get("PATH") ?? "";
  await using processes = new Processes({ clock: systemClock, host: "127.0.0.1" }, () => 1, {
    env: new Map([["PATH", path]]),
    randomBytes: systemRandomBytes,
  });
  const before = Deno.memoryUsage().rss;
  let count = 0, largest = 0;
  const onLine = () => {
    if (++count % 20_000 !== 0) return;
    largest = Math.max(largest, Deno.memoryUsage().rss - before);
    return new Promise<void>((resolve) => void setImmediate(resolve));
  };
  const script = `yes ${"x".repeat(300)} | head -n ${LINES}`;
  const { exitCode } = await processes.run(ATTEMPT, shellScript(script, { onLine }));
  assertEquals([exitCode, count], [0, LINES]);
  // All of it would be 300 MiB.
  assertLess(largest, 150 * MIB);
});

const FLOW = `
id: long
namespace: demo
tasks:
  - id: c
    type: io.kestra.plugin.scripts.shell.Commands
    commands: ["(${sleep(9871)} & setsid ${
  sleep(9872)
} &) ; test -e ROOT/again && exit 0; touch ROOT/again; ${sleep(9873)}"]
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
    let id = "";
    {
      await using server = await ServerProcess.start({ dataDir });
      await server.json("POST", "/flows", yaml(FLOW.replaceAll("ROOT", root)));
      ({ id } = await server.json<{ id: string }>("POST", "/executions/demo/long"));
      await until(async () => (await sleepers("987[123]")).length === 3);
      await server.kill("SIGKILL");
    }
    await until(async () => (await sleepers("987[123]")).length === 0);
    await using server = await ServerProcess.start({ dataDir });
    let execution: Attempts | undefined;
    await until(async () => {
      execution = await server.json<Attempts>("GET", `/executions/${id}`);
      return execution.state.current !== "RUNNING";
    });
    const states = execution?.taskRunList[0]?.attempts.map(({ state }) => state.current) ?? [];
    assertEquals([execution?.state.current, states.at(-1)], ["SUCCESS", "SUCCESS"]);
    assert(states.length > 1, `attempts ${states.join(" ")}`);
    await until(async () => (await sleepers("987[123]")).length === 0);
  });
});
