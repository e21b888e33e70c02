/** Bounds of a connection of AMQP. */
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { assertEquals } from "@std/assert";
import { AMQPChannel } from "@cloudamqp/amqp-client/amqp-channel";
import { AmqpClient } from "../../../src/integrations/amqp/client.ts";
import { frame, methodFrame, shortText, u16, u32, u64 } from "../../support/servers/amqp_broker.ts";

/** A broker that confirms the consumer. */
class TestSocket extends Duplex {
  override _read(): void {}
  override _write(_chunk: unknown, _encoding: string, written: () => void): void {
    this.push(methodFrame(1, 60, 21, shortText("t")));
    written();
  }
}

/** A delivery without a body, whose headers have so many values without content. */
function delivery(headers: number): Buffer {
  const table = Buffer.concat(Array(headers).fill(Buffer.concat([shortText("a"), Buffer.from("V")])));
  const properties = headers === 0 ? u16(0) : Buffer.concat([u16(0x2000), u32(table.length), table]);
  return Buffer.concat([
    methodFrame(1, 60, 60, shortText("t"), u64(1), Buffer.of(0), shortText(""), shortText("")),
    frame(2, 1, Buffer.concat([u16(60), u16(0), u64(0), properties])),
  ]);
}

const ROWS: readonly (readonly [what: string, headers: number, free: number, full: number])[] = [
  ["without content", 0, 11_000, 12_500],
  ["with large headers", 10_000, 20, 40],
];

for (const [what, headers, free, full] of ROWS) {
  Deno.test(`a connection of AMQP is read no further while messages ${what} wait`, async () => {
    const socket = new TestSocket();
    const client = new AmqpClient(socket, { virtualHost: "/", username: "a", password: "b" });
    client.closed = false;
    const channel = client.channels[1] = new AMQPChannel(client, 1);
    const released = Promise.withResolvers<void>();
    await client.consume(channel, { queue: "q", tag: "t", noAck: true }, () => released.promise);
    const receive = async (count: number) => {
      socket.push(Buffer.concat(Array(count).fill(delivery(headers))));
      await new Promise((resolve) => setImmediate(resolve));
      return socket.isPaused();
    };
    assertEquals([await receive(free), await receive(full - free + 500)], [false, true]);
    const resumed = new Promise((resolve) => socket.once("resume", resolve));
    released.resolve();
    await resumed;
    assertEquals([socket.isPaused(), client.failure], [false, undefined]);
    client.fail(new Error("The test is over"));
  });
}
