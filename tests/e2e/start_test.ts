/** Starting and stopping the real process, as a person or a service manager does. */
import { assert, assertEquals, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { ServerProcess } from "../support/processes/server_process.ts";
import { smoke } from "../support/release/smoke.ts";
import { withTempDir } from "../support/temp_dir.ts";

/** Longest time until a line arrives that was written. */
const LOG_TIMEOUT_MS = 60_000;

function isPresent(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}

Deno.test("main.ts serves what a new user asks for, and ends with 0 on SIGTERM", async () => {
  await withTempDir(async (root) => {
    await using server = await ServerProcess.start({ dataDir: `${root}/data` });
    await smoke(server);
    const { code, log } = await server.kill("SIGTERM");
    assertEquals(code, 0, log);
    assertEquals(await isPresent(`${root}/data/sluice.pid`), false);
  });
});

Deno.test("main.ts needs to read and write its data directory alone, and to start no program, without scripts", async () => {
  await withTempDir(async (root) => {
    const permissions = [
      ...["--no-prompt", "--deny-import", "--allow-net", "--allow-env"],
      ...[`--allow-read=${root}`, `--allow-write=${root}`],
    ];
    await using server = await ServerProcess.start({
      dataDir: root,
      permissions,
      args: ["--scripts", "off"],
    });
    await smoke(server);
    const { code, log } = await server.kill("SIGTERM");
    assertEquals(code, 0, log);
  });
});

Deno.test("main.ts announces its URL, its data, how it is protected, and a curl line that works", async () => {
  await withTempDir(async (root) => {
    await using server = await ServerProcess.start({ dataDir: root });
    const [, flow = "", url = ""] = await server.waitForLog(
      /curl -H 'Content-Type: application\/x-yaml' -d '(.+)' (\S+)\n/,
      LOG_TIMEOUT_MS,
    );
    for (const part of [server.url, root, "protection  none", `open        ${server.url}/ui/`, "curl -H"]) {
      assertStringIncludes(server.log, part);
    }
    const headers = { "content-type": "application/x-yaml" };
    const response = await fetch(url, { method: "POST", headers, body: flow });
    assertEquals(response.status, 200, await response.text());
  });
});

Deno.test("main.ts finds everything again after a stop, and after a kill", async () => {
  await withTempDir(async (root) => {
    for (const signal of ["SIGINT", "SIGKILL", "SIGTERM"] as const) {
      await using server = await ServerProcess.start({ dataDir: root });
      const url = `${server.url}/api/v1/main/namespaces/a.b/kv`;
      const pairs = await (await fetch(url)).json();
      const headers = { "content-type": "application/json" };
      const put = await fetch(`${url}/${signal}`, { method: "PUT", headers, body: "1" });
      await put.body?.cancel();
      assertEquals([put.status, pairs.length], [200, ["SIGINT", "SIGKILL", "SIGTERM"].indexOf(signal)]);
      await server.kill(signal);
    }
  });
});

Deno.test("main.ts asks for the password it was given", async () => {
  await withTempDir(async (root) => {
    await Deno.writeTextFile(`${root}/login`, "anna:pass-word\n");
    await using server = await ServerProcess.start({
      dataDir: `${root}/data`,
      args: ["--basic-auth-file", `${root}/login`, "--host", "0.0.0.0"],
    });
    const url = `http://127.0.0.1:${new URL(server.url).port}/api/v1/main/flows/search`;
    const statuses = await Promise.all([undefined, "anna:wrong", "anna:pass-word"].map(async (login) => {
      const response = await fetch(url, { headers: login ? { authorization: `Basic ${btoa(login)}` } : {} });
      await response.body?.cancel();
      return response.status;
    }));
    assertEquals(statuses, [401, 401, 200]);
    assertEquals(server.log.includes("pass-word"), false);
  });
});

const PRINTED: readonly (readonly [string, RegExp])[] = [
  ["--help", /Usage: sluice \[options\][\s\S]+--data-dir/],
  ["-h", /Usage: sluice \[options\]/],
  ["--version", /^sluice \d+\.\d+\.\d+\n$/],
];
for (const [flag, expected] of PRINTED) {
  Deno.test(`main.ts ${flag} prints and ends with 0`, async () => {
    const { code, log } = await ServerProcess.run([flag]);
    assertEquals(code, 0);
    assertMatch(log, expected);
  });
}

const REFUSED: readonly (readonly [readonly string[], string])[] = [
  [["--prot=1"], `Unknown option "--prot": did you mean "--port"?; see --help`],
  [["--port=x"], `Cannot use "x" as --port: it must be a whole number from 0 to 65535`],
  [["--host=0.0.0.0"], "or say --no-auth"],
  [["--config=/none.yaml"], `Cannot read the configuration file "/none.yaml": there is no such file`],
  [["--host=nowhere.invalid"], "the name has no address; give another --host"],
];
for (const [args, expected] of REFUSED) {
  Deno.test(`main.ts ${args.join(" ")} is refused in one line`, async () => {
    await withTempDir(async (root) => {
      const isOpen = args.includes("--host=nowhere.invalid") ? ["--no-auth"] : [];
      const { code, log } = await ServerProcess.run(["--data-dir", `${root}/data`, ...args, ...isOpen]);
      assertEquals(code, 1);
      assertStringIncludes(log, expected);
      assertEquals(log.trimEnd().split("\n").length, 1, log);
    });
  });
}

Deno.test("main.ts refuses a port that is taken, in one line", async () => {
  await withTempDir(async (root) => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const args = ["--data-dir", root, "--port", String(listener.addr.port)];
    const { code, log } = await ServerProcess.run(args);
    assertEquals(code, 1);
    const address = `"127.0.0.1" port ${listener.addr.port}`;
    assertEquals(log, `Cannot listen on ${address}: the port is taken; give another --port\n`);
  });
});

