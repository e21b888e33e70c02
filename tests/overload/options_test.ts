import { assertEquals, assertThrows } from "@std/assert";
import { readOptions } from "./options.ts";

Deno.test("readOptions() has defaults, and reads numbers and names", () => {
  assertEquals(readOptions([]), { only: [], seconds: 20, connections: 10_000, wantsHelp: false });
  assertEquals(readOptions(["--seconds=3", "--connections", "50", "--only", "idle,lists"]), {
    ...{ only: ["idle", "lists"], seconds: 3, connections: 50, wantsHelp: false },
  });
});

for (const args of [["--seconds=0"], ["--seconds=601"], ["--connections=x"], ["--connections=50001"]]) {
  Deno.test(`readOptions() refuses ${args.join(" ")}`, () => {
    assertThrows(() => readOptions(args), Error, "must be a whole number from 1");
  });
}
