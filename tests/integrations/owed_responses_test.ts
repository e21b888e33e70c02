/** Servers that ask for responses, and do not read them. */
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { assertEquals, assertRejects } from "@std/assert";
import { AmqpClient } from "../../src/integrations/amqp/client.ts";
import { MqttClient } from "../../src/integrations/mqtt/client.ts";
import { NatsClient } from "../../src/integrations/nats/client.ts";

/** A connection to a server that does not read. */
class StalledSocket extends Duplex {
  override _read(): void {}
  override _write(): void {}
}

const CLIENTS: readonly (readonly [
  protocol: string,
  request: Buffer,
  connect: (socket: Duplex) => Promise<{ readonly broken: Promise<never> }>,
])[] = [
  ["NATS", Buffer.from("PING\r\n"), (socket) => Promise.resolve(new NatsClient(socket))],
  ["AMQP", Buffer.from("08000000000000ce", "hex"), (socket) => {
    const login = { virtualHost: "/", username: "a", password: "b" };
    return Promise.resolve(new AmqpClient(socket, login));
  }],
  ["MQTT", Buffer.from("62020001", "hex"), (socket) =>
    MqttClient.connect(socket, {
      protocolVersion: 4,
      clientId: "a",
      clean: true,
      username: undefined,
      password: undefined,
      take: () => Promise.resolve(),
    })],
];

for (const [protocol, request, connect] of CLIENTS) {
  Deno.test(`a connection of ${protocol} fails when the server does not read the responses that it asks for`, async () => {
    const socket = new StalledSocket();
    const client = await connect(socket);
    const requests = Buffer.concat(Array(300_000).fill(request));
    socket.push(requests);
    await assertRejects(() => client.broken, Error, "does not read the responses that it asks for");
    assertEquals([socket.destroyed, socket.writableLength <= 1_050_000], [true, true]);
  });
}
