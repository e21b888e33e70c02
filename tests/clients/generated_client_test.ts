import { assertEquals, assertThrows } from "@std/assert";
import { runCommand } from "./command.ts";
import { readReport } from "./generated_client.ts";
import { warningsIn } from "./python_client.ts";

Deno.test("readReport() reads the last line of JSON", () => {
  const report = { operations: ["getFlow"], passed: 1, failures: ["a step"] };
  assertEquals(readReport(`ok      a step\n${JSON.stringify(report)}\n`), report);
});

for (const output of ["", "Killed", '{"operations": []}']) {
  Deno.test(`readReport() refuses ${output || "no output"}`, () => {
    assertThrows(() => readReport(output), Error, "without a report");
  });
}

const WARNINGS: readonly (readonly [name: string, output: string, count: number])[] = [
  ["no warning", "Generating client\n", 0],
  [
    "a body of a media type that the generator does not know",
    "WARNING parsing POST /a.\n\nUnsupported content type text/plain\n",
    0,
  ],
  [
    "a response of such a type",
    "WARNING parsing GET /a.\n\nCannot parse response for status code 200 (Unsupported content_type image/svg+xml)\n",
    0,
  ],
  [
    "an operation that is left out",
    "WARNING parsing POST /a. Endpoint will not be generated.\n\nUnsupported content type text/plain\n",
    1,
  ],
  [
    "a schema that it cannot use",
    "WARNING parsing GET /a.\n\nCannot parse response for status code 200 (Could not find reference)\n",
    1,
  ],
];
for (const [name, output, count] of WARNINGS) {
  Deno.test(`warningsIn() counts ${count} for ${name}`, () => assertEquals(warningsIn(output).length, count));
}

Deno.test("runCommand() says that a command is not installed", async () => {
  const result = await runCommand("no-such-command-of-sluice", []);
  assertEquals(result, { success: false, text: "no-such-command-of-sluice is not installed" });
});
