/** How messages of Kafka are taken. */
import { assert, assertEquals } from "@std/assert";
import { receive } from "../../../src/integrations/kafka/consumer.ts";
import { produce } from "../../../src/integrations/kafka/produce.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { KafkaBroker } from "../../support/servers/kafka_broker.ts";

const COUNT = 20_000;

Deno.test("messages of a partition are taken in turns", async () => {
  await using broker = new KafkaBroker();
  const properties = {
    properties: { "bootstrap.servers": broker.servers, "auto.offset.reset": "earliest" },
    topic: "t",
  };
  await runDefinition(produce, {
    ...properties,
    from: Array.from({ length: COUNT }, (_, n) => ({ value: n })),
  });
  const over = Promise.withResolvers<void>();
  let taken = 0, turn = 0;
  const turns = new Set<number>();
  const timer = setInterval(() => turn++, 0);
  try {
    await receive({
      properties,
      signal: new AbortController().signal,
      connectAddress: (hostname, port) => Promise.resolve({ hostname, port }),
      http: () => Promise.reject(new Error("There is no registry")),
    }, {
      ownGroup: "g",
      joined: () => {},
      take: () => {
        turns.add(turn);
        if (++taken === COUNT) over.resolve();
        return Promise.resolve(true);
      },
      over: over.promise,
      finish: () => Promise.resolve(),
    });
  } finally {
    clearInterval(timer);
  }
  assertEquals(taken, COUNT);
  assert(turns.size > 1);
});
