/** Processes: how many at a time, with what environment, and that nothing of them is left. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { setImmediate } from "node:timers";
import { fileURLToPath } from "node:url";
import type { ProcessCommand } from "../../../src/model/ports/processes.ts";
import { systemClock } from "../../../src/base/time/clock.ts";
import { systemRandomBytes } from "../../../src/base/id.ts";
import { scriptEnvironment } from "../../../src/machine/scripts/environment.ts";
import { LineReader, type ReadLine } from "../../../src/machine/scripts/lines.ts";
import { Processes, type ProcessOptions } from "../../../src/machine/scripts/processes.ts";
import {
  MAX_DIRECTORY_AGE_MS,
  MAX_UNUSED_DIRECTORIES,
} from "../../../src/machine/scripts/shared_directories.ts";
import { removeTree } from "../../../src/machine/scripts/remove_tree.ts";
import { WorkDirectories } from "../../../src/machine/scripts/work_directories.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { ownSeconds, sleepers, until } from "../../support/processes/machine_processes.ts";
import { ATTEMPT } from "../../support/processes/scripts.ts";
import { ContainerHost, type ContainerHostOptions } from "../../../src/machine/scripts/container_host.ts";
import { withTempDir, writeProgram } from "../../support/temp_dir.ts";

const NEVER = new AbortController().signal;

Deno.test("scriptEnvironment() keeps what programs need, and nothing that may be a secret", () => {
  const given = {
    PATH: "/bin",
    HOME: "/home/x",
    LC_ALL: "C",
    http_proxy: "http://proxy:3128",
    HTTPS_PROXY: "http://u:p@proxy:3128",
    SLUICE_BASIC_AUTH: "u:p",
    SECRET_A: "x",
    ENV_B: "x",
    DATABASE_URL: "x",
  };
  assertEquals([...scriptEnvironment(given).keys()], ["PATH", "HOME", "LC_ALL", "http_proxy"]);
});

const LINES: readonly (readonly [chunks: readonly string[], lines: readonly string[]])[] = [
  [[], []],
  [["a\nb\n"], ["a", "b"]],
  [["a", "b\r\n", "\n", "c"], ["ab", "", "c"]],
  [["\n\n"], ["", ""]],
  [["\r10 %\r20 %\r", "100 %\r\ndone"], ["10 %", "20 %", "100 %", "done"]],
  [["a\r", "\nb\r"], ["a", "b"]],
  [["a\r\n\r\nb"], ["a", "", "b"]],
];

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks) as ReadableStream<Uint8Array>;
}

async function linesOf(chunks: readonly Uint8Array[]): Promise<ReadLine[]> {
  const lines: ReadLine[] = [];
  await new LineReader(streamOf(chunks), new FakeClock(), (line) => void lines.push(line)).run();
  return lines;
}

for (const [chunks, lines] of LINES) {
  Deno.test(`LineReader.run() of ${JSON.stringify(chunks)}`, async () => {
    const read = await linesOf(chunks.map((chunk) => new TextEncoder().encode(chunk)));
    assertEquals(read.map(({ text }) => text), [...lines]);
  });
}

Deno.test("LineReader.run() passes bytes on as they come, where they are wanted", async () => {
  const parts: number[][] = [];
  const chunks = [[0, 255, 10], [13, 97]].map((bytes) => new Uint8Array(bytes));
  const neverCalled = () => assert(false);
  await new LineReader(
    streamOf(chunks),
    new FakeClock(),
    neverCalled,
    (bytes) => void parts.push([...bytes]),
  ).run();
  assertEquals(parts, [[0, 255, 10], [13, 97]]);
});

Deno.test("LineReader.run() joins characters that were cut apart", async () => {
  const bytes = new TextEncoder().encode("héé€\n");
  const read = await linesOf([...bytes].map((byte) => new Uint8Array([byte])));
  assertEquals(read.map(({ text }) => text), ["héé€"]);
});

Deno.test("LineReader.run() keeps the beginning of a line without end, and tells its size", async () => {
  const chunk = new Uint8Array(300_000).fill(97);
  const [line, ...others] = await linesOf([chunk, chunk, chunk, chunk, chunk]);
  assertEquals([line?.text.length, line?.cutFromBytes, others.length], [1_048_576, 1_500_000, 0]);
});

Deno.test("LineReader.run() reads no further while a line is being taken", async () => {
  const taken = Promise.withResolvers<void>();
  let pulled = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pulled++ < 10) controller.enqueue(new TextEncoder().encode("a\n"));
      else controller.close();
    },
  }, { highWaterMark: 0 });
  const reading = new LineReader(stream, new FakeClock(), () => taken.promise).run();
  await settle();
  assertEquals(pulled, 1);
  taken.resolve();
  await reading;
});

Deno.test("LineReader.run() lets others work while there is always more to read", async () => {
  let hasWorked = false;
  setImmediate(() => hasWorked = true);
  await linesOf(Array.from({ length: 10 }, () => new Uint8Array(65_536).fill(10)));
  assert(hasWorked);
});

Deno.test("LineReader.expectEnd() does not wait for ever for those who hold the stream", async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("a\nb")),
  });
  const reader = new LineReader(stream, clock, ({ text }) => void lines.push(text));
  const reading = reader.run();
  await settle();
  reader.expectEnd();
  await clock.advance(2_000);
  await reading;
  assertEquals([lines, clock.timerCount], [["a", "b"], 0]);
});

const HOLDERS: readonly (readonly [name: string, everyMs: number, size: number, most: number])[] = [
  ["now and then", 500, 2, 4],
  ["all the time", 0, 65_536, 32],
];

for (const [name, everyMs, size, most] of HOLDERS) {
  Deno.test(`LineReader.expectEnd() does not wait for ever for those who write ${name}`, async () => {
    const clock = new FakeClock();
    let pulled = 0;
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { promise, resolve } = Promise.withResolvers<void>();
        if (everyMs > 0) clock.setTimer(everyMs, resolve);
        else resolve();
        await promise;
        // The one that waits was cancelled meanwhile.
        if (++pulled <= 100) controller.enqueue(new Uint8Array(size).fill(97));
        else controller.close();
      },
    }, { highWaterMark: 0 });
    const reader = new LineReader(stream, clock, () => {});
    const reading = reader.run();
    reader.expectEnd();
    for (let passed = 0; passed < 2_000; passed += 250) await clock.advance(250);
    await reading;
    assertEquals(pulled, most);
  });
}

function processesWith(
  path: string,
  { runtime = "auto", ...options }: Partial<ProcessOptions> & Pick<ContainerHostOptions, "runtime"> = {},
): Processes {
  const { clock = systemClock } = options;
  return new Processes(
    { clock, host: "127.0.0.1", ...options },
    () => 1,
    {
      env: new Map([["PATH", path]]),
      containers: new ContainerHost({ clock, env: { PATH: path }, runtime }),
      directories: new WorkDirectories(undefined),
      randomBytes: systemRandomBytes,
    },
  );
}

async function outputOf(processes: Processes, command: Partial<ProcessCommand>): Promise<string[]> {
  const lines: string[] = [];
  const { exitCode } = await processes.run(ATTEMPT, {
    command: ["/bin/sh", "-c", "echo ran"],
    workingDirectory: "/tmp",
    env: new Map(),
    place: { type: "process" },
    signal: NEVER,
    onLine: ({ text }) => void lines.push(text),
    ...command,
  });
  return [...lines, String(exitCode)];
}

Deno.test("Processes.run() in a container says why there is none, and the way out", async () => {
  await withTempDir(async (folder) => {
    const error = await assertRejects(
      () => outputOf(processesWith(folder), { place: { type: "container", image: "ubuntu" } }),
      Error,
    );
    assertMatch(
      error.message,
      /^Cannot run commands in a container: no container runtime works on this machine \(docker: not installed; podman: not installed; nerdctl: not installed\); install Docker, Podman or nerdctl/,
    );
  });
});

Deno.test("Processes.run() in a container does not wait for ever for docker", async () => {
  await withTempDir(async (folder) => {
    const seconds = ownSeconds();
    await writeProgram(`${folder}/docker`, `#!/bin/sh\nsleep ${seconds}\n`);
    const clock = new FakeClock();
    const running = outputOf(processesWith(`${folder}:/bin:/usr/bin`, { clock, runtime: "docker" }), {
      place: { type: "container", image: "ubuntu" },
    });
    const rejected = assertRejects(() => running, Error);
    await until(async () => (await sleepers(seconds)).length === 1);
    await clock.advance(10_000);
    assertMatch(
      (await rejected).message,
      /\(docker: no response within 10 seconds\); install/,
    );
    await until(async () => (await sleepers(seconds)).length === 0);
  });
});

Deno.test("Processes.run() ends a process whose lines nobody takes any more", async () => {
  const refusal = new Error("enough");
  const seconds = ownSeconds();
  await using processes = processesWith("/bin:/usr/bin");
  const taking = outputOf(processes, {
    command: ["/bin/sh", "-c", `echo a; sleep ${seconds}`],
    onLine: () => {
      throw refusal;
    },
  });
  await assertRejects(() => taking, Error, "enough");
  await until(async () => (await sleepers(seconds)).length === 0);
});

Deno.test("Processes.run() leaves nothing running when its command ends", async () => {
  const [a, b, c] = [ownSeconds(), ownSeconds(), ownSeconds()];
  await using processes = processesWith("/bin:/usr/bin");
  await outputOf(processes, {
    command: ["/bin/sh", "-c", `sleep ${a} & setsid sleep ${b} & (trap '' TERM HUP; sleep ${c}) &`],
  });
  await until(async () => (await sleepers(a, b, c)).length === 0);
});

/** A server with a script that has started others; they sleep for these seconds. */
const crash = ([a, b, c, d, e]: readonly string[]) => `
import { systemClock } from "${import.meta.resolve("../../../src/base/time/clock.ts")}";
import { runSupervised } from "${import.meta.resolve("../../../src/machine/scripts/supervised.ts")}";
import { Watchdog } from "${import.meta.resolve("../../../src/machine/scripts/watchdog.ts")}";
await runSupervised({
  command: ["/bin/sh", "-c", "trap '' TERM HUP; (trap '' HUP; sleep ${a}) & setsid sleep ${b} & (env -i sleep ${c} &) ; echo up; sleep ${d}; sleep ${e}"],
  cwd: "/tmp", env: { PATH: "/bin:/usr/bin" }, clock: systemClock, starter: new Watchdog({}, systemClock),
  signal: new AbortController().signal, onLine: ({ text }) => console.log(text),
});`;

