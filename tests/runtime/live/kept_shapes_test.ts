/** Objects kept over a rest: the last of each kind, and none of a flow that mentions secrets. */
import { assertEquals, assertStrictEquals } from "@std/assert";
import { KeptShapes } from "../../../src/runtime/live/kept_shapes.ts";

const PLAIN = { mentionsSecrets: false };

Deno.test("keep() replaces the object of the same kind only", () => {
  const shapes = new KeptShapes();
  const [first, second, other] = [{}, {}, {}];
  shapes.keep("change", first, PLAIN);
  shapes.keep("tick", other, PLAIN);
  shapes.keep("change", second, PLAIN);
  assertStrictEquals(shapes.get("change"), second);
  assertStrictEquals(shapes.get("tick"), other);
  assertEquals(shapes.get("attempt"), undefined);
});

Deno.test("keep() keeps nothing of a flow that mentions secrets", () => {
  const shapes = new KeptShapes();
  shapes.keep("attempt", {}, { mentionsSecrets: true });
  assertEquals(shapes.get("attempt"), undefined);
});
