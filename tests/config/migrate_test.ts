import { assert, assertEquals } from "@std/assert";
import { ConfigProblem } from "../../src/config/given.ts";
import { parseMigrate } from "../../src/config/migrate.ts";

const PLAIN = {
  isJson: false,
  isOverwrite: false,
  isDisabled: false,
  namespace: undefined,
  target: undefined,
};

Deno.test("parseMigrate() takes a path as source and checks only", () => {
  for (const args of [["flows"], ["flows", "--check"]]) {
    assertEquals(parseMigrate(args, {}), { ...PLAIN, source: "flows" });
  }
});

Deno.test("parseMigrate() reads servers, their tenants and credentials, from flags or variables", () => {
  const environment = { SLUICE_TARGET_TOKEN: "slc_t", SLUICE_SOURCE_AUTH: "ann:secret" };
  const options = parseMigrate(
    [
      "https://flows.example.org/ui/main/flows",
      "--apply",
      "--target",
      "http://127.0.0.1:9000/",
      "--disabled",
    ],
    environment,
  );
  assertEquals(options, {
    ...PLAIN,
    source: {
      url: "https://flows.example.org",
      tenant: "main",
      authorization: `Basic ${btoa("ann:secret")}`,
    },
    target: { url: "http://127.0.0.1:9000", tenant: "main", authorization: "Bearer slc_t" },
    isDisabled: true,
  });
});

Deno.test("parseMigrate() imports into this machine's server by default", () => {
  const options = parseMigrate(["a.zip", "--apply", "--target-tenant", "acme", "--namespace=team"], {});
  assert(!(options instanceof ConfigProblem));
  assertEquals(options.target, { url: "http://127.0.0.1:8080", tenant: "acme", authorization: undefined });
  assertEquals(options.namespace, "team");
});

const REFUSED: readonly (readonly [string[], string])[] = [
  [[], "Cannot migrate without a source; see migrate --help"],
  [["a", "b"], 'Unexpected argument "b" of migrate; see migrate --help'],
  [["a", "--aply"], 'Unknown option "--aply" of migrate: did you mean "--apply"?; see migrate --help'],
  [["a", "--check", "--apply"], "Cannot use --check together with --apply"],
  [["a", "--overwrite"], "Cannot use --overwrite without --apply"],
  [["a", "--target", "http://b"], "Cannot use --target without --apply"],
  [["a", "--source-auth", "u:p"], "Cannot use --source-auth: the source is not the address of a server"],
  [
    ["http://h", "--source-auth", "u:p", "--source-token", "t"],
    "Cannot use both --source-auth and --source-token",
  ],
  [
    ["http://h", "--source-auth", "secret"],
    'Cannot use --source-auth: it must be "user:password", neither part empty',
  ],
  [
    ["http://ann:secret@h"],
    'Cannot use "http://h/" as source: it must be an address such as "https://flows.example.org", ' +
    "without credentials (see --source-auth), query and fragment",
  ],
];
for (const [args, message] of REFUSED) {
  Deno.test(`parseMigrate() refuses "${args.join(" ")}"`, () => {
    const problem = parseMigrate(args, {});
    assert(problem instanceof ConfigProblem);
    assertEquals(problem.message, message);
  });
}