Deno.test("runSupervised() leaves nothing running when the server is killed", async () => {
  await withTempDir(async (folder) => {
    const seconds = Array.from({ length: 5 }, ownSeconds);
    await Deno.writeTextFile(`${folder}/server.ts`, crash(seconds));
    const root = fileURLToPath(import.meta.resolve("../../../"));
    const server = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--config", `${root}deno.json`, `${folder}/server.ts`],
      stdout: "piped",
    }).spawn();
    const reader = server.stdout.getReader();
    assertEquals(new TextDecoder().decode((await reader.read()).value), "up\n");
    await until(async () => (await sleepers(...seconds)).length === 4);
    server.kill("SIGKILL");
    await server.status;
    await reader.cancel();
    await until(async () => (await sleepers(...seconds)).length === 0);
  });
});

interface Sharing {
  readonly key?: string;
  readonly now?: number;
  readonly signal?: AbortSignal;
  readonly fill?: () => Promise<boolean>;
}

/** A server's directories, and the names of those that are there. */
async function withDirectories(
  use: (share: (sharing?: Sharing) => ReturnType<WorkDirectories["share"]>, root: string) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dataDir) => {
    await using directories = new WorkDirectories(dataDir);
    const filled = () => Promise.resolve(true);
    await use(
      ({ key = "a", now = 0, signal = NEVER, fill = filled } = {}) =>
        directories.share({ key, now, signal, fill }),
      directories.pathOf("."),
    );
  });
}

