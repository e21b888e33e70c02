import { assertStringIncludes } from "@std/assert";
import { silentLogger } from "../../../src/base/log.ts";
import { startHttpServer } from "../../../src/machine/http_server/http_server.ts";
import { lastOfConnection } from "../../../src/machine/http_server/last_of_connection.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { RawClient } from "../../support/processes/raw_client.ts";

Deno.test("lastOfConnection(): the client learns that the connection ends with the response", async () => {
  const clock = new FakeClock();
  const server = startHttpServer({
    ...{ hostname: "127.0.0.1", port: 0, clock, logger: silentLogger(clock) },
    limits: { maxConnections: 10, maxConnectionsPerAddress: 10, idleMs: 75_000 },
    handler: () => lastOfConnection(new Response("last", { status: 201, headers: { "x-kept": "yes" } })),
  });
  {
    using client = await RawClient.connect(server.addr);
    await client.send("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const text = await client.readTo("last");
    for (const part of ["HTTP/1.1 201", "x-kept: yes\r\n", "connection: close\r\n", "\r\n\r\nlast"]) {
      assertStringIncludes(text, part);
    }
  }
  await server.shutdown();
});
