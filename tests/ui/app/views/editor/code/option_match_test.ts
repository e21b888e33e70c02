/** Which options are offered, and in which order. */
import { assertEquals } from "@std/assert";
import { matchingOptions } from "../../../../../../src/ui/app/views/editor/code/option_match.ts";

function matches(labels: readonly string[], typed: string): string[] {
  return matchingOptions(labels.map((label) => ({ label })), typed).map(({ label }) => label);
}

Deno.test("matchingOptions() puts what begins with the text first, then what contains it, then what has its parts", () => {
  const labels = ["retry", "Retain", "afterRetry", "core.Return", "runEvenThen", "x"];
  assertEquals(matches(labels, "ret"), ["retry", "Retain", "afterRetry", "core.Return", "runEvenThen"]);
  assertEquals(matches(labels, "Ret"), ["Retain", "retry", "afterRetry", "core.Return", "runEvenThen"]);
  assertEquals(matches(["a.b.core.Log", "a.core.log.Level"], "a.Log"), ["a.b.core.Log", "a.core.log.Level"]);
});

Deno.test("matchingOptions() offers all for no text: those with a boost first, then by name", () => {
  const options = [{ label: "b" }, { label: "c", boost: 2 }, { label: "a" }];
  assertEquals(matchingOptions(options, "").map(({ label }) => label), ["c", "a", "b"]);
});