Deno.test("WorkDirectories.share() fills a directory once for all who ask at once", async () => {
  await withDirectories(async (share) => {
    const filling = Promise.withResolvers<boolean>();
    let count = 0;
    const fill = () => (count++, filling.promise);
    const asked = Array.from({ length: 5 }, () => share({ fill }));
    filling.resolve(true);
    const paths = (await Promise.all(asked)).map((shared) => shared?.path);
    assertEquals([count, new Set(paths).size], [1, 1]);
  });
});

Deno.test("WorkDirectories.share() lets those who wait give up, and the next one fill it when it failed", async () => {
  await withDirectories(async (share, root) => {
    const filling = Promise.withResolvers<boolean>();
    const first = share({ fill: () => filling.promise });
    const controller = new AbortController();
    const second = share({ signal: controller.signal });
    const third = share();
    controller.abort();
    assertEquals(await second, undefined);
    filling.resolve(false);
    assertEquals(await first, undefined);
    assertMatch((await third)?.path ?? "", /shared-2$/);
    assertEquals(Array.from(Deno.readDirSync(root), ({ name }) => name), ["shared-2"]);
  });
});

Deno.test("WorkDirectories.share() keeps some that nobody uses, and those that are used", async () => {
  await withDirectories(async (share, root) => {
    const used = await share({ key: "used" });
    for (let index = 0; index < 50; index++) (await share({ key: `k${index}` }))?.release();
    const names = Array.from(Deno.readDirSync(root), ({ name }) => name);
    assertEquals(names.length, MAX_UNUSED_DIRECTORIES + 1);
    assert(names.includes("shared-1"));
    assertEquals((await share({ key: "k49" }))?.path.endsWith("shared-51"), true);
    used?.release();
    used?.release();
  });
});

