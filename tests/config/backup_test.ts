import { assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { parseBackup } from "../../src/config/backup.ts";
import { ConfigProblem } from "../../src/config/given.ts";

Deno.test("parseBackup() reads a folder, or a server with its credentials", () => {
  assertEquals(parseBackup([], {}), {
    server: undefined,
    dataDir: "./sluice-data",
    to: undefined,
    isJson: false,
  });
  assertEquals(parseBackup(["--to=/b", "--json"], { SLUICE_DATA_DIR: "/d" }), {
    server: undefined,
    dataDir: "/d",
    to: "/b",
    isJson: true,
  });
  const servers = [
    [["--server", "https://s.example.org/ui/main/"], { SLUICE_TOKEN: "sluice_x" }, "Bearer sluice_x"],
    [["--server=https://s.example.org/", "--auth=anna:pw"], {}, "Basic YW5uYTpwdw=="],
    [["--server=https://s.example.org"], {}, undefined],
  ] as const;
  for (const [args, environment, authorization] of servers) {
    const options = parseBackup(args, environment);
    assertEquals(options instanceof ConfigProblem ? options.message : options.server, {
      url: "https://s.example.org",
      authorization,
    });
  }
});

const REFUSED: readonly (readonly [readonly string[], Record<string, string>, string])[] = [
  [["--server=ftp://x"], {}, "Cannot use --server: it must be an address"],
  [
    ["--server=http://10.0.0.1:8080"],
    {},
    'Cannot use "http://10.0.0.1:8080" as --server: a backup holds all secrets',
  ],
  [["--server=https://a:b@x"], {}, "Cannot use --server: it must be an address"],
  [["--server=https://:b@x"], {}, "Cannot use --server: it must be an address"],
  [["--server=https://x", "--data-dir=/d"], {}, "Cannot use both --server and --data-dir"],
  [["--server=https://x", "--token=t", "--auth=a:b"], {}, "Cannot use both a token and credentials"],
  [["--server=https://x", "--auth=a"], {}, 'Cannot use --auth: it must be "user:password"'],
  [[], { SLUICE_DATABASE: "https://kv" }, "Cannot back up a database server"],
  [["--too"], {}, 'Unknown option "--too" of backup: did you mean "--to"?'],
];
for (const [args, environment, expected] of REFUSED) {
  Deno.test(`parseBackup() refuses ${JSON.stringify([args, environment])}`, () => {
    const problem = parseBackup(args, environment);
    assertInstanceOf(problem, ConfigProblem);
    assertStringIncludes(problem.message, expected);
  });
}
