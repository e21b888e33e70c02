/** TLS connections that the server ends. */
import { assertEquals, assertRejects } from "@std/assert";
import { TlsTransport } from "../../../src/machine/http_client/tls_transport.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../../support/processes/self_signed.ts";

const SIZE = 4 * 1024 * 1024;
const LOCAL = { hostname: "127.0.0.1", port: 0 };
const { signal } = new AbortController();

const portOf = ({ addr }: Deno.Listener) => (addr as Deno.NetAddr).port;

/** Sends as many bytes to the next connection, and ends it. */
async function serve(listener: Deno.TlsListener, end: (connection: Deno.TlsConn) => Promise<unknown>) {
  using connection = await listener.accept();
  const bytes = new Uint8Array(SIZE);
  for (let sent = 0; sent < SIZE;) sent += await connection.write(bytes.subarray(sent));
  await end(connection);
}

/** Reads all bytes; gives their number. Others run between two reads, so that more bytes arrive. */
async function readAll(transport: TlsTransport): Promise<number> {
  let size = 0;
  for (let bytes = await transport.read(); bytes; bytes = await transport.read()) {
    size += bytes.length;
    await new Promise((resolve) => setTimeout(resolve));
  }
  return size;
}

const TLS = { serverName: "localhost", isInsecure: true };

Deno.test("TlsTransport.read() gives all bytes, and the end", async () => {
  using listener = Deno.listenTls({ ...LOCAL, cert: SELF_SIGNED_CERT, key: SELF_SIGNED_KEY });
  const serving = serve(listener, (connection) => connection.closeWrite());
  const transport = await TlsTransport.open({ host: "127.0.0.1", port: portOf(listener) }, signal);
  await transport.startTls(TLS);
  assertEquals(await readAll(transport), SIZE);
  assertEquals(await transport.read(), undefined);
  transport.close();
  await serving;
});

Deno.test("TlsTransport.read() gives all bytes, and the end, after a dialog without TLS", async () => {
  using listener = Deno.listenTls({ ...LOCAL, cert: SELF_SIGNED_CERT, key: SELF_SIGNED_KEY });
  using proxy = Deno.listen(LOCAL);
  const serving = serve(listener, (connection) => connection.closeWrite());
  const tunnel = (async () => {
    const connection = await proxy.accept();
    const asked = await connection.read(new Uint8Array(10));
    await connection.write(new TextEncoder().encode("yes"));
    const server = await Deno.connect({ hostname: "127.0.0.1", port: portOf(listener) });
    const sent = connection.readable.pipeTo(server.writable).catch(() => {});
    await server.readable.pipeTo(connection.writable).catch(() => {});
    await sent;
    return asked;
  })();
  const transport = await TlsTransport.open({ host: "127.0.0.1", port: portOf(proxy) }, signal);
  await transport.write(new TextEncoder().encode("connect"));
  assertEquals(new TextDecoder().decode(await transport.read()), "yes");
  await transport.startTls(TLS);
  assertEquals(await readAll(transport), SIZE);
  transport.close();
  assertEquals(await tunnel, 7);
  await serving;
});

Deno.test("TlsTransport.read() fails when it is closed", async () => {
  using listener = Deno.listenTls({ ...LOCAL, cert: SELF_SIGNED_CERT, key: SELF_SIGNED_KEY });
  const closed = Promise.withResolvers<void>();
  const serving = serve(listener, () => closed.promise);
  const transport = await TlsTransport.open({ host: "127.0.0.1", port: portOf(listener) }, signal);
  await transport.startTls(TLS);
  let size = 0;
  while (size < SIZE) size += (await transport.read())?.length ?? 0;
  const reading = transport.read();
  transport.close(new Error("late"));
  await assertRejects(() => reading, Error, "late");
  closed.resolve();
  await serving;
});