Deno.test("WorkDirectories.share() fills one anew that is a day old", async () => {
  await withDirectories(async (share) => {
    const first = await share();
    assertEquals((await share({ now: MAX_DIRECTORY_AGE_MS - 1 }))?.path, first?.path);
    assertMatch((await share({ now: MAX_DIRECTORY_AGE_MS }))?.path ?? "", /shared-2$/);
  });
});

Deno.test("WorkDirectories.make() begins with what no crash has left, and removes what is read-only", async () => {
  await withTempDir(async (dataDir) => {
    const first = new WorkDirectories(dataDir);
    const path = await first.make("a");
    await Deno.writeTextFile(`${path}/left.txt`, "");
    await using second = new WorkDirectories(dataDir);
    assertEquals(second.pathOf("a"), path);
    await second.make("b");
    assertEquals(await Deno.stat(path).then(() => true, () => false), false);
    const locked = await second.make("a");
    await Deno.mkdir(`${locked}/d`);
    await Deno.writeTextFile(`${locked}/d/f`, "");
    await Deno.chmod(`${locked}/d`, 0o500);
    await second.remove("a");
    await second.remove("a");
    assertEquals(await Deno.stat(locked).then(() => true, () => false), false);
    assert((await Deno.stat(second.pathOf("b"))).isDirectory);
  });
});

Deno.test("removeTree() removes a tree of any depth, which the server survives", async () => {
  // A disk may need a minute for it.
  const dir = await Deno.stat("/dev/shm").then(() => "/dev/shm", () => undefined);
  const root = await Deno.makeTempDir({ dir, prefix: "sluice-test-" });
  const script = "import os\nfor i in range(12000):\n  os.mkdir('d')\n  os.chdir('d')";
  const made = await new Deno.Command("python3", { args: ["-c", script], cwd: root }).output();
  assertEquals([made.code, new TextDecoder().decode(made.stderr)], [0, ""]);
  await removeTree(root);
  await removeTree(root);
  await assertRejects(() => Deno.stat(root), Deno.errors.NotFound);
});

Deno.test("WorkDirectories.whenFree() waits for the script that runs in a directory, and occupy() for its turn", async () => {
  await using directories = new WorkDirectories(undefined);
  const path = directories.pathOf("a");
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const runs = [
    directories.occupy(path, true, () => first.promise.then(() => void order.push("first"))),
    directories.occupy(path, true, () => Promise.resolve(void order.push("second"))),
  ];
  const waiting = directories.whenFree(path).then(() => void order.push("free"));
  await directories.whenFree(directories.pathOf("b"));
  await settle();
  assertEquals(order, []);
  first.resolve();
  await Promise.all([...runs, waiting]);
  assertEquals(order, ["first", "second", "free"]);
});
