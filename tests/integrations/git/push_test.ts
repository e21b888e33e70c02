/** What is pushed at a time is in memory. */
import { assertEquals, assertThrows } from "@std/assert";
import { PushedFiles } from "../../../src/integrations/git/commit_files.ts";

Deno.test("PushedFiles refuses more than 256 MiB together", () => {
  const files = new PushedFiles();
  const half = new Uint8Array(128 * 1024 * 1024);
  files.set("a", half).set("b", half).set("b", half);
  assertThrows(
    () => files.set("c", new Uint8Array(1)),
    Error,
    'Cannot push "c": the files have more than 268435456 bytes together',
  );
  assertEquals([...files.keys()], ["a", "b"]);
});
