/** Bounds of a connection of MQTT. */
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import v8 from "node:v8";
import vm from "node:vm";
import { assertEquals, assertRejects } from "@std/assert";
import mqttPacket from "mqtt-packet";
import { until } from "../../support/processes/machine_processes.ts";
import { MqttClient, type MqttOptions } from "../../../src/integrations/mqtt/client.ts";

const LENGTH = 1_048_580;

class TestSocket extends Duplex {
  readonly written: Buffer[] = [];
  override _read(): void {}
  override _write(bytes: Buffer, _encoding: string, written: () => void): void {
    this.written.push(bytes);
    written();
  }
}

function connect(
  socket: Duplex,
  protocolVersion: 4 | 5,
  take: MqttOptions["take"] = () => Promise.resolve(),
): Promise<MqttClient> {
  return MqttClient.connect(socket, {
    protocolVersion,
    clientId: "a",
    clean: true,
    username: undefined,
    password: undefined,
    take,
  });
}

/** A number below 2^21 of the protocol. */
function number(value: number): Buffer {
  return Buffer.of(value & 127 | 128, value >> 7 & 127 | 128, value >> 14);
}

/** User properties of a message, each without a name or a value. */
const PROPERTIES = Buffer.concat([
  Buffer.of(0, 1, 97),
  number(LENGTH),
  Buffer.concat(Array(LENGTH / 5).fill(Buffer.of(0x26, 0, 0, 0, 0))),
]);

const HOSTILE: readonly (readonly [what: string, bytes: Buffer, message: string])[] = [
  [
    "large properties",
    Buffer.concat([Buffer.of(0x30), number(PROPERTIES.length), PROPERTIES]),
    "bytes of properties",
  ],
  [
    "a large packet without a message",
    Buffer.concat([Buffer.of(0x90), number(LENGTH)]),
    "packet without a message",
  ],
];

for (const [what, bytes, message] of HOSTILE) {
  Deno.test(`a connection of MQTT fails for ${what}`, async () => {
    const socket = new TestSocket();
    const client = await connect(socket, 5);
    socket.push(bytes);
    socket.push(Buffer.alloc(1));
    await assertRejects(() => client.broken, Error, message);
    assertEquals(socket.destroyed, true);
  });
}

Deno.test("a connection of MQTT 5 announces the largest packet that it takes", async () => {
  for (const [version, properties] of [[4, undefined], [5, { maximumPacketSize: 67_108_864 }]] as const) {
    const socket = new TestSocket();
    const client = await connect(socket, version);
    const packets: { readonly properties?: object }[] = [];
    const parser = mqttPacket.parser();
    parser.on("packet", (packet) => packets.push(packet as object));
    for (const bytes of socket.written) parser.parse(bytes);
    assertEquals(packets.map((packet) => packet.properties), [properties]);
    client.fail(new Error("The test is over"));
    socket.destroy();
  }
});

Deno.test("an acknowledgement of MQTT that waits does not hold its message", async () => {
  const socket = new TestSocket(), messages: WeakRef<object>[] = [], held: (() => void)[] = [];
  const client = await connect(socket, 4, (message, acknowledge) => {
    messages.push(new WeakRef(message));
    held.push(acknowledge);
    return Promise.resolve();
  });
  // With the topic "a" and the number 7, and one without a message behind it.
  socket.push(Buffer.from([0x32, 6, 0, 1, 97, 0, 7, 1]));
  socket.push(Buffer.from([0xd0, 0]));
  v8.setFlagsFromString("--expose-gc");
  const collectGarbage = vm.runInNewContext("gc") as () => void;
  await until(() => {
    collectGarbage();
    return Promise.resolve(held.length === 1 && messages[0]?.deref() === undefined);
  });
  held[0]?.();
  assertEquals(socket.written.at(-1), Buffer.from([0x40, 2, 0, 7]));
  client.fail(new Error("The test is over"));
  socket.destroy();
});
