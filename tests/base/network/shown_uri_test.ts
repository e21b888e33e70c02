/** Addresses in messages. */
import { assertEquals } from "@std/assert";
import { shownUri } from "../../../src/base/network/shown_uri.ts";

const SHOWN: readonly (readonly [uri: string, shown: string])[] = [
  ["https://h/a b?c=d@e#f", "https://h/a b?c=d@e"],
  ["https://ann:secret@h/a?b#c", "https://h/a?b"],
  ["https://secret@h/", "https://h/"],
  ["redis://:secret@h:1/0", "redis://h:1/0"],
  ["http:ann:secret@h", "http://h/"],
  ["http://ann:secret@h:99999/a", "http://h:99999/a"],
  ["http://ann:sec/ret@h:99999/a", "http://h:99999/a"],
  ["http://ann:sec@ret@", "http://"],
  ["ann:secret@h/a", "h/a"],
  ["//ann:secret@h/a", "h/a"],
  ["jdbc:postgresql://ann:secret@h/a", "h/a"],
  ["h:99999/a", "h:99999/a"],
  ["", ""],
];

for (const [uri, shown] of SHOWN) {
  Deno.test(`shownUri() of "${uri}"`, () => assertEquals(shownUri(uri), shown));
}
