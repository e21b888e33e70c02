/** The types that send by TCP and UDP, to sockets of this machine. */
import { createSocket } from "node:dgram";
import { assertEquals, assertRejects } from "@std/assert";
import { tcpSend, udpSend } from "../../src/integrations/fs/sockets.ts";
import { runDefinition } from "../support/flows/definition_run.ts";
import { freePort } from "../support/processes/free_port.ts";

const PAYLOADS: readonly (readonly [payload: string, encoding: string, bytes: readonly number[]])[] = [
  ["ä\n", "UTF-8", [0xc3, 0xa4, 0x0a]],
  ["AAE=", "BASE64", [0, 1]],
];

for (const [payload, encoding, bytes] of PAYLOADS) {
  Deno.test(`tcp.Send sends ${JSON.stringify(payload)} as ${encoding} and closes the connection`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const received = listener.accept().then((connection) => new Response(connection.readable).bytes());
    const { outputs } = await runDefinition(tcpSend, { host: "localhost", port, payload, encoding });
    assertEquals(outputs, { host: "localhost", port, sentBytes: bytes.length });
    assertEquals([...await received], [...bytes]);
  });

  Deno.test(`udp.Send sends ${JSON.stringify(payload)} as ${encoding} in one datagram`, async () => {
    const socket = createSocket("udp4");
    const bound = Promise.withResolvers<void>(), received = Promise.withResolvers<Uint8Array>();
    socket.on("message", received.resolve);
    socket.bind(0, "127.0.0.1", bound.resolve);
    await bound.promise;
    const { port } = socket.address();
    const { outputs } = await runDefinition(udpSend, { host: "127.0.0.1", port, payload, encoding });
    assertEquals(outputs.sentBytes, bytes.length);
    assertEquals([...await received.promise], [...bytes]);
    const closed = Promise.withResolvers<void>();
    socket.close(closed.resolve);
    await closed.promise;
  });
}

Deno.test("a connection that is refused, or takes too long, is reported with its host", async () => {
  const port = freePort();
  const send = { host: "127.0.0.1", port, payload: "x" };
  await assertRejects(() => runDefinition(tcpSend, send), Error, `Cannot send to "127.0.0.1:${port}"`);
  await assertRejects(() => runDefinition(tcpSend, { ...send, encoding: "no" }), Error, "Invalid encoding");
  await assertRejects(
    () => runDefinition(udpSend, { ...send, payload: "x".repeat(65_508) }),
    Error,
    "at most 65507",
  );
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = silent.accept();
  // More than the buffers of the connection take.
  const payload = "x".repeat(20_000_000);
  const late = { ...send, payload, port: silent.addr.port, timeout: "PT0.05S" };
  await assertRejects(() => runDefinition(tcpSend, late), Error, "the payload was not sent within 0.05 s");
  (await accepted).close();
});

Deno.test("tcp.Send ends although the host keeps the connection open", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  const send = { host: "127.0.0.1", port: listener.addr.port, payload: "x" };
  assertEquals((await runDefinition(tcpSend, send)).outputs.sentBytes, 1);
  (await accepted).close();
});
