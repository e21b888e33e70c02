/** Objects kept over a rest: the last of each kind, and none of a flow that mentions secrets. */
import { assertEquals, assertStrictEquals } from "@std/assert";
import { KeptShapes } from "../../../src/runtime/live/kept_shapes.ts";

const PLAIN = { source: "id: plain\ntasks: []\n" };
const SECRETS = [
  "inputs:\n  - id: password\n    type: SECRET\n",
  "tasks:\n  - id: call\n    uri: '{{ secret(\"URI\") }}'\n",
];

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

for (const source of SECRETS) {
  Deno.test(`keep() keeps nothing of a flow that mentions secrets: ${JSON.stringify(source)}`, () => {
    const shapes = new KeptShapes();
    const flow = { source };
    shapes.keep("attempt", {}, flow);
    shapes.keep("attempt", {}, flow);
    assertEquals(shapes.get("attempt"), undefined);
  });
}
