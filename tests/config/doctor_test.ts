import { assert, assertEquals } from "@std/assert";
import { parseDoctor } from "../../src/config/doctor.ts";
import { ConfigProblem } from "../../src/config/given.ts";

const KEY = btoa(String.fromCharCode(...new Uint8Array(32).fill(7)));

Deno.test("parseDoctor() reads the folder and the key from flags, else from variables", () => {
  const environment = { SLUICE_DATA_DIR: "/var/one", SLUICE_ENCRYPTION_KEY: KEY };
  const plain = { isJson: false, isRepair: false, hasCopy: true };
  const encryptionKey = new Uint8Array(32).fill(7);
  assertEquals(parseDoctor([], {}), { ...plain, dataDir: "./sluice-data", encryptionKey: undefined });
  assertEquals(parseDoctor([], environment), { ...plain, dataDir: "/var/one", encryptionKey });
  for (const args of [["--data-dir", "/two"], ["--data-dir=/two"]]) {
    assertEquals(parseDoctor(args, environment), { ...plain, dataDir: "/two", encryptionKey });
  }
});

Deno.test("parseDoctor() reads its switches", () => {
  const options = parseDoctor(["--json", "--repair", "--no-copy"], {});
  assert(!(options instanceof ConfigProblem));
  assertEquals([options.isJson, options.isRepair, options.hasCopy], [true, true, false]);
});

Deno.test("parseDoctor() refuses the database of the environment, unless a folder is given", () => {
  const environment = { SLUICE_DATABASE: "http://kv", SLUICE_DATA_DIR: "/var/one" };
  assert(parseDoctor([], environment) instanceof ConfigProblem);
  assert(!(parseDoctor(["--data-dir=/two"], environment) instanceof ConfigProblem));
});

const REFUSED: readonly (readonly [string[], string])[] = [
  [["--data-dir"], "Cannot use --data-dir without a value; see doctor --help"],
  [["--encryption-key", "short"], "Cannot use --encryption-key: it must be base64 text of 32 bytes"],
  [["--jsn"], 'Unknown option "--jsn" of doctor: did you mean "--json"?; see doctor --help'],
  [["--json=1"], "Cannot use --json with a value; see doctor --help"],
  [
    ["--database", "http://kv"],
    "Cannot check a database server: the doctor reads the file of a data directory; give --data-dir",
  ],
  [["here"], 'Unexpected argument "here" of doctor; see doctor --help'],
];
for (const [args, message] of REFUSED) {
  Deno.test(`parseDoctor() refuses "${args.join(" ")}"`, () => {
    const problem = parseDoctor(args, {});
    assert(problem instanceof ConfigProblem);
    assertEquals(problem.message, message);
  });
}
