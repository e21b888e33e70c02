/** The watchdog: what it ends when the server is gone, and when a script is. */
import { assert, assertEquals } from "@std/assert";
import { systemClock } from "../../../src/base/clock.ts";
import { GroupStarter, signalGroup } from "../../../src/machine/scripts/groups.ts";
import { runSupervised } from "../../../src/machine/scripts/supervised.ts";
import { Watchdog } from "../../../src/machine/scripts/watchdog.ts";
import { WATCHDOG_PROGRAM } from "../../../src/machine/scripts/watchdog_program.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { childrenOf, childrenWithVariable, sleep, sleepers, until } from "../../support/machine_processes.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const NEVER = new AbortController().signal;
const ENV = { PATH: "/bin:/usr/bin" };

interface Started {
  readonly cleanUp?: string;
  readonly signal?: AbortSignal;
  readonly clock?: FakeClock;
  readonly onLine?: (line: { readonly text: string }) => void;
}

/** Runs a shell script to its end. */
function run(watchdog: Watchdog, script: string, started: Started = {}): Promise<number> {
  return runSupervised({
    command: ["/bin/sh", "-c", script],
    cwd: "/tmp",
    env: ENV,
    starter: watchdog,
    clock: systemClock,
    signal: NEVER,
    onLine: () => {},
    ...started,
  });
}

/** The process of a watchdog with this environment; during `exec` a process seems to have none. */
async function processOf({ NAME }: Readonly<Record<string, string>>): Promise<number> {
  let pids: number[] = [];
  await until(() => (pids = childrenWithVariable(`NAME=${NAME}`)).length === 1);
  return pids[0] ?? NaN;
}

let names = 0;

/** Variables that no other watchdog has. */
function ownEnv(): Record<string, string> {
  return { ...ENV, NAME: `watchdog-of-${Deno.pid}-${++names}` };
}

/** Bytes as the program reads them. */
function octal(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => "\\0" + byte.toString(8).padStart(3, "0")).join(
    "",
  );
}

const SHELLS = ["/bin/dash", "/bin/bash", "/bin/busybox"];
const SCRIPT = `setsid ${sleep(7651)} & env -i ${sleep(7652)} & exec ${sleep(7653)}`;
const NASTY = "a 'b' \"c\" $(echo d) `echo e` \\0101 %s\n* é";
const LINES: readonly (readonly [name: string, lines: (words: string) => string])[] = [
  ["ends what it holds when the pipe ends", (words) => `hold g0000001 ${words}\ndrop g0000001\ndrop mx\n`],
  ["ends what it is told", (words) => `hold mother ${words}\nend ${words}\ndrop mother\n`],
  ["ends the group of a marked leader", (words) => `hold ${words.replace(/ g\d+/, "")}\n`],
  ["does not act on a line that is cut", (words) => `hold ${words}\nhold g1`],
];

