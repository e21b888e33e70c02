/** Bounds of a fetch of JetStream. */
import { Buffer } from "node:buffer";
import { assertEquals, assertRejects } from "@std/assert";
import type { NatsMessage, SentMessage } from "../../../src/integrations/nats/client.ts";
import { StreamConsumer } from "../../../src/integrations/nats/jetstream.ts";
import type { NatsSession } from "../../../src/integrations/nats/session.ts";

const MAX_BYTES = 80 * 1024 * 1024;

/** Fetches three messages from a server that sends these at once. */
async function fetch(sent: readonly Partial<NatsMessage>[]): Promise<readonly NatsMessage[]> {
  let take: (message: NatsMessage) => void = () => {};
  const publish = ({ data }: SentMessage) => {
    const { batch, max_bytes: maxBytes } = JSON.parse(new TextDecoder().decode(data));
    assertEquals([batch, maxBytes], [3, MAX_BYTES]);
    for (const message of sent) {
      take({ subject: "a", headers: {}, data: Buffer.alloc(0), size: 0, ...message });
    }
    return Promise.resolve();
  };
  const session: Partial<NatsSession> = {
    call: () => Promise.resolve({ streams: ["s"], name: "c" }),
    run: (work) => work({ publish } as unknown as Parameters<typeof work>[0]),
    listen: (listener) => {
      take = listener;
      return { reply: "r", end: () => {} };
    },
  };
  const consumer = await StreamConsumer.open(session as NatsSession, { subject: "a" });
  return await consumer.fetch(3, 0);
}

const FULL = { status: 409, description: "Message Size Exceeds MaxBytes" };
const LARGE = { size: MAX_BYTES / 2 };

Deno.test("a fetch of JetStream ends before a message that would exceed its bytes", async () => {
  assertEquals((await fetch([LARGE, LARGE, FULL])).length, 2);
  await assertRejects(() => fetch([FULL]), Error, "Message Size Exceeds MaxBytes");
});

Deno.test("a fetch of JetStream fails when the server sends more bytes than were asked for", async () => {
  await assertRejects(() => fetch([LARGE, LARGE, { size: 1 }]), Error, "use a smaller batchSize");
});

Deno.test("a fetch of JetStream keeps no more messages than were asked for", async () => {
  assertEquals((await fetch(Array(10).fill({ size: 1 }))).length, 3);
});
