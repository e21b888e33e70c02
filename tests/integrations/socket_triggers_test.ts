/** The triggers that listen on ports, with sockets of the test. */
import { createSocket, type Socket } from "node:dgram";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { tcpTrigger, udpTrigger } from "../../src/integrations/fs/socket_triggers.ts";
import { Listening } from "../support/flows/listen_definition.ts";
import { executionsOf } from "../support/flows/triggers.ts";
import { Harness } from "../support/harness.ts";
import { freePort, isListening } from "../support/processes/free_port.ts";
import { until } from "../support/processes/machine_processes.ts";

/** Sends a message and ends this side; gives what comes until the other side ends. @throws Error it resets the connection */
async function send(port: number, content: string | Uint8Array, hostname = "127.0.0.1"): Promise<string> {
  using connection = await Deno.connect({ hostname, port });
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  await connection.closeWrite();
  return await new Response(connection.readable).text();
}

const payloads = ({ messages }: Listening) => messages.map(({ variables }) => variables.payload);

for (const host of ["127.0.0.1", "::1"]) {
  Deno.test(`tcp.RealtimeTrigger on ${host} takes a message of each connection, and ends it then`, async () => {
    const port = freePort();
    await using listening = new Listening(tcpTrigger, { port, host });
    await listening.connected;
    for (const message of [" one\ntwo\n", "", "ä"]) assertEquals(await send(port, message, host), "");
    assertEquals(payloads(listening), ["one\ntwo", "ä"]);
    const { sourceIp, sourcePort, timestamp } = listening.messages[0]?.variables ?? {};
    assertEquals([sourceIp, typeof sourcePort], [host, "number"]);
    assertMatch(String(timestamp), /^\d{4}-\d\d-\d\dT.*Z$/);
  });
}

Deno.test("tcp.RealtimeTrigger takes messages of other encodings, and of connections at a time", async () => {
  const port = freePort();
  await using listening = new Listening(tcpTrigger, { port, encoding: "BASE64" });
  await listening.connected;
  using slow = await Deno.connect({ hostname: "127.0.0.1", port });
  await slow.write(new Uint8Array([1]));
  await send(port, new Uint8Array([0, 255]));
  await slow.write(new Uint8Array([2]));
  await slow.closeWrite();
  await new Response(slow.readable).text();
  assertEquals(payloads(listening), ["AP8=", "AQI="]);
});

Deno.test("tcp.RealtimeTrigger resets a connection whose message is too long, or starts nothing", async () => {
  const port = freePort();
  const refuse = () => {
    throw new Error("no room");
  };
  await using listening = new Listening(tcpTrigger, { port }, refuse);
  await listening.connected;
  await assertRejects(() => send(port, "one"), Error);
  await assertRejects(() => send(port, new Uint8Array(1024 * 1024 + 1)), Error);
  await until(() => Promise.resolve(listening.logs.length === 2));
  assertMatch(listening.logs[0] ?? "", /WARN A message of 127\.0\.0\.1 was not taken: no room/);
  assertMatch(listening.logs[1] ?? "", /it has more than 1048576 bytes/);
  assertEquals(listening.messages, []);
});

Deno.test("tcp.RealtimeTrigger ends although clients are connected, and frees its port", async () => {
  const port = freePort();
  {
    await using listening = new Listening(tcpTrigger, { port });
    await listening.connected;
    const idle = await Deno.connect({ hostname: "127.0.0.1", port });
    await idle.write(new Uint8Array([1]));
    idle.close();
  }
  // What another thread has just started holds all sockets of this process until it runs its own program.
  await until(() => !isListening(port));
});

/** A socket of UDP on a free port. */
async function withSocket(work: (socket: Socket) => Promise<void>): Promise<void> {
  const socket = createSocket("udp4");
  const bound = Promise.withResolvers<void>(), closed = Promise.withResolvers<void>();
  socket.bind(0, "127.0.0.1", bound.resolve);
  await bound.promise;
  try {
    await work(socket);
  } finally {
    socket.close(closed.resolve);
    await closed.promise;
  }
}

Deno.test("udp.RealtimeTrigger takes datagrams up to bufferSize", async () => {
  const port = freePort();
  await using listening = new Listening(udpTrigger, { port, bufferSize: 3 });
  await listening.connected;
  // Any datagram may be lost.
  await withSocket(async (socket) => {
    await until(() => {
      socket.send("abcdef", port, "127.0.0.1");
      return Promise.resolve(listening.messages.length > 0);
    });
  });
  const { payload, sourceIp } = listening.messages[0]?.variables ?? {};
  assertEquals([payload, sourceIp], ["abc", "127.0.0.1"]);
  assertEquals(listening.logs[0], "WARN A datagram of 6 bytes was cut (bufferSize)");
});

for (const trigger of [tcpTrigger, udpTrigger]) {
  Deno.test(`${trigger.type} names what keeps it from listening`, async () => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    await withSocket(async (socket) => {
      const port = trigger === tcpTrigger ? taken.addr.port : socket.address().port;
      const cases = [
        [{ port }, `Cannot listen on "127.0.0.1:${port}"`],
        [{ port, host: "0.0.0.0" }, "--listen-triggers makes exceptions"],
        [{ port, host: "example.org" }, "it must be an IP address of this machine"],
        [{ port, encoding: "no such" }, "Invalid encoding"],
      ] as const;
      for (const [properties, error] of cases) {
        await using listening = new Listening(trigger, properties);
        await assertRejects(() => listening.ended, Error, error);
      }
    });
  });
}

Deno.test("a flow with tcp.RealtimeTrigger starts once a message is stored, before the connection ends", async () => {
  const port = freePort();
  await using app = await Harness.start();
  await app.save(`id: p
namespace: demo
triggers:
- {id: t, type: io.kestra.plugin.fs.tcp.RealtimeTrigger, port: ${port}}
tasks:
- {id: l, type: io.kestra.plugin.core.log.Log, message: "{{ trigger.payload }}"}
`);
  await until(async () => {
    await app.advance(1_000);
    return await send(port, "hello").then(() => true, () => false);
  });
  const executions = await executionsOf(app, "p");
  assertEquals(executions.map(({ trigger }) => (trigger as { payload?: string } | undefined)?.payload), [
    "hello",
  ]);
});
