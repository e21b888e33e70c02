import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { silentLogger } from "../../../src/base/log.ts";
import { startHttpServer } from "../../../src/machine/http_server/http_server.ts";
import { isPadded, padded } from "../../../src/machine/http_server/padded_response.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { RawClient } from "../../support/processes/raw_client.ts";

const PADDED = /^x-padding: 0{2000}\r$/m;

Deno.test("padded() adds a long header to the second response of a connection", async () => {
  const clock = new FakeClock();
  const server = startHttpServer({
    ...{ hostname: "127.0.0.1", port: 0, clock, logger: silentLogger(clock) },
    limits: { maxConnections: 10, maxConnectionsPerAddress: 10, idleMs: 75_000 },
    handler: () => new Response("a body", { status: 201, headers: { "x-kept": "yes" } }),
  });
  {
    using client = await RawClient.connect(server.addr);
    const arePadded: boolean[] = [];
    for (let number = 1; number <= 3; number++) {
      await client.send("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
      const text = await client.readTo("a body");
      for (const part of ["HTTP/1.1 201", "x-kept: yes\r\n", "\r\n\r\na body"]) {
        assertStringIncludes(text, part);
      }
      arePadded.push(PADDED.test(text));
    }
    assertEquals(arePadded, [false, true, false]);
  }
  await server.shutdown();
});

Deno.test("isPadded() is true again after a number of requests, and seldom", () => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => index + 1).filter(isPadded);
  assert(numbers.length > 1 && numbers.length < 5);
});

Deno.test("padded() leaves a response as it is whose headers cannot be changed", async () => {
  const response = Response.redirect("http://localhost/elsewhere");
  assertEquals([...(await padded(Promise.resolve(response))).headers], [...response.headers]);
  assertEquals(response.headers.get("x-padding"), null);
});
