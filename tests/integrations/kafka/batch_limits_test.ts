/** Batches of messages have limits. */
import { assertThrows } from "@std/assert";
import {
  beginBatch,
  countHeaders,
  countMessages,
  ResponseLimit,
} from "../../../src/integrations/kafka/batch_limits.ts";

const COUNTS = [
  ["messages", countMessages, 100_000, 10],
  ["headers", countHeaders, 1_000, 2_000],
] as const;
for (const [name, count, size, most] of COUNTS) {
  const read = (times: number) => {
    for (let n = 0; n < times; n++) count(size);
  };

  Deno.test(`a batch has at most ${size * most} ${name}`, () => {
    const limit = new ResponseLimit();
    for (let response = 0; response < 2; response++) {
      limit.begin();
      limit.run(() => read(most));
    }
    limit.begin();
    assertThrows(
      () => limit.run(() => read(most + 1)),
      Error,
      `Cannot read a batch of messages: it has more than ${size * most} ${name}`,
    );
  });

  Deno.test(`a batch after which a response would have more than ${size * most} ${name} waits for the next one`, () => {
    const limit = new ResponseLimit();
    const first = () => {
      countMessages(1);
      beginBatch();
    };
    limit.run(first);
    const { name: incomplete } = assertThrows(() => limit.run(() => read(most + 1)), Error);
    if (incomplete !== "KafkaJSPartialMessageError") throw new Error(incomplete);
  });
}
