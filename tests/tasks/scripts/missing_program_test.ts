import { assertEquals } from "@std/assert";
import { failureText, missingProgramIn } from "../../../src/tasks/scripts/missing_program.ts";

/** Lines of the error stream, and the program that they report as missing. */
const REPORTS: readonly (readonly [line: string, program: string | undefined])[] = [
  ["/bin/sh: 2: Rscript: not found", "Rscript"],
  ["/tmp/x/commands: line 12: julia: command not found", "julia"],
  ["sh: lua: not found", "lua"],
  ["zsh:1: command not found: ruby", "ruby"],
  ["/usr/bin/env: ‘php’: No such file or directory", "php"],
  ["setsid: failed to execute pwsh: No such file or directory", "pwsh"],
  ["cat: a.txt: No such file or directory", undefined],
  ["page not found", undefined],
  [`${"x".repeat(400)}: not found`, undefined],
];

for (const [line, program] of REPORTS) {
  Deno.test(`missingProgramIn() of ${line.slice(0, 60)} is ${program}`, () => {
    assertEquals(missingProgramIn(line), program);
  });
}

const CONTAINER = { type: "container", image: "i" } as const;

Deno.test("failureText() names the image to use in a container, and no cause for other exit codes", () => {
  assertEquals(
    failureText(127, CONTAINER, "go"),
    'Command failed with exit code 127: the image of the container has no program "go"; set `containerImage` to one ' +
      'that has it, for example "golang"',
  );
  assertEquals(failureText(1, CONTAINER, "go"), "Command failed with exit code 1");
  assertEquals(failureText(127, CONTAINER, undefined), "Command failed with exit code 127");
});
