/** Batches of messages have limits. */
import { assertThrows } from "@std/assert";
import { countHeaders, countMessages, ResponseLimit } from "../../../src/integrations/kafka/batch_limits.ts";

const COUNTS = [
  ["messages", countMessages, 100_000, 10],
  ["headers", countHeaders, 1_000, 2_000],
] as const;
for (const [name, count, size, most] of COUNTS) {
  Deno.test(`a response has at most ${size * most} ${name}`, () => {
    const limit = new ResponseLimit();
    const read = (times: number) => {
      limit.begin();
      for (let n = 0; n < times; n++) count(size);
    };
    limit.run(() => read(most));
    limit.run(() => read(most));
    assertThrows(
      () => limit.run(() => read(most + 1)),
      Error,
      `Cannot read a response of messages: it has more than ${size * most} ${name}`,
    );
  });
}
