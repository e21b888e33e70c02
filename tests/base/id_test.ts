/** Ids: ordered by time whatever the clock does, and told apart from namespaces. */
import { assert, assertEquals } from "@std/assert";
import {
  fromBase62,
  IdSource,
  idTime,
  isId,
  taskRunId,
  taskRunOrdinal,
  toBase62,
} from "../../src/base/id.ts";

Deno.test("IdSource.next() gives strictly ascending ids, even when the clock stops or goes back", () => {
  const source = new IdSource();
  const now = Date.UTC(2026, 0, 1);
  const ids = [now, now, now - 5_000, now + 1, ...Array<number>(100_000).fill(now + 1)].map((at) =>
    source.next(at)
  );
  for (let i = 1; i < ids.length; i++) assert((ids[i - 1] as string) < (ids[i] as string));
});

Deno.test("idTime() gives the time of an id", () => {
  for (const at of [0, 1, Date.UTC(2026, 0, 1), Date.UTC(2100, 0, 1)]) {
    const id = new IdSource().next(at);
    assert(isId(id));
    assertEquals(idTime(id), at);
  }
});

Deno.test("isId() refuses namespaces", () => {
  for (
    const text of ["", "demo", "AVbbB83o000xXUY4wsF0c", "aVbbB83o000xXUY4wsF0c8", "AVbbB83o000xXUY4wsF0c8x"]
  ) {
    assertEquals(isId(text), false);
  }
});

Deno.test("taskRunOrdinal() is the inverse of taskRunId(), and refuses the ids of other executions", () => {
  const source = new IdSource();
  const [one, two] = [source.next(1), source.next(2)];
  for (const ordinal of [0, 1, 61, 62, 100_000]) {
    assertEquals(taskRunOrdinal(one, taskRunId(one, ordinal)), ordinal);
    assertEquals(taskRunOrdinal(two, taskRunId(one, ordinal)), undefined);
  }
});

Deno.test("toBase62() and fromBase62() are inverse", () => {
  for (const value of [0, 61, 62, 3843, 3844, 2 ** 40]) assertEquals(fromBase62(toBase62(value, 10)), value);
});
