import { assertEquals } from "@std/assert";
import { type AppSetup, basicHeader, startApp } from "../app_under_test.ts";

const HOSTS: [host: string, status: number][] = [
  ["localhost", 200],
  ["localhost:8080", 200],
  ["LOCALHOST:1", 200],
  ["127.0.0.1", 200],
  ["127.0.0.1:8080", 200],
  ["127.1.2.3", 200],
  ["[::1]:8080", 200],
  ["[::1]", 200],
  ["evil.example", 421],
  ["evil.example:8080", 421],
  ["localhost.evil.example", 421],
  ["127.0.0.1.evil.example", 421],
  ["128.0.0.1", 421],
  ["10.0.0.5:8080", 421],
  ["[::2]", 421],
  ["sluice.example", 421],
];

async function statusOf(setup: AppSetup, host: string, init?: RequestInit): Promise<number> {
  await using server = await startApp(setup);
  const response = await server.send(`http://${host}/api/v1/main/flows/search`, init);
  await response.body?.cancel();
  return response.status;
}

Deno.test("Guard: an unprotected server accepts only loopback names", async () => {
  for (const [host, status] of HOSTS) assertEquals(await statusOf({}, host), status, host);
});

Deno.test("Guard: an unprotected server also accepts the host of its base URL", async () => {
  const config = { baseUrl: "https://Sluice.example:8443" };
  assertEquals(await statusOf({ config }, "sluice.example:8443"), 200);
  assertEquals(await statusOf({ config }, "sluice.example"), 421);
  assertEquals(await statusOf({ config }, "localhost"), 200);
});

Deno.test("Guard: every host is accepted on a server that is open on purpose, or protected", async () => {
  const open = { noAuthExplicit: true, host: "0.0.0.0" };
  assertEquals(await statusOf({ config: open }, "10.0.0.5:8080"), 200);
  assertEquals(await statusOf({ config: { ...open, host: "127.0.0.1" } }, "evil.example"), 421);
  assertEquals(await statusOf({ config: { host: "0.0.0.0" } }, "evil.example"), 421);
  assertEquals(await statusOf({ isProtected: true }, "evil.example", { headers: basicHeader() }), 200);
});

Deno.test("Guard: the host is checked for open routes and unknown paths too", async () => {
  await using server = await startApp();
  for (const path of ["/ping", "/api/v1/configs", "/nothing", "/api/v1/executions/webhook/a/b/c"]) {
    assertEquals((await server.send(`http://evil.example${path}`)).status, 421, path);
  }
});

/** Characters that would end or change the authority of the URL. */
const BAD_HOSTS = [
  "a/b",
  "a?b",
  "a#b",
  "a\\b",
  "u@a",
  "a b",
  "a:80:80",
  "a:x",
  "[::1",
  "::1",
  'a"',
  "a, b",
  "[::1]x",
  "ä",
];
const GOOD_HOSTS = [
  "a",
  "a.b-c_d",
  "127.0.0.1:80",
  "[::1]:80",
  "[fe80::1%25eth0]",
  "xn--bcher-kva.example",
  "a:",
  "",
];

Deno.test("Guard: a malformed host is refused on every path", async () => {
  await using server = await startApp({ isProtected: true });
  for (const path of ["/ping", "/nothing", "/api/v1/flows/search", "/api/v1/executions/webhook/a/b/c"]) {
    for (const host of BAD_HOSTS.slice(0, -1)) {
      const response = await server.send(path, { headers: { host } });
      assertEquals(response.status, 400, `${host} ${path}`);
      assertEquals(
        (await response.json()).message.startsWith(`Bad Request: "${host}"`),
        true,
      );
    }
    for (const host of GOOD_HOSTS) {
      const { status } = await server.send(path, { headers: { host } });
      assertEquals(status === 400, false, `${host} ${path}`);
    }
  }
});

