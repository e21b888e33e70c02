import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { KeptTemplates } from "../../src/rendering/kept_templates.ts";

/** A source of about that length, different for each number. */
const sourceOf = (number: number, length: number) => `${number}${"x".repeat(length)}`;

Deno.test("KeptTemplates.compiled() compiles a source once while there is room", () => {
  const templates = new KeptTemplates(10_000);
  const first = templates.compiled("{{ a }}");
  for (let number = 0; number < 10; number++) templates.compiled(sourceOf(number, 100));
  assertStrictEquals(templates.compiled("{{ a }}"), first);
});

Deno.test("KeptTemplates.compiled() keeps as many templates as their sources are long", () => {
  const templates = new KeptTemplates(10_000);
  const made = Array.from({ length: 40 }, (_, number) => templates.compiled(sourceOf(number, 900)));
  const kept = made.toReversed().filter((template) => templates.compiled(template.source) === template);
  assert(kept.length <= 10);
  assertEquals(made.at(-1), kept[0]);
});

Deno.test("KeptTemplates.compiled() does not keep a source that takes the room of all others", () => {
  const templates = new KeptTemplates(10_000);
  const small = templates.compiled("{{ a }}");
  const large = templates.compiled(sourceOf(0, 9_000));
  assert(templates.compiled(large.source) !== large);
  assertStrictEquals(templates.compiled("{{ a }}"), small);
});
