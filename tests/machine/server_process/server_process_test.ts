import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Config } from "../../../src/config/mod.ts";
import { DataDirError } from "../../../src/machine/data_dir.ts";
import {
  type ProcessPlatform,
  runServer,
  type ServerHandle,
} from "../../../src/machine/server_process/server_process.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const CONFIG: Config = {
  audit: "changes",
  auditAgeMs: 86_400_000,
  host: "127.0.0.1",
  port: 8080,
  dataDir: "./sluice-data",
  protection: { type: "none" },
  logLevel: "info",
  logFormat: "text",
  durations: "seconds",
  typePrefix: "both",
  drainTimeoutMs: 10_000,
  leaseTtlMs: 5_000,
  maxRenderMs: 1_000,
  timezone: "UTC",
  maxUploadBytes: 1,
  fileRevisions: 1,
  idleTimeoutMs: 75_000,
  scriptLimits: {},
  httpAddresses: {},
  retention: {},
  secrets: new Map(),
  envs: new Map(),
  isDeploy: false,
};

/** A platform that a test can send signals to and read. */
class FakePlatform implements ProcessPlatform {
  readonly clock = new FakeClock();
  readonly printed: string[] = [];
  readonly errors: string[] = [];
  readonly exits: number[] = [];
  readonly #listeners = new Set<(exitCode: number) => void>();

  print = (line: string): void => void this.printed.push(line);
  printError = (line: string): void => void this.errors.push(line);
  exit = (code: number): void => void this.exits.push(code);