for (const shell of SHELLS) {
  const isMissing = !exists(shell);
  for (const [name, lines] of LINES) {
    Deno.test({
      name: `WATCHDOG_PROGRAM in ${shell} ${name}`,
      ignore: isMissing,
      fn: () => withTempDir((folder) => runProgram(shell, folder, lines)),
    });
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

async function runProgram(shell: string, folder: string, lines: (words: string) => string): Promise<void> {
  const groups = new GroupStarter();
  const mark = `mark-of-${shell.slice(5)}-${crypto.randomUUID()}`;
  const command = [shell, ...(shell.endsWith("busybox") ? ["sh"] : []), "-c", WATCHDOG_PROGRAM];
  const watchdog = groups.start(command, { env: ENV, stdin: "piped", stdout: "null", stderr: "null" });
  const script = groups.start(["/bin/sh", "-c", SCRIPT], {
    env: { ...ENV, AAA: "1", SLUICE_RUN: mark, ZZZ: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
  await until(async () => (await sleepers("765[123]")).length === 3);
  const cleanUp = `printf %s '${
    NASTY.replaceAll("'", "'\\''")
  }' >${folder}/part; mv ${folder}/part ${folder}/made`;
  const words = [`m${mark}`, `c${octal(cleanUp)}`, `g${script.pid}`].join(" ");
  const writer = watchdog.stdin.getWriter();
  await writer.write(new TextEncoder().encode(lines(words)));
  if (lines(words).includes("end")) await until(async () => (await sleepers("765[123]")).length === 0);
  await writer.close();
  await Promise.all([watchdog.status, script.status]);
  await until(() => exists(`${folder}/made`));
  assertEquals(await Deno.readTextFile(`${folder}/made`), NASTY);
  assertEquals(await sleepers("765[123]"), []);
}

Deno.test("Watchdog.start() leaves other scripts alone when one has ended", async () => {
  await using watchdog = new Watchdog(ENV, systemClock);
  const controller = new AbortController();
  const other = run(watchdog, `setsid ${sleep(7661)} & exec ${sleep(7662)}`, { signal: controller.signal });
  await until(async () => (await sleepers("766[12]")).length === 2);
  assertEquals(await run(watchdog, `setsid ${sleep(7663)} & exit 3`), 3);
  await until(async () => (await sleepers("7663")).length === 0);
  assertEquals((await sleepers("766[12]")).length, 2);
  controller.abort();
  assertEquals(await other, 143);
  await until(async () => (await sleepers("766[12]")).length === 0);
});

Deno.test("Watchdog.start(): a process gets SIGTERM before it leads its group", async () => {
  await using watchdog = new Watchdog(ENV, systemClock);
  const code = await run(watchdog, `exec ${sleep(7664)}`, {
    signal: AbortSignal.abort(),
    clock: new FakeClock(),
  });
  assertEquals([code, await sleepers("7664")], [143, []]);
});

Deno.test("Watchdog: another one takes over when it is killed", async () => {
  const env = ownEnv();
  await withTempDir(async (folder) => {
    const watchdog = new Watchdog(env, systemClock);
    const cleanUp = `touch ${folder}/made`;
    const script = run(watchdog, `setsid ${sleep(7671)} & exec ${sleep(7672)}`, { cleanUp });
    await until(async () => (await sleepers("767[12]")).length === 2);
    const first = await processOf(env);
    Deno.kill(first, "SIGKILL");
    await until(() => childrenWithVariable(`NAME=${env.NAME}`).some((pid) => pid !== first));
    const second = await processOf(env);
    Deno.kill(second, "SIGKILL");
    // Starts with the next script, whether its end is already known or not.
    assertEquals(await run(watchdog, "exit 4"), 4);
    assertEquals((await sleepers("767[12]")).length, 2);
    await until(() => childrenWithVariable(`NAME=${env.NAME}`).some((pid) => pid !== second));
    Deno.kill(await processOf(env), "SIGKILL");
    await watchdog[Symbol.asyncDispose]();
    assertEquals(await script, 137);
    await until(async () => (await sleepers("767[12]")).length === 0);
    await until(() => exists(`${folder}/made`));
  });
});

/** Ends once what it leaves has left its group. */
const LEAVING = `setsid ${sleep(7673)} >/dev/null 2>&1 &
while ! ps -eo args= | grep -qx '${sleep(7673)}'; do :; done`;

Deno.test("Watchdog: leftovers of an ended script are ended by the next watchdog", async () => {
  const env = ownEnv();
  await using watchdog = new Watchdog(env, systemClock);
  await run(watchdog, "true");
  const first = await processOf(env);
  Deno.kill(first, "SIGSTOP");
  await run(watchdog, LEAVING);
  assertEquals((await sleepers("7673")).length, 1);
  Deno.kill(first, "SIGKILL");
  await until(async () => (await sleepers("7673")).length === 0);
});

Deno.test("Watchdog: the end of the server does not wait for one that hangs", async () => {
  const env = ownEnv();
  const clock = new FakeClock();
  const watchdog = new Watchdog(env, clock);
  await run(watchdog, "true");
  Deno.kill(await processOf(env), "SIGSTOP");
  const ending = watchdog[Symbol.asyncDispose]();
  await clock.advance(5_000);
  await ending;
  assertEquals(childrenWithVariable(`NAME=${env.NAME}`), []);
});

Deno.test("Watchdog: hundreds of scripts leave no process, and none that nobody has taken note of", async () => {
  const env = ownEnv();
  await using watchdog = new Watchdog(env, systemClock);
  for (let count = 0; count < 20; count++) {
    const codes = Array.from(
      { length: 10 },
      () => run(watchdog, `setsid ${sleep(7681)} >/dev/null 2>&1 & exit 0`),
    );
    assertEquals(new Set(await Promise.all(codes)), new Set([0]));
  }
  await until(async () => (await sleepers("7681")).length === 0);
  // A shell takes note of the end of its last pass with the next one.
  await until(async () => (await childrenOf(await processOf(env))).length <= 1);
  assertEquals((await childrenOf(Deno.pid)).filter((child) => child.endsWith("Z")), []);
});

Deno.test("Watchdog: does not hear what the group of the server hears, and holds no stream of it", async () => {
  const env = ownEnv();
  await using watchdog = new Watchdog(env, systemClock);
  await run(watchdog, "true");
  const pid = await processOf(env);
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const [, , group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
  assertEquals([group, session], [pid, pid]);
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) Deno.kill(pid, signal);
  await run(watchdog, "true");
  assertEquals(await processOf(env), pid);
  const streams = Array.from(Deno.readDirSync(`/proc/${pid}/fd`), ({ name }) => name).sort();
  const targets = await Promise.all(streams.map((name) => Deno.readLink(`/proc/${pid}/fd/${name}`)));
  const own = await Promise.all(["1", "2"].map((name) => Deno.readLink(`/proc/self/fd/${name}`)));
  assertEquals(targets.slice(1, 3), ["/dev/null", "/dev/null"]);
  assert(!targets.some((target) => target !== "/dev/null" && own.includes(target)), targets.join(" "));
});

Deno.test("Watchdog: is not started before a script is", async () => {
  const env = ownEnv();
  await using watchdog = new Watchdog(env, systemClock);
  assertEquals(childrenWithVariable(`NAME=${env.NAME}`), []);
  await run(watchdog, "true");
  assertEquals(childrenWithVariable(`NAME=${env.NAME}`).length, 1);
});

for (const places of [undefined, []]) {
  const name = places ? "without setsid" : "with setsid";
  Deno.test(`GroupStarter.start() ${name} leads a group whose number it is`, async () => {
    const groups = new GroupStarter(places);
    await using watchdog = new Watchdog(ENV, systemClock, { groups });
    const lines: string[] = [];
    const onLine = ({ text }: { readonly text: string }) => void lines.push(text);
    const code = await run(watchdog, `echo $$ $(ps -o pgid=,sid= -p $$); kill -TERM -$$; ${sleep(7691)}`, {
      onLine,
    });
    const [pid, group, session] = lines[0]?.split(" ") ?? [];
    assertEquals([group, session, code], [pid, pid, 143]);
  });

  Deno.test(`runSupervised() ${name} of a program that there is not`, async () => {
    await using watchdog = new Watchdog(ENV, systemClock, { groups: new GroupStarter(places) });
    const lines: string[] = [];
    const code = await runSupervised({
      ...{ command: ["no-such-program-here"], cwd: "/tmp", env: ENV, starter: watchdog },
      ...{ clock: systemClock, signal: NEVER, onLine: ({ text }) => void lines.push(text) },
    });
    assertEquals([code, lines.length], [127, 1]);
  });
}

Deno.test("signalGroup() of what has ended does nothing", async () => {
  const child = new GroupStarter().start(["/bin/true"], { stdin: "null", stdout: "null", stderr: "null" });
  await child.status;
  signalGroup(child, "SIGKILL");
});
