import { assert, assertEquals } from "@std/assert";
import { FreePorts } from "./support/processes/free_port.ts";
import { allGroups, countTests, isProgress } from "./support/run_tests.ts";
import { withTempDir } from "./support/temp_dir.ts";

const ROOT = new URL("../", import.meta.url).pathname;

const CASES: readonly (readonly [string, number, number, number])[] = [
  ["running 2 tests\n\nok | 2 passed | 0 failed (3ms)\n", 0, 2, 0],
  ["\u001b[0m\u001b[32mok\u001b[0m | 2 passed | 0 failed\u001b[0m (3ms)\n", 0, 2, 0],
  ["ok | 2 passed (7 steps) | 0 failed | 1 ignored (3ms)\n", 0, 2, 0],
  ["FAILED | 2 passed (1 step) | 3 failed (2 steps) (3ms)\n", 1, 2, 3],
  ["a test printed:\nok | 9 passed | 9 failed\nFAILED | 1 passed | 1 failed (1s)\n", 1, 1, 1],
  ["error: Module not found\n", 1, 0, 1],
  ["ok | 2 passed | 0 failed (3ms)\n", 1, 2, 1],
];
for (const [output, exitCode, passed, failed] of CASES) {
  Deno.test(`countTests() of ${JSON.stringify(output)} with exit code ${exitCode}`, () => {
    assertEquals(countTests(output, exitCode), { passed, failed });
  });
}

const OUTPUTS: readonly (readonly [string, boolean])[] = [
  ["a test ... ok (3ms)\n", true],
  ["a test ... FAILED (3ms)\n", true],
  ["'a test' has been running for over (16m0s)\n", false],
  ["\u001b[1m'a test' has been running for over (1m0s)\n'another' has been running for over (2m0s)\n", false],
  ["'a test' has been running for over (1m0s)\nanother ... ok (1ms)\n", true],
  ["\n", false],
];
for (const [output, expected] of OUTPUTS) {
  Deno.test(`isProgress() of ${JSON.stringify(output)}`, () => assertEquals(isProgress(output), expected));
}

Deno.test("allGroups() has each test file in one group, those that take long in the first ones", async () => {
  const { stdout } = await new Deno.Command("find", { args: ["tests", "-name", "*_test.ts"], cwd: ROOT })
    .output();
  const files = new TextDecoder().decode(stdout).trim().split("\n");
  const groups = allGroups();
  assertEquals(groups.flat().sort(), files.sort());
  assert(groups[0]?.every((file) => file.startsWith("tests/ui/")), groups[0]?.join(" "));
  assert(groups.length < files.length / 4, `${groups.length} groups`);
});

Deno.test("tests that run side by side are given different ports", () =>
  withTempDir((folder) => {
    const [one, other] = [new FreePorts(folder), new FreePorts(folder)];
    // Without claims some thirty of them would be the same.
    const ports = Array.from({ length: 600 }, () => [one.next(), other.next()]).flat();
    assertEquals(new Set(ports).size, ports.length);
    return Promise.resolve();
  }));
