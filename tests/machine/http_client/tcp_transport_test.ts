/** Plain connections of the HTTP client. */
import { assertEquals, assertRejects } from "@std/assert";
import { TcpTransport } from "../../../src/machine/http_client/tcp_transport.ts";
import { writeAll } from "../../support/servers/misbehaving_server.ts";

/** Both ends of a connection. */
async function connected(): Promise<readonly [transport: TcpTransport, peer: Deno.Conn]> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const transport = await TcpTransport.open({ host: "127.0.0.1", port }, new AbortController().signal);
  return [transport, await listener.accept()];
}

Deno.test("TcpTransport.read() does not overwrite bytes it has returned", async () => {
  const [transport, peer] = await connected();
  const read: (Uint8Array | undefined)[] = [];
  const sent = Array.from({ length: 50 }, (_, index) => String(index).padStart(3, "0").repeat(300));
  for (const text of sent) {
    await writeAll(peer, text);
    for (let left = text.length; left > 0;) {
      const bytes = await transport.read();
      left -= bytes?.length ?? left;
      read.push(bytes);
    }
  }
  peer.close();
  assertEquals(await transport.read(), undefined);
  transport.close();
  assertEquals(await new Blob(read.map((bytes) => bytes?.slice() ?? "")).text(), sent.join(""));
});

Deno.test("TcpTransport.close() ends pending calls, and may be called twice", async () => {
  const [transport, peer] = await connected();
  const reading = assertRejects(() => transport.read());
  const writing = assertRejects(() => transport.write(new Uint8Array(30_000_000)));
  transport.close();
  transport.close();
  await Promise.all([reading, writing]);
  peer.close();
});