Deno.test("main.ts refuses a data directory in use, names the process, and leaves it alone", async () => {
  await withTempDir(async (root) => {
    await using server = await ServerProcess.start({ dataDir: root });
    const { code, log } = await ServerProcess.run(["--data-dir", root, "--port=0"]);
    assertEquals(code, 1);
    const rest = `stop that process, or give another --data-dir\n`;
    assertEquals(
      log,
      `Cannot use the data directory "${root}": it is in use by process ${server.pid}; ${rest}`,
    );
    assert(
      await fetch(`${server.url}/health`).then((response) => response.body?.cancel().then(() => response.ok)),
    );
  });
});

Deno.test("main.ts refuses a data directory below a file, in one line", async () => {
  await withTempDir(async (root) => {
    await Deno.writeTextFile(`${root}/file`, "mine");
    const { code, log } = await ServerProcess.run(["--data-dir", `${root}/file/data`, "--port=0"]);
    assertEquals(code, 1);
    assertEquals(log, `Cannot create the data directory "${root}/file/data": a part of the path is a file\n`);
  });
});

Deno.test("main.ts ends within the drain time-out on SIGINT, whatever clients do", async () => {
  await withTempDir(async (root) => {
    await using server = await ServerProcess.start({ dataDir: root, args: ["--drain-timeout=2s"] });
    using _idle = await Deno.connect({ port: Number(new URL(server.url).port) });
    const startedAt = performance.now();
    const { code, log } = await server.kill("SIGINT");
    assertEquals(code, 0, log);
    assertLess(performance.now() - startedAt, 30_000);
  });
});

Deno.test("main.ts takes signals that come together for one, as Ctrl-C in a terminal sends them", async () => {
  await withTempDir(async (root) => {
    await using server = await ServerProcess.start({ dataDir: root });
    // Stopped, the process gets both signals in one turn when it goes on.
    for (const signal of ["SIGSTOP", "SIGTERM", "SIGINT", "SIGCONT"] as const) server.signal(signal);
    const { code, log } = await server.finished;
    assertEquals(code, 0, log);
  });
});
