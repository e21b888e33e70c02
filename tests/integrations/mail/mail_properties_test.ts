import { assertEquals, assertThrows } from "@std/assert";
import { addressesOf } from "../../../src/integrations/mail/mail_properties.ts";

const LISTS: readonly (readonly [text: string, addresses: readonly string[]])[] = [
  ["a@x.com, b@x.com;c@x.com,", ["|a@x.com", "|b@x.com", "|c@x.com"]],
  ['"Doe, Ann; \\"A\\"" <a@x.com>, Bob <b@x.com>', ['Doe, Ann; \\"A\\"|a@x.com', "Bob|b@x.com"]],
  ['["a@x.com", "b@x.com"]', ["|a@x.com", "|b@x.com"]],
];
for (const [text, addresses] of LISTS) {
  Deno.test(`addressesOf() separates ${text}`, () => {
    assertEquals(addressesOf(text).map(({ name, address }) => `${name}|${address}`), addresses);
  });
}

// A search for the end of each quote would take minutes.
Deno.test("addressesOf() refuses a text of 500,000 quotes without an end in one pass", () => {
  const text = `a@x.com, ${'"\\'.repeat(500_000)}`;
  assertThrows(() => addressesOf(text), Error, 'Invalid mail address "');
});
