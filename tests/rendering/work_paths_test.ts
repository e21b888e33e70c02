/** Paths of working directories in templates. */
import { assertEquals } from "@std/assert";
import { runScriptsOn, scriptTask } from "../support/flows/script_flows.ts";

Deno.test("outputFiles has the path of each declared file, and none for globs", async () => {
  const { execution, outputs, lines } = await runScriptsOn(
    {},
    scriptTask("shell.Commands", [
      `outputFiles: ["out", "b/c d.txt", "*.csv"]`,
      "commands:",
      `- 'echo "{{ outputFiles.out == workingDir ~ "/out" }} {{ outputFiles | keys }}" > "{{ outputFiles.out }}"'`,
      `- 'cat "{{ outputFiles.out }}"; mkdir b; echo 1 > "{{ outputFiles["b/c d.txt"] }}"'`,
    ]),
  );
  assertEquals(execution.state.current, "SUCCESS", lines.join("\n"));
  assertEquals(Object.keys(outputs.outputFiles as object), ["b/c d.txt", "out"]);
  const shown = lines.filter((line) => line.includes("true"));
  assertEquals([shown.length, shown.some((line) => line.includes("csv"))], [1, false], lines.join("\n"));
});
