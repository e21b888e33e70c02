import { assertEquals } from "@std/assert";
import { IdSource } from "../../../../src/base/id.ts";
import { IdSearch } from "../../../../src/store/catalog/filters/id_search.ts";
import { packId } from "../../../../src/store/catalog/rows/row.ts";
import { FAKE_START } from "../../../support/fakes/fake_clock.ts";
import { seeded } from "../fixture.ts";

function idWords(id: string): Uint32Array {
  const words = new Uint32Array(4);
  packId(id, words, 0);
  return words;
}

Deno.test("IdSearch.matches() finds each substring of each id, ignoring case", () => {
  const ids = new IdSource();
  for (let index = 0; index < 8; index++) {
    const id = ids.next(FAKE_START * (index + 1) / 4);
    const words = idWords(id);
    for (let from = 0; from < 22; from++) {
      for (let to = from + 1; to <= 22; to++) {
        const part = id.slice(from, to);
        assertEquals(
          new IdSearch(from % 2 ? part.toUpperCase() : part).matches(words, 0),
          true,
          `${part} in ${id}`,
        );
        if (to - from > 4) to += 3;
      }
    }
  }
});

Deno.test("IdSearch.matches() equals a search in the text of the id", () => {
  const random = seeded(7);
  const ids = new IdSource();
  const made = Array.from({ length: 400 }, (_, index) => ids.next(FAKE_START + index * (index % 3) * 90_000));
  for (let round = 0; round < 120; round++) {
    const source = made[Math.floor(random() * made.length)] ?? "";
    const from = Math.floor(random() * 20);
    const part = source.slice(from, from + 1 + Math.floor(random() * 6));
    const word = random() < 0.5 ? part : part.split("").reverse().join("");
    const search = new IdSearch(word);
    const found = made.filter((id) => search.matches(idWords(id), 0));
    assertEquals(found, made.filter((id) => id.toLowerCase().includes(word.toLowerCase())), word);
  }
});

for (
  const [word, expected] of [["abc", true], ["", false], ["a-b", false], ["a".repeat(23), false], [
    "ä",
    false,
  ]] as const
) {
  Deno.test(`IdSearch.isPossible() is ${expected} for "${word}"`, () => {
    assertEquals(IdSearch.isPossible(word), expected);
  });
}