  /** @inheritdoc */
  listenSignals(listener: (exitCode: number) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Sends a signal. */
  send(exitCode: number): void {
    for (const listener of this.#listeners) listener(exitCode);
  }

  /** Remaining listeners and timers. */
  get leftOver(): number {
    return this.#listeners.size + this.clock.timerCount;
  }
}

/** A server that does what the test says. */
class FakeServer implements ServerHandle {
  readonly url = "http://127.0.0.1:8080";
  readonly user?: string;
  readonly setupToken?: string;
  readonly stops: number[] = [];
  readonly #failure = Promise.withResolvers<string>();
  readonly failed = this.#failure.promise;
  /** What `stop` waits for. */
  stopping: Promise<void> = Promise.resolve();

  constructor({ user, setupToken }: Pick<ServerHandle, "user" | "setupToken"> = {}) {
    this.user = user;
    this.setupToken = setupToken;
  }

  /** @inheritdoc */
  async stop(options: { readonly timeoutMs: number }): Promise<void> {
    this.stops.push(options.timeoutMs);
    await this.stopping;
  }

  /** Makes the server fail. */
  fail(reason: string): void {
    this.#failure.resolve(reason);
  }
}

Deno.test("runServer() stops the server on a signal and returns 0", async () => {
  const platform = new FakePlatform();
  const server = new FakeServer();
  const code = runServer(CONFIG, () => Promise.resolve(server), platform);
  await platform.clock.advance(1);
  assertEquals(server.stops, []);
  platform.send(143);
  assertEquals(await code, 0);
  assertEquals(server.stops, [8000]);
  assertEquals(platform.leftOver, 0);
  assertEquals(platform.errors, []);
});

Deno.test("runServer() logs that it stops, and that it has stopped", async () => {
  const platform = new FakePlatform();
  const server = new FakeServer();
  const stopping = Promise.withResolvers<void>();
  server.stopping = stopping.promise;
  const config: Config = { ...CONFIG, logFormat: "json" };
  const code = runServer(config, () => Promise.resolve(server), platform);
  platform.send(143);
  await platform.clock.advance(1);
  const said = () => platform.printed.slice(1).map((line) => JSON.parse(line));
  assertEquals(said().map(({ message, limitMs }) => [message, limitMs]), [
    ["Stopping: another signal after a second ends the process at once", 10_000],
  ]);
  stopping.resolve();
  await code;
  assertEquals(said().map(({ message }) => message.split(":")[0]), ["Stopping", "Stopped"]);
});

Deno.test("runServer() heeds a signal that came while the server was starting", async () => {
  const platform = new FakePlatform();
  const server = new FakeServer();
  const starting = Promise.withResolvers<ServerHandle>();
  const code = runServer(CONFIG, () => starting.promise, platform);
  platform.send(130);
  starting.resolve(server);
  assertEquals(await code, 0);
  assertEquals(server.stops, [8000]);
});

Deno.test("runServer() ends the process at once on a second signal, with its exit code", async () => {
  const platform = new FakePlatform();
  const server = new FakeServer();
  const stopping = Promise.withResolvers<void>();
  server.stopping = stopping.promise;
  const code = runServer(CONFIG, () => Promise.resolve(server), platform);
  platform.send(143);
  await platform.clock.advance(1_000);
  platform.send(130);
  assertEquals(platform.exits, [130]);
  stopping.resolve();
  assertEquals(await code, 0);
});

Deno.test("runServer() takes signals within a second for one: a terminal and `deno task` both pass Ctrl-C on", async () => {
  const platform = new FakePlatform();
  const server = new FakeServer();
  const stopping = Promise.withResolvers<void>();
  server.stopping = stopping.promise;
  const code = runServer(CONFIG, () => Promise.resolve(server), platform);
  platform.send(130);
  platform.send(130);
  await platform.clock.advance(999);
  platform.send(130);
  stopping.resolve();
  assertEquals(await code, 0);
  assertEquals(platform.exits, []);
});

Deno.test("runServer() ends the process with 0 when the drain timeout has passed", async () => {
  const platform = new FakePlatform();
  const server = new FakeServer();
  const stopping = Promise.withResolvers<void>();
  server.stopping = stopping.promise;
  const code = runServer(CONFIG, () => Promise.resolve(server), platform);
  platform.send(143);
  await platform.clock.advance(9_999);
  assertEquals(platform.exits, []);
  await platform.clock.advance(1);
  assertEquals(platform.exits, [0]);
  assertStringIncludes(platform.errors.join(), "The drain timeout has passed");
  stopping.resolve();
  await code;
});

Deno.test("runServer() says why the server failed, stops it and returns 1", async () => {
  const platform = new FakePlatform();
  const server = new FakeServer();
  const code = runServer(CONFIG, () => Promise.resolve(server), platform);
  server.fail("another process has taken over");
  assertEquals(await code, 1);
  assertEquals(platform.errors, ["Cannot continue: another process has taken over"]);
  assertEquals(server.stops, [8000]);
});

Deno.test("runServer() returns 1 when the server cannot stop cleanly", async () => {
  const platform = new FakePlatform();
  const server = new FakeServer();
  server.stopping = Promise.reject(new Error("no"));
  const code = runServer(CONFIG, () => Promise.resolve(server), platform);
  platform.send(143);
  assertEquals(await code, 1);
  assertMatch(platform.errors.join(), /^Cannot stop cleanly: /);
});

const START_PROBLEMS: readonly (readonly [Error, Partial<Config>, RegExp])[] = [
  [new DataDirError("Cannot use it"), {}, /^Cannot use it$/],
  [
    new Deno.errors.AddrInUse("os error 98"),
    {},
    /^Cannot listen on "127.0.0.1" port 8080: the port is taken; give another --port$/,
  ],
  [
    new Deno.errors.AddrNotAvailable("os error 99"),
    {},
    /this machine has no such address; give another --host$/,
  ],
  [new Error("failed to lookup address information: x"), {}, /the name has no address; give another --host$/],
  [new Deno.errors.PermissionDenied("os error 13"), { port: 80 }, /ports below 1024/],
  [new TypeError("a bug"), {}, /^Cannot start: TypeError: a bug/],
];
for (const [error, config, expected] of START_PROBLEMS) {
  Deno.test(`runServer() returns 1 and a reason after ${error.name} "${error.message}"`, async () => {
    const platform = new FakePlatform();
    const code = await runServer({ ...CONFIG, ...config }, () => Promise.reject(error), platform);
    assertEquals(code, 1);
    assertMatch(platform.errors.join("\n"), expected);
    assertEquals(platform.leftOver, 0);
  });
}

async function announcement(
  config: Partial<Config>,
  login?: Pick<ServerHandle, "user" | "setupToken">,
): Promise<string> {
  const platform = new FakePlatform();
  const code = runServer({ ...CONFIG, ...config }, () => Promise.resolve(new FakeServer(login)), platform);
  platform.send(143);
  await code;
  return platform.printed.join("\n");
}

const LOGIN: Partial<Config> = {
  protection: { type: "basic", credentials: { user: "an'na", password: "very-secret" } },
};
const SETUP: Partial<Config> = { protection: { type: "setup" } };
const ANNOUNCEMENTS: readonly (readonly [
  what: string,
  config: Partial<Config>,
  expected: readonly string[],
  login?: Pick<ServerHandle, "user" | "setupToken">,
])[] = [
  ["its URL and data", {}, [" is ready on http://127.0.0.1:8080\n", "./sluice-data"]],
  ["that this machine alone reaches it", {}, ["none: whoever uses this machine may use it"]],
  ["that everybody may use it", { host: "0.0.0.0" }, [
    "none: everybody who reaches it may use it (--no-auth)",
  ]],
  ["whose password it asks for", LOGIN, [`password of "an'na"`, `curl -u 'an'\\''na' -H`], {
    user: "an'na",
  }],
  ["how the first user is set", SETUP, ["with the token abc123", "http://127.0.0.1:8080/ui/setup"], {
    setupToken: "abc123",
  }],
  ["the token where there is only a log", { ...SETUP, logFormat: "json" }, ['"setupToken":"abc123"'], {
    setupToken: "abc123",
  }],
  ["the user that was set", SETUP, [`password of "anna"`, "curl -u 'anna' -H"], { user: "anna" }],
  ["a curl line", {}, ["curl -H 'Content-Type: application/x-yaml' -d '{id: hello,", "/api/v1/main/flows"]],
  ["one JSON line", { logFormat: "json" }, [
    '"message":"ready"',
    '"url":"http://127.0.0.1:8080"',
    '"protection":"none"',
  ]],
];
for (const [what, config, expected, login] of ANNOUNCEMENTS) {
  Deno.test(`runServer() announces ${what}`, async () => {
    const text = await announcement(config, login);
    for (const part of expected) assertStringIncludes(text, part);
    assertEquals(text.includes("very-secret"), false);
  });
}
