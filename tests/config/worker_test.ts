import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { ConfigProblem, type ReadFile } from "../../src/config/given.ts";
import { parseWorker, WORKER_HELP } from "../../src/config/worker.ts";

const FILES: ReadFile = (path) =>
  path === "/token" ? { text: "sluice_file\nrest" } : { problem: "there is no such file" };

function parse(args: string, environment: Record<string, string> = {}) {
  return parseWorker(args.split(" ").filter((arg) => arg !== ""), environment, FILES);
}

Deno.test("parseWorker() reads flags and variables, and has defaults", () => {
  const options = parse("--server https://s.example.org/ --group gpu,eu --concurrency 3 --name a", {
    SLUICE_TOKEN: "sluice_x",
  });
  assert(!(options instanceof ConfigProblem));
  const { config, ...own } = options;
  assertEquals(own, {
    server: "https://s.example.org",
    token: "sluice_x",
    groups: ["gpu", "eu"],
    concurrency: 3,
    name: "a",
  });
  assertEquals([config.scripts, config.containerRuntime], ["process", "auto"]);
});

Deno.test("parseWorker() takes options of the server for scripts and requests", () => {
  const options = parse(
    "--server http://127.0.0.1:8080 --scripts container --script-memory 1GB --offline --token-file /token --local-files /srv --local-files=/out,/in",
    { SLUICE_HTTP_ALLOW: "private", SLUICE_BASIC_AUTH: "of:server", SLUICE_PORT: "nonsense" },
  );
  assert(!(options instanceof ConfigProblem));
  const { token, groups, config } = options;
  assertEquals([token, groups], ["sluice_file", ["default"]]);
  assertEquals(config.scripts, "container");
  assertEquals(config.scriptLimits.memoryBytes, 2 ** 30);
  assertEquals(config.isOffline, true);
  assertEquals(config.localFiles, { folders: ["/srv", "/out", "/in"], ownPaths: ["/token"] });
  assertEquals(config.httpAddresses.allow, ["private"]);
});

const REFUSED: readonly [args: string, message: string][] = [
  ["", "--server must be an address"],
  ["--server ftp://a", "--server must be an address"],
  ["--server https://u:p@a", "--server must be an address"],
  ["--server http://s.example.org", "needs https"],
  ["--server http://10.0.0.1:8080", "needs https"],
  ["--server https://a --group a,,b", "--group"],
  ["--server https://a --concurrency 0", "--concurrency"],
  ["--server https://a --concurrency many", "--concurrency"],
  ["--server https://a --token x --token-file /token", "both"],
  ["--server https://a --token-file /none", "there is no such file"],
  ["--server https://a --port 1", 'Unknown option "--port" of worker'],
  ["--server https://a --scripts nowhere", '"nowhere"'],
];

for (const [args, message] of REFUSED) {
  Deno.test(`parseWorker() refuses "${args}"`, () => {
    const problem = parse(args);
    assertInstanceOf(problem, ConfigProblem);
    assertStringIncludes(problem.message, message);
  });
}

Deno.test("WORKER_HELP names every option that is read", () => {
  for (
    const flag of ["--server", "--token-file", "--group", "--concurrency", "--script-disk", "--http-allow"]
  ) {
    assertStringIncludes(WORKER_HELP, flag);
  }
});