Deno.test("Guard: a host sent over a connection cannot choose the path", async () => {
  await using server = await startApp();
  const { promise, resolve } = Promise.withResolvers<number>();
  const listener = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: ({ port }) => resolve(port) },
    (request, info) => server.app.fetch(request, info),
  );
  for (const host of ["localhost/ping?", "localhost/ping#", "localhost?", "localhost#"]) {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: await promise });
    const head = `GET /api/v1/flows/search HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head));
    assertEquals((await new Response(connection.readable).text()).slice(0, 12), "HTTP/1.1 400", host);
  }
  for (const target of ["http://#/ping", "http://a?b/ping", "http://a b/ping"]) {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: await promise });
    const head = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head));
    assertEquals((await new Response(connection.readable).text()).slice(0, 12), "HTTP/1.1 400", target);
  }
  await listener.shutdown();
});

const SITES: [headers: Record<string, string>, status: number][] = [
  [{}, 200],
  [{ "sec-fetch-site": "same-origin" }, 200],
  [{ "sec-fetch-site": "none" }, 200],
  [{ "sec-fetch-site": "same-site" }, 403],
  [{ "sec-fetch-site": "cross-site" }, 403],
  [{ "sec-fetch-site": "something-new" }, 403],
  [{ origin: "http://localhost:8080" }, 200],
  [{ origin: "https://sluice.example" }, 200],
  [{ origin: "http://localhost" }, 403],
  [{ origin: "http://evil.example" }, 403],
  [{ origin: "http://localhost:8080.evil.example" }, 403],
  [{ origin: "null" }, 403],
  [{ origin: "" }, 403],
  [{ "sec-fetch-site": "cross-site", origin: "http://localhost:8080" }, 403],
];

Deno.test("Guard: changes requested from another site are refused", async () => {
  await using server = await startApp({ config: { baseUrl: "https://sluice.example" } });
  for (const [headers, status] of SITES) {
    const label = JSON.stringify(headers);
    const start = await server.send("/api/v1/main/executions/a/b", { method: "POST", headers });
    assertEquals(start.status, status, label);
    const read = await server.send("/api/v1/main/flows/search", { headers });
    assertEquals(read.status, 200, `GET ${label}`);
    const webhook = await server.send("/api/v1/main/executions/webhook/a/b/c", { method: "POST", headers });
    assertEquals(webhook.status, 200, `webhook ${label}`);
    assertEquals(webhook.headers.get("access-control-allow-origin"), null);
  }
});

Deno.test("Guard: credentials do not help a request from another site", async () => {
  await using server = await startApp({ isProtected: true });
  const headers = { ...basicHeader(), "sec-fetch-site": "cross-site" };
  const response = await server.send("/api/v1/main/executions/a/b", { method: "POST", headers });
  assertEquals(response.status, 403);
});

Deno.test("GET /executions/webhook refuses a prefetch, and is never cached", async () => {
  await using server = await startApp();
  const path = "/api/v1/main/executions/webhook/a/b/c";
  const purposes: [name: string, value: string][] = [
    ["sec-purpose", "prefetch;prerender"],
    ["purpose", "prefetch"],
    ["purpose", "preview"],
  ];
  for (const purpose of purposes) {
    const response = await server.send(path, { headers: [purpose] });
    assertEquals([response.status, response.headers.get("cache-control")], [403, "no-store"]);
  }
  const response = await server.send(path);
  assertEquals([response.status, response.headers.get("cache-control")], [200, "no-store"]);
});

Deno.test("OPTIONS is not a preflight: other origins are not allowed", async () => {
  await using server = await startApp();
  const headers = { origin: "http://evil.example", "access-control-request-method": "POST" };
  const response = await server.send("/api/v1/main/executions/a/b", { method: "OPTIONS", headers });
  assertEquals(response.status, 405);
  assertEquals([...response.headers.keys()].filter((name) => name.startsWith("access-control")), []);
});
