/** Shells that wait for the script they become: what runs by one runs as it would by itself. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Clock } from "../../../src/base/time/clock.ts";
import { systemClock } from "../../../src/base/time/clock.ts";
import { ReadyShells } from "../../../src/machine/scripts/ready_shells.ts";
import { runSupervised } from "../../../src/machine/scripts/supervised.ts";
import { Watchdog } from "../../../src/machine/scripts/watchdog.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import {
  commandOf,
  isGone,
  ownSeconds,
  processesWith,
  sleepers,
  until,
} from "../../support/processes/machine_processes.ts";

const ENV = { PATH: "/bin:/usr/bin" };
const MARK = "SLUICE_RUN=";

interface Script {
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** The shells of one server, distinguished from those of other tests by their prefix of marks. */
class Shells implements AsyncDisposable {
  readonly watchdog: Watchdog;
  readonly shells: ReadyShells;
  readonly #clock: Clock;
  readonly #mark: string;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    const nonce = crypto.getRandomValues(new Uint8Array(16));
    this.#mark = `${MARK}${nonce.toHex()}-`;
    this.watchdog = new Watchdog(ENV, clock, { randomBytes: (buffer) => buffer.set(nonce) });
    this.shells = new ReadyShells(this.watchdog, clock);
  }

  /** Exit code and lines of a script. */
  async run({ command = ["/bin/sh", "-c", "true"], env = ENV, cwd = "/tmp" }: Script = {}): Promise<Ran> {
    const lines: string[] = [];
    const errors: string[] = [];
    const code = await runSupervised({
      ...{ starter: this.shells, clock: this.#clock, command, env, cwd },
      signal: new AbortController().signal,
      onLine: ({ text, isError }) => void (isError ? errors : lines).push(text),
    });
    return { code, lines, errors };
  }

  /** Runs a script and waits for the shell that is ready behind it; that one's number. */
  async makeReady(): Promise<number> {
    await this.run();
    let pids: number[] = [];
    await until(() => (pids = this.ready()).length === 1);
    return pids[0] ?? NaN;
  }

  /** Numbers of those that wait. */
  ready(): number[] {
    return this.#all().filter((pid) => commandOf(pid)[0] === "/bin/sh");
  }

  /** What becomes such a shell is one of them. */
  #all(): number[] {
    return processesWith("sluice-ready", this.#mark);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shells[Symbol.asyncDispose]();
    await this.watchdog[Symbol.asyncDispose]();
    assertEquals(this.#all(), []);
  }
}

interface Ran {
  readonly code: number;
  readonly lines: readonly string[];
  readonly errors: readonly string[];
}

Deno.test("ReadyShells.start() runs a script by the shell that is ready, and makes the next one ready", async () => {
  await using shells = new Shells();
  const first = await shells.makeReady();
  const { lines } = await shells.run({
    command: ["/bin/sh", "-c", "echo $$; pwd; cat; ps -o pgid=,sid= -p $$"],
  });
  const [group, session] = lines[2]?.trim().split(/ +/) ?? [];
  assertEquals([lines[0], lines[1], group, session], [`${first}`, "/tmp", `${first}`, `${first}`]);
  await until(() => shells.ready().some((shell) => shell !== first));
});

const ENVIRONMENTS: readonly (readonly [name: string, env: Readonly<Record<string, string>>])[] = [
  ["none", {}],
  ["plain ones", { PATH: "/bin:/usr/bin", HOME: "/root", A: "1", empty: "" }],
  ["texts that a shell would take apart", {
    A: 'it\'s "x" $HOME `id` \\n ~ * ;& #',
    B: "two\nlines\n",
    Ü: "ü",
  }],
  ["names that are none for a shell", { PATH: "/bin", "a.b": "1", "c-d": "2", "3": "4" }],
  ["names that a shell keeps for itself", {
    UID: "7",
    PPID: "8",
    PWD: "9",
    OPTIND: "x",
    BASH_ENV: "/x",
    HISTCMD: "y",
    IFS: "a",
    _: "z",
  }],
];

for (const [name, env] of ENVIRONMENTS) {
  Deno.test(`ReadyShells.start() returns these variables and no others: ${name}`, async () => {
    await using shells = new Shells();
    await shells.makeReady();
    const { lines } = await shells.run({ command: ["/usr/bin/env", "-0"], env });
    // bash counts itself, when it has become another program too.
    const variables = lines.join("\n").split("\0").filter((line) =>
      line !== "" && line !== "SHLVL=0" && !line.startsWith(MARK)
    );
    assertEquals(variables.sort(), Object.entries(env).map(([key, value]) => `${key}=${value}`).sort());
  });
}

Deno.test("ReadyShells.start() marks a script whose flow sets the variable of the mark", async () => {
  await using shells = new Shells();
  const ready = await shells.makeReady();
  const seconds = ownSeconds();
  const script = `setsid sleep ${seconds} >/dev/null 2>&1 & printenv SLUICE_RUN`;
  const { lines } = await shells.run({
    command: ["/bin/sh", "-c", script],
    env: { ...ENV, SLUICE_RUN: "x" },
  });
  assertMatch(lines[0] ?? "", /^[0-9a-f]{32}-\d+-$/);
  assertEquals(shells.ready(), [ready]);
  await until(async () => (await sleepers(seconds)).length === 0);
});

const ENDS: readonly (readonly [name: string, script: Script, code: number, said: RegExp])[] = [
  ["its exit code", { command: ["/bin/sh", "-c", "echo failed >&2; exit 7"] }, 7, /^failed$/],
  ["the signal that ended it", { command: ["/bin/sh", "-c", "kill -TERM $$"] }, 143, /^$/],
  ["that there is no such program", { command: ["no-such-program"] }, 127, /no-such-program: not found/],
  ["that a program is none", { command: ["/etc/passwd"] }, 126, /\/etc\/passwd: Permission denied/],
  [
    "arguments as they are",
    { command: ["/bin/sh", "-c", 'echo "$1" >&2', "x", "it's $HOME"] },
    0,
    /^it's \$HOME$/,
  ],
  [
    "a command that no pipe holds",
    { command: ["/bin/sh", "-c", `: ${"x".repeat(99_000)}; echo long >&2`] },
    0,
    /^long$/,
  ],
  ["a program whose name looks like an option", { command: ["-c", "x"] }, 127, /-c/],
];

for (const [name, script, code, said] of ENDS) {
  Deno.test(`ReadyShells.start() tells ${name}`, async () => {
    await using shells = new Shells();
    await shells.makeReady();
    const ran = await shells.run(script);
    assertEquals(ran.code, code);
    assertMatch(ran.errors.join("\n"), said);
  });
}

Deno.test("ReadyShells.start() does without a shell that something has ended", async () => {
  await using shells = new Shells();
  const ready = await shells.makeReady();
  Deno.kill(ready, "SIGKILL");
  await until(() => isGone(ready));
  const { code, lines } = await shells.run({ command: ["/bin/sh", "-c", "echo ran"] });
  assertEquals([code, lines], [0, ["ran"]]);
});

Deno.test("ReadyShells.start() of many at once leaves one shell ready", async () => {
  await using shells = new Shells();
  const ran = await Promise.all(
    Array.from({ length: 20 }, (_, index) => shells.run({ command: ["/bin/echo", `${index}`] })),
  );
  assertEquals(ran.map(({ lines }) => Number(lines[0])), Array.from({ length: 20 }, (_, index) => index));
  await until(() => shells.ready().length === 1);
});

Deno.test("ReadyShells: an idle shell ends after 60 s", async () => {
  const clock = new FakeClock();
  await using shells = new Shells(clock);
  await shells.makeReady();
  await clock.advance(59_000);
  assertEquals(shells.ready().length, 1);
  await clock.advance(1_000);
  await until(() => shells.ready().length === 0);
  assert((await shells.run()).code === 0);
});
