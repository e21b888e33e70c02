/** The watchdog: what it ends when the server is gone, and when a script is. */
import { assert, assertEquals } from "@std/assert";
import { systemClock } from "../../../src/base/time/clock.ts";
import { GroupStarter, signalGroup } from "../../../src/machine/scripts/groups.ts";
import { runSupervised } from "../../../src/machine/scripts/supervised.ts";
import { Watchdog } from "../../../src/machine/scripts/watchdog.ts";
import { WATCHDOG_PROGRAM } from "../../../src/machine/scripts/watchdog_program.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import {
  childrenOf,
  childrenWithVariable,
  isIgnoring,
  ownSeconds,
  sleepers,
  until,
} from "../../support/processes/machine_processes.ts";
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

/** Hang-up, interrupt, broken pipe and termination, which a watchdog ignores once it is up. */
const SIGNALS = [1, 2, 13, 15];

/**
 * The process of a watchdog with this environment; while a process becomes another program it seems to have none. Until it
 * ignores signals it is not up, and may not lead its group yet.
 */
async function processOf({ NAME }: Readonly<Record<string, string>>): Promise<number> {
  let pids: number[] = [];
  await until(() => {
    pids = childrenWithVariable(`NAME=${NAME}`);
    return pids.length === 1 && pids.every((pid) => SIGNALS.every((signal) => isIgnoring(pid, signal)));
  });
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
const NASTY = "a 'b' \"c\" $(echo d) `echo e` \\0101 %s\n* é";
const LINES: readonly (readonly [name: string, lines: (words: string) => string])[] = [
  ["ends what it holds when the pipe ends", (words) => `hold g0000001 ${words}\ndrop g0000001\ndrop mx\n`],
  ["ends what it is told", (words) => `hold mother ${words}\nend ${words}\ndrop mother\n`],
  ["ends the group of a marked leader", (words) => `hold ${words.replace(/ g\d+/, "")}\n`],
  ["ends what it holds when the time is over", (words) => `hold ${words}\nuntil 3600\nuntil 0.01\n`],
  ["forgets the time when the pipe ends", (words) => `until 3600\nhold ${words}\n`],
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
  const command = [shell, ...(shell.endsWith("busybox") ? ["sh"] : []), "-c", WATCHDOG_PROGRAM];
  const mark = `mark-of-${crypto.randomUUID()}`;
  const [a, b, c] = [ownSeconds(), ownSeconds(), ownSeconds()];
  const watchdog = groups.start(command, { env: ENV, stdin: "piped", stdout: "null", stderr: "null" });
  const script = groups.start(["/bin/sh", "-c", `setsid sleep ${a} & env -i sleep ${b} & exec sleep ${c}`], {
    env: { ...ENV, AAA: "1", SLUICE_RUN: mark, ZZZ: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
  await until(async () => (await sleepers(a, b, c)).length === 3);
  const cleanUp = `printf %s '${
    NASTY.replaceAll("'", "'\\''")
  }' >${folder}/part; mv ${folder}/part ${folder}/made`;
  const words = [`m${mark}`, `c${octal(cleanUp)}`, `g${script.pid}`].join(" ");
  const writer = watchdog.stdin.getWriter();
  await writer.write(new TextEncoder().encode(lines(words)));
  if (/end|0\.01/.test(lines(words))) await until(async () => (await sleepers(a, b, c)).length === 0);
  await writer.close();
  await Promise.all([watchdog.status, script.status]);
  await until(() => exists(`${folder}/made`));
  assertEquals(await Deno.readTextFile(`${folder}/made`), NASTY);
  await until(async () => (await sleepers(a, b, c)).length === 0);
}

Deno.test("Watchdog ends scripts at the deadline, which a renewal moves", async () => {
  let leftMs = 3_600_000;
  const listeners = new Set<() => void>();
  const onMoved = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  await using watchdog = new Watchdog(ENV, systemClock, { deadline: { leftMs: () => leftMs, onMoved } });
  const seconds = ownSeconds();
  const ended = run(watchdog, `exec sleep ${seconds}`);
  await until(async () => (await sleepers(seconds)).length === 1);
  leftMs = -1;
  for (const listener of listeners) listener();
  assertEquals(await ended, 137);
});

Deno.test("Watchdog.start() leaves other scripts alone when one has ended", async () => {
  await using watchdog = new Watchdog(ENV, systemClock);
  const controller = new AbortController();
  const [a, b, left] = [ownSeconds(), ownSeconds(), ownSeconds()];
  const options = { signal: controller.signal, clock: new FakeClock() };
  const other = run(watchdog, `setsid sleep ${a} & exec sleep ${b}`, options);
  await until(async () => (await sleepers(a, b)).length === 2);
  assertEquals(await run(watchdog, leaving(left, "exit 3")), 3);
  await until(async () => (await sleepers(left)).length === 0);
  assertEquals((await sleepers(a, b)).length, 2);
  controller.abort();
  assertEquals(await other, 143);
  await until(async () => (await sleepers(a, b)).length === 0);
});

Deno.test("Watchdog.start(): a process gets SIGTERM before it leads its group", async () => {
  await using watchdog = new Watchdog(ENV, systemClock);
  const seconds = ownSeconds();
  const code = await run(watchdog, `exec sleep ${seconds}`, {
    signal: AbortSignal.abort(),
    clock: new FakeClock(),
  });
  assertEquals([code, await sleepers(seconds)], [143, []]);
});

Deno.test("Watchdog: another one takes over when it is killed", async () => {
  const env = ownEnv();
  const [a, b] = [ownSeconds(), ownSeconds()];
  await withTempDir(async (folder) => {
    const watchdog = new Watchdog(env, systemClock);
    const cleanUp = `touch ${folder}/made`;
    const script = run(watchdog, `setsid sleep ${a} & exec sleep ${b}`, { cleanUp });
    await until(async () => (await sleepers(a, b)).length === 2);
    const first = await processOf(env);
    Deno.kill(first, "SIGKILL");
    await until(() => childrenWithVariable(`NAME=${env.NAME}`).some((pid) => pid !== first));
    const second = await processOf(env);
    Deno.kill(second, "SIGKILL");
    // Starts with the next script, whether its end is already known or not.
    assertEquals(await run(watchdog, "exit 4"), 4);
    assertEquals((await sleepers(a, b)).length, 2);
    await until(() => childrenWithVariable(`NAME=${env.NAME}`).some((pid) => pid !== second));
    Deno.kill(await processOf(env), "SIGKILL");
    await watchdog[Symbol.asyncDispose]();
    assertEquals(await script, 137);
    await until(async () => (await sleepers(a, b)).length === 0);
    await until(() => exists(`${folder}/made`));
  });
});

/** A script that goes on with `end` once what it leaves has left its group. */
function leaving(seconds: string, end = "exit 0"): string {
  return `setsid sleep ${seconds} >/dev/null 2>&1 &
while ! ps -eo args= | grep -qx "sleep ${seconds}"; do :; done
${end}`;
}

Deno.test("Watchdog: leftovers of an ended script are ended by the next watchdog", async () => {
  const env = ownEnv();
  await using watchdog = new Watchdog(env, systemClock);
  await run(watchdog, "true");
  const first = await processOf(env);
  Deno.kill(first, "SIGSTOP");
  const seconds = ownSeconds();
  await run(watchdog, leaving(seconds));
  assertEquals((await sleepers(seconds)).length, 1);
  Deno.kill(first, "SIGKILL");
  await until(async () => (await sleepers(seconds)).length === 0);
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

Deno.test("Watchdog: a script that ends with it leaves no timer", async () => {
  const clock = new FakeClock();
  const seconds = ownSeconds();
  const watchdog = new Watchdog(ENV, clock);
  const script = run(watchdog, `exec sleep ${seconds}`);
  await until(async () => (await sleepers(seconds)).length === 1);
  await clock.advance(200);
  await watchdog[Symbol.asyncDispose]();
  assertEquals([await script, clock.timerCount], [137, 0]);
});

Deno.test("Watchdog: hundreds of scripts leave no process, and none that nobody has taken note of", async () => {
  const env = ownEnv();
  const seconds = ownSeconds();
  await using watchdog = new Watchdog(env, systemClock);
  for (let count = 0; count < 20; count++) {
    const codes = Array.from(
      { length: 10 },
      () => run(watchdog, `setsid sleep ${seconds} >/dev/null 2>&1 & exit 0`),
    );
    assertEquals(new Set(await Promise.all(codes)), new Set([0]));
  }
  await until(async () => (await sleepers(seconds)).length === 0);
  // A shell takes note of the end of its last pass with the next one.
  await until(async () => (await childrenOf(await processOf(env))).length <= 1);
  // Other tests of this process have children too, which may just have ended.
  const unnoticed = await zombies();
  await until(async () => unnoticed.intersection(await zombies()).size === 0);
});

/** Children of this process of whose end nobody has taken note yet. */
async function zombies(): Promise<Set<string>> {
  return new Set((await childrenOf(Deno.pid)).filter((child) => / Z/.test(child)));
}

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
  await until(() => childrenWithVariable(`NAME=${env.NAME}`).length === 1);
});

for (const places of [undefined, []]) {
  const name = places ? "without setsid" : "with setsid";
  Deno.test(`GroupStarter.start() ${name} leads a group whose number it is`, async () => {
    const groups = new GroupStarter(places);
    await using watchdog = new Watchdog(ENV, systemClock, { groups });
    const lines: string[] = [];
    const onLine = ({ text }: { readonly text: string }) => void lines.push(text);
    const code = await run(watchdog, "echo $$ $(ps -o pgid=,sid= -p $$); kill -TERM -$$; sleep 600", {
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

/** Children that do nothing. What a watchdog is told arrives once `arrived` has settled. */
class SlowStarter extends GroupStarter {
  /** Processes other than the watchdog. */
  count = 0;
  readonly arrived = Promise.withResolvers<void>();

  override start(command: readonly string[]): Deno.ChildProcess {
    if (!command.includes(WATCHDOG_PROGRAM)) this.count++;
    const { promise: status, resolve: end } = Promise.withResolvers<Deno.CommandStatus>();
    const stdin = new WritableStream<Uint8Array>({
      write: () => this.arrived.promise,
      close: () => end({ success: true, code: 0, signal: null }),
    });
    const child = { pid: 2 ** 31 - 1, stdin, stdout: new ReadableStream(), status, ref() {}, unref() {} };
    return child as unknown as Deno.ChildProcess;
  }
}

Deno.test("no script starts while a new watchdog is told what to end", async () => {
  const groups = new SlowStarter();
  const watchdog = new Watchdog(ENV, new FakeClock(), { groups });
  const command = { command: ["/bin/true"], cwd: "/", env: {} };
  const first = watchdog.start(command);
  await settle();
  const second = watchdog.start(command);
  await settle();
  assertEquals(groups.count, 0);
  groups.arrived.resolve();
  await Promise.all([first, second]);
  assertEquals(groups.count, 2);
  await watchdog[Symbol.asyncDispose]();
});
