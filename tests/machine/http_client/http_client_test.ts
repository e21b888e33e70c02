/** The client on a server that does not always behave. */
import { assertEquals, assertLess, assertMatch, assertRejects } from "@std/assert";
import { joinBytes } from "../../../src/base/bytes.ts";
import type { CancelTimer } from "../../../src/base/time/clock.ts";
import { readHttpOptions } from "../../../src/model/http/http_options.ts";
import { responseText } from "../../../src/model/http/http_text.ts";
import {
  HttpError,
  type HttpOptions,
  type HttpRequest,
  type HttpResponse,
} from "../../../src/model/ports/http.ts";
import { HttpClient, type HttpClientOptions } from "../../../src/machine/http_client/http_client.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { freePort } from "../../support/processes/free_port.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../../support/processes/self_signed.ts";
import {
  answer,
  type Behaviour,
  MisbehavingServer,
  writeAll,
} from "../../support/servers/misbehaving_server.ts";

function client(options: Partial<HttpClientOptions> = {}): HttpClient {
  return new HttpClient({ clock: new FakeClock(), random: () => 0.5, userAgent: "sluice/test", ...options });
}

function request(
  uri: string,
  further: Partial<Omit<HttpRequest, "options">> & { readonly options?: Partial<HttpOptions> } = {},
): HttpRequest {
  return {
    method: "GET",
    uri,
    headers: [],
    ...further,
    options: { ...readHttpOptions({}), ...further.options },
  };
}

function textBody(text: string): NonNullable<HttpRequest["body"]> {
  const bytes = new TextEncoder().encode(text);
  const content = async function* () {
    yield bytes;
  };
  return { contentType: "text/plain", size: bytes.length, open: content };
}

async function finished(sent: HttpResponse): Promise<string> {
  return `${sent.code} ${await responseText(sent)}`;
}

interface AnswerCase {
  readonly name: string;
  readonly sent: string | Behaviour;
  readonly method?: string;
  readonly options?: Partial<HttpOptions>;
  readonly expected: string | RegExp;
}

const gzipped = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(
    await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  );

/** Sends texts as the members of a body in gzip. */
function zipped(...texts: readonly string[]): AnswerCase["sent"] {
  return async (_, connection) => {
    const body = joinBytes(await Promise.all(texts.map(gzipped)));
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
    await writeAll(connection, head);
    await writeAll(connection, body);
  };
}

const ANSWERS: readonly AnswerCase[] = [
  { name: "a length", sent: answer(200, "héllo"), expected: "200 héllo" },
  {
    name: "no length: the end of the connection ends it",
    sent: "HTTP/1.0 200 OK\r\n\r\nrest",
    expected: "200 rest",
  },
  {
    name: "chunks, with trailers",
    sent:
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n",
    expected: "200 abc0123456789",
  },
  {
    name: "interim responses",
    sent: `HTTP/1.1 103 Early\r\nLink: x\r\n\r\n${answer(201, "now")}`,
    expected: "201 now",
  },
  { name: "204 without a body", sent: "HTTP/1.1 204 None\r\nContent-Length: 7\r\n\r\n", expected: "204 " },
  { name: "HEAD", method: "HEAD", sent: "HTTP/1.1 200 OK\r\nContent-Length: 512\r\n\r\n", expected: "200 " },
  {
    name: "a body that is too large",
    sent: answer(200, "x".repeat(50)),
    options: { maxBytes: 49 },
    expected: /the response is larger than 49 bytes$/,
  },
  {
    name: "an answer of 64 KiB that is allowed",
    sent: answer(200, "x".repeat(65_536)),
    expected: `200 ${"x".repeat(65_536)}`,
  },
  {
    name: "a body in gzip",
    sent: zipped("packed"),
    expected: "200 packed",
  },
  {
    name: "a body in gzip of several members",
    sent: zipped("pac", "ked"),
    expected: "200 packed",
  },
  {
    name: "a bomb in gzip",
    sent: zipped("0".repeat(5_000_000)),
    options: { maxBytes: 1_000_000 },
    expected: /the response is larger than 1000000 bytes$/,
  },
  {
    name: "a body that is not what its encoding says",
    sent: answer(200, "plain", { "Content-Encoding": "gzip" }),
    expected: /the response cannot be decompressed$/,
  },
  {
    name: "a body that breaks off",
    sent: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
    expected: /the response is incomplete$/,
  },
  {
    name: "chunks that break off",
    sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
    expected: /the response is incomplete$/,
  },
  {
    name: "a chunk without a size",
    sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    expected: /the response has a chunk without a size$/,
  },
  {
    name: "two lengths",
    sent: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    expected: /contradicting lengths$/,
  },
  { name: "no response", sent: "", expected: /the server closed the connection without a response$/ },
  { name: "half a head", sent: "HTTP/1.1 200 OK\r\nContent-", expected: /the response is incomplete$/ },
  { name: "something else", sent: "SSH-2.0-x\r\n\r\n", expected: /the server does not speak HTTP\/1.1$/ },
  {
    name: "headers without end",
    sent: `HTTP/1.1 200 OK\r\nX: ${"x".repeat(70_000)}\r\n\r\n`,
    expected: /the headers of the response are too large$/,
  },
];

for (const { name, sent, method = "GET", options, expected } of ANSWERS) {
  Deno.test(`HttpClient.send() reads ${name}`, async () => {
    await using server = new MisbehavingServer(typeof sent === "string" ? () => sent : sent);
    const outcome = client().send(request(`${server.url}/a`, { method, options })).then(finished);
    if (typeof expected === "string") return assertEquals(await outcome, expected);
    const error = await assertRejects(() => outcome, HttpError);
    assertMatch(error.message, expected);
    assertMatch(error.message, /^Cannot (GET|HEAD) "http:\/\/127\.0\.0\.1:\d+\/a": /);
  });
}

Deno.test("HttpClient.send() sends a POST once, also when the server hangs up", async () => {
  await using server = new MisbehavingServer((_, connection) => connection.close());
  for (let count = 1; count <= 20; count++) {
    const post = request(server.url, { method: "POST", body: textBody("pay") });
    await assertRejects(() => client().send(post), HttpError);
    assertEquals(server.requests.length, count);
  }
  assertEquals(server.requests[0]?.body, "pay");
});

Deno.test("HttpClient.send() writes the given headers, and its own for missing ones", async () => {
  await using server = new MisbehavingServer(() => answer(200, ""));
  const headers = [["X-A", "1"], ["X-A", "2"], ["user-agent", "mine"], ["Content-Length", "999"]] as const;
  await finished(
    await client().send(request(`${server.url}/p?q=1#f`, { method: "PUT", headers, body: textBody("abc") })),
  );
  assertEquals(server.requests[0]?.head.split("\r\n"), [
    "PUT /p?q=1 HTTP/1.1",
    `Host: 127.0.0.1:${server.port}`,
    "Accept: */*",
    "Accept-Encoding: gzip",
    "Content-Type: text/plain",
    "X-A: 1",
    "X-A: 2",
    "user-agent: mine",
    "Content-Length: 3",
    "Connection: close",
  ]);
});

Deno.test("HttpClient.send() sends a body of unknown size in chunks", async () => {
  await using server = new MisbehavingServer(() => answer(200, ""));
  const body = { ...textBody("abc"), size: undefined };
  await finished(await client().send(request(server.url, { method: "POST", body })));
  assertEquals(server.requests[0]?.body, "3\r\nabc\r\n0\r\n\r\n");
});

const REFUSED_HEADERS: readonly (readonly [string, string])[] = [
  ["X", "a\r\nY: b"],
  ["X\r\nY", "a"],
  ["", "a"],
  ["a b", "c"],
];

for (const [name, value] of REFUSED_HEADERS) {
  Deno.test(`HttpClient.send() refuses the header ${JSON.stringify([name, value])}`, async () => {
    await using server = new MisbehavingServer(() => answer(200, ""));
    await assertRejects(() => client().send(request(server.url, { headers: [[name, value]] })), HttpError);
    assertEquals(server.requests, []);
  });
}

Deno.test("HttpClient.send() keeps each header once, as a list, named as first sent", async () => {
  const text =
    "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nX-Folded: a\r\n b\r\nContent-Length: 0\r\n\r\n";
  await using server = new MisbehavingServer(() => text);
  const sent = await client().send(request(server.url));
  await finished(sent);
  assertEquals([...sent.headers], [["Set-Cookie", ["a=1", "b=2"]], ["X-Folded", ["a b"]], ["Content-Length", [
    "0",
  ]]]);
});

interface RedirectCase {
  readonly code: number;
  readonly method: string;
  readonly expected: string;
}

const REDIRECTS: readonly RedirectCase[] = [
  { code: 301, method: "POST", expected: "GET " },
  { code: 302, method: "POST", expected: "GET " },
  { code: 303, method: "PUT", expected: "GET " },
  { code: 307, method: "POST", expected: "POST body" },
  { code: 308, method: "PUT", expected: "PUT body" },
  { code: 302, method: "PUT", expected: "PUT body" },
];

for (const { code, method, expected } of REDIRECTS) {
  Deno.test(`HttpClient.send() follows ${code} of a ${method}`, async () => {
    await using server = new MisbehavingServer(({ head }) =>
      head.includes(" /from ") ? answer(code, "", { Location: "to?x=1" }) : answer(200, "there")
    );
    const sent = await client().send(request(`${server.url}/from`, { method, body: textBody("body") }));
    assertEquals(await finished(sent), "200 there");
    assertEquals(sent.uri, `${server.url}/to?x=1`);
    const [, second] = server.requests;
    assertEquals(`${second?.head.split(" ")[0]} ${second?.body}`, expected);
  });
}

/** The name of a character set, and the bytes of `é` in it. */
const LOCATIONS: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ["UTF-8", [0xc3, 0xa9]],
  ["ISO-8859-1", [0xe9]],
];

for (const [name, bytes] of LOCATIONS) {
  Deno.test(`HttpClient.send() follows a redirection whose location has bytes of ${name}`, async () => {
    await using server = new MisbehavingServer(async ({ head }, connection) => {
      if (!head.includes(" /from ")) return answer(200, "there");
      await writeAll(connection, "HTTP/1.1 302 Found\r\nLocation: /caf");
      await writeAll(connection, new Uint8Array(bytes));
      await writeAll(connection, "\r\nContent-Length: 0\r\n\r\n");
    });
    await finished(await client().send(request(`${server.url}/from`)));
    assertMatch(server.requests[1]?.head ?? "", /^GET \/caf%C3%A9 /);
  });
}

Deno.test("HttpClient.send() returns the redirection itself when it must not follow it", async () => {
  await using server = new MisbehavingServer(() => answer(302, "moved", { Location: "/to" }));
  const sent = await client().send(request(server.url, { options: { followRedirects: false } }));
  assertEquals(await finished(sent), "302 moved");
});

Deno.test("HttpClient.send() ends a circle of redirections", async () => {
  await using server = new MisbehavingServer(() => answer(302, "", { Location: "/again" }));
  await assertRejects(() => client().send(request(server.url)), HttpError, "more than 20 redirections");
});

Deno.test("HttpClient.send() does not hand credentials to another server", async () => {
  await using other = new MisbehavingServer(() => answer(200, "other"));
  await using server = new MisbehavingServer(() => answer(302, "", { Location: `${other.url}/` }));
  const names = ["x-api-key", "api-key", "apikey", "x-goog-api-key", "x-clickhouse-key", "PRIVATE-TOKEN"];
  names.push("X-Sentry-Auth", "Mcp-Session-Id", "X-Amz-Security-Token", "X-Client-Secret");
  const headers = [
    ["Cookie", "a=1"],
    ["X-Kept", "yes"],
    ...names.map((name) => [name, "secret"] as const),
  ] as const;
  const auth = { type: "BEARER", token: "secret" } as const;
  await finished(await client().send(request(server.url, { headers, options: { auth } })));
  assertMatch(server.requests[0]?.head ?? "", /^Authorization: Bearer secret$/m);
  const second = other.requests[0]?.head ?? "";
  assertEquals([/secret|cookie/i.exec(second), /X-Kept: yes/.test(second)], [null, true]);
});

Deno.test("HttpClient.send() does not follow a redirection to another protocol", async () => {
  await using server = new MisbehavingServer(() => answer(302, "", { Location: "file:///etc/passwd" }));
  await assertRejects(() => client().send(request(server.url)), HttpError, 'leads to "file:"');
});

/** Base64 of `u:p`. */
const BASIC = /^Authorization: Basic dTpw\r?$/m;

Deno.test("HttpClient.send() sends basic credentials of the options, or of the address", async () => {
  await using server = new MisbehavingServer(() => answer(200, ""));
  const auth = { type: "BASIC", username: "u", password: "p" } as const;
  await finished(await client().send(request(server.url, { options: { auth } })));
  await finished(await client().send(request(server.url.replace("//", "//u:p@"))));
  for (const { head } of server.requests) assertMatch(head, BASIC);
});

Deno.test("HttpClient.send() sends credentials of the address that are not encoded UTF-8 as they are", async () => {
  await using server = new MisbehavingServer(() => answer(200, ""));
  await finished(await client().send(request(server.url.replace("//", "//%ff:p@"))));
  assertMatch(server.requests[0]?.head ?? "", new RegExp(`^Authorization: Basic ${btoa("%ff:p")}\r?$`, "m"));
});

Deno.test("HttpClient.send() repeats a request after a digest challenge", async () => {
  await using server = new MisbehavingServer(({ head }) =>
    /^Authorization: Digest /m.test(head)
      ? answer(200, "in")
      : answer(401, "", { "WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256' })
  );
  const auth = { type: "DIGEST", username: "u", password: "p" } as const;
  assertEquals(
    await finished(await client().send(request(`${server.url}/x`, { options: { auth } }))),
    "200 in",
  );
  assertMatch(server.requests[1]?.head ?? "", /uri="\/x".*response="[0-9a-f]{64}".*qop=auth/);
});

/** Servers that send too much, and the errors. */
const FLOODS: readonly (readonly [name: string, head: string])[] = [
  ["10 GB, and says so", "Content-Length: 10737418240"],
  ["10 GB, and does not say so", "Connection: close"],
];

for (const [name, head] of FLOODS) {
  Deno.test(`HttpClient.send() hangs up on a server that sends ${name}`, async () => {
    let sent = 0;
    const hungUp = Promise.withResolvers<void>();
    await using server = new MisbehavingServer(async (_, connection) => {
      await writeAll(connection, `HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
      const chunk = new Uint8Array(65_536);
      try {
        for (; sent < 10_737_418_240; sent += chunk.length) await writeAll(connection, chunk);
      } finally {
        hungUp.resolve();
      }
    });
    const outcome = client().send(request(server.url, { options: { maxBytes: 1_000_000 } })).then(finished);
    await assertRejects(() => outcome, HttpError, "the response is larger than 1000000 bytes");
    await hungUp.promise;
    assertLess(sent, 100_000_000);
  });
}

Deno.test("HttpClient.send() fails when a server falls silent within the body", async () => {
  const silent = Promise.withResolvers<void>();
  await using server = new MisbehavingServer(async (_, connection) => {
    await writeAll(connection, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    await silent.promise;
  });
  const clock = new FakeClock();
  const options = { readIdleTimeoutMs: 5_000 };
  const sent = await client({ clock }).send(request(server.url, { options }));
  const refused = assertRejects(() => finished(sent), HttpError, "no data within PT5S");
  await settle();
  await clock.advance(5_000);
  await refused;
  silent.resolve();
});

Deno.test("HttpClient.send() waits for a slow server as long as bytes arrive", async () => {
  const parts = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
  await using server = new MisbehavingServer(async (_, connection) => {
    await writeAll(connection, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
    for (const part of parts) {
      await part.promise;
      await writeAll(connection, "x");
    }
  });
  const clock = new FakeClock();
  const { body } = await client({ clock }).send(
    request(server.url, { options: { readIdleTimeoutMs: 5_000 } }),
  );
  const reader = body.getReader();
  for (const part of parts) {
    const reading = reader.read();
    await clock.advance(4_999);
    part.resolve();
    assertEquals((await reading).value?.length, 1);
  }
  assertEquals((await reader.read()).done, true);
});

Deno.test("HttpClient.send() reports a connection that is reset", async () => {
  const reset = Promise.withResolvers<void>();
  await using server = new MisbehavingServer(async (_, connection) => {
    await reset.promise;
    connection.close();
  });
  // What the server has not read when it closes makes its side reset the connection.
  const post = request(server.url, { method: "POST", body: textBody("x".repeat(5_000_000)) });
  const refused = assertRejects(() => client().send(post), HttpError, "Cannot POST");
  await settle();
  reset.resolve();
  await refused;
});

Deno.test("HttpClient.send() sends a POST once to a server that keeps a connection and then hangs up", async () => {
  await using server = new MisbehavingServer(async ({ body }, connection) => {
    if (body === "first") await writeAll(connection, answer(200, "kept", { Connection: "keep-alive" }));
  });
  const kept = client();
  const post = (body: string) => kept.send(request(server.url, { method: "POST", body: textBody(body) }));
  for (let count = 1; count <= 20; count++) {
    assertEquals(await finished(await post("first")), "200 kept");
    await assertRejects(() => post("second"), HttpError, "closed the connection without a response");
    assertEquals(server.requests.length, 2 * count);
  }
});

Deno.test("HttpClient.send() fails when a server sends nothing", async () => {
  const silent = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using server = new MisbehavingServer(() => (asked.resolve(), silent.promise));
  const clock = new FakeClock();
  const sending = client({ clock }).send(request(server.url, { options: { readIdleTimeoutMs: 5_000 } }));
  const refused = assertRejects(() => sending, HttpError, "no data within PT5S");
  await asked.promise;
  await settle();
  await clock.advance(5_000);
  await refused;
  assertEquals(clock.timerCount, 0);
  silent.resolve();
});

Deno.test("HttpClient.send() stops when its signal is aborted", async () => {
  const silent = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using server = new MisbehavingServer(() => (asked.resolve(), silent.promise));
  const controller = new AbortController();
  const sending = client().send(request(server.url, { signal: controller.signal }));
  const refused = assertRejects(() => sending, HttpError, "the request was stopped");
  await asked.promise;
  controller.abort();
  await refused;
  silent.resolve();
});

Deno.test("HttpClient.send() of a request that was stopped before connects nowhere", async () => {
  await using server = new MisbehavingServer(() => answer(200, ""));
  await assertRejects(() => client().send(request(server.url, { signal: AbortSignal.abort() })), HttpError);
  assertEquals(server.requests, []);
});

/** A clock whose one timer rings when the test says so, also while a connection is being made. */
class RingingClock extends FakeClock {
  ring = () => {};

  override setTimer(delayMs: number, callback: () => void): CancelTimer {
    this.ring = () => {
      this.jump(delayMs);
      callback();
    };
    return () => {
      this.ring = () => {};
    };
  }
}

for (const protocol of ["http", "https"]) {
  Deno.test(`HttpClient.send() over ${protocol} closes a connection that comes too late`, async () => {
    await using server = new MisbehavingServer(() => answer(200, "late"));
    const clock = new RingingClock();
    const uri = server.url.replace("http:", `${protocol}:`);
    const sending = client({ clock }).send(request(uri, { options: { connectTimeoutMs: 2_000 } }));
    clock.ring();
    await assertRejects(() => sending, HttpError, "no connection within PT2S");
    assertEquals(server.requests, []);
  });

  Deno.test(`HttpClient.send() over ${protocol} stops while it connects`, async () => {
    await using server = new MisbehavingServer(() => answer(200, "late"));
    const controller = new AbortController();
    const uri = server.url.replace("http:", `${protocol}:`);
    const sending = client().send(request(uri, { signal: controller.signal }));
    controller.abort();
    await assertRejects(() => sending, HttpError, "the request was stopped");
    assertEquals(server.requests, []);
  });
}

Deno.test("HttpClient.send() fails when a server does not read the request", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const clock = new FakeClock();
  const options = { readIdleTimeoutMs: 5_000 };
  const body = textBody("x".repeat(30_000_000));
  const sending = client({ clock }).send(
    request(`http://127.0.0.1:${port}`, { method: "POST", body, options }),
  );
  const refused = assertRejects(() => sending, HttpError, "no data within PT5S");
  const connection = await listener.accept();
  // The limit runs once something is sent.
  await connection.read(new Uint8Array(1));
  await clock.advance(10_000);
  await refused;
  connection.close();
  listener.close();
});

Deno.test("HttpClient.send() delivers the received part of a body whose rest is cancelled", async () => {
  const silent = Promise.withResolvers<void>();
  await using server = new MisbehavingServer(async (_, connection) => {
    await writeAll(connection, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    await silent.promise;
  });
  const clock = new FakeClock();
  const { body } = await client({ clock }).send(request(server.url));
  const reader = body.getReader();
  assertEquals(new TextDecoder().decode((await reader.read()).value), "half");
  await reader.cancel();
  assertEquals(clock.timerCount, 0);
  silent.resolve();
});

Deno.test("HttpClient.send() says why there is no response, without credentials", async () => {
  const port = freePort();
  const error = await assertRejects(
    () => client().send(request(`http://u:secret@127.0.0.1:${port}/a`)),
    HttpError,
  );
  assertEquals(error.message, `Cannot GET "http://127.0.0.1:${port}/a": the connection was refused`);
});

Deno.test("HttpClient.send() does not repeat the password of a malformed address, or of that of a proxy", async () => {
  const proxy = { type: "HTTP", address: "http://u:secret@proxy.test", port: 1 } as const;
  const failing = [request("http://u:secret@h:99999/"), request("http://far.test/", { options: { proxy } })];
  for (const each of failing) {
    const { message } = await assertRejects(() => client().send(each), HttpError);
    assertEquals(message.includes("secret"), false, message);
  }
});

const PLACES: readonly (readonly [address: string, isAllowed: boolean])[] = [
  ["http://169.254.169.254/latest/meta-data", false],
  ["http://2852039166/", false],
  ["http://0xa9fea9fe/", false],
  ["http://0251.0376.0251.0376/", false],
  ["http://[::ffff:169.254.169.254]/", false],
  ["http://[64:ff9b::a9fe:a9fe]/", false],
  ["http://[2002:a9fe:a9fe::1]/", false],
  ["http://[fe80::1]/", false],
  ["http://[fd00:ec2::254]/", false],
  ["http://100.100.100.200/", false],
  ["http://metadata.test/", false],
  ["http://rebound.test/", true],
];

for (const [address, isAllowed] of PLACES) {
  Deno.test(`HttpClient.send() ${isAllowed ? "reaches" : "does not reach"} ${address}`, async () => {
    await using server = new MisbehavingServer(() => answer(200, "here"));
    const names = new Map([["metadata.test", ["169.254.169.254"]], ["rebound.test", [
      "169.254.169.254",
      "127.0.0.1",
    ]]]);
    const resolve = (host: string) => Promise.resolve(names.get(host) ?? []);
    const uri = new URL(address);
    if (isAllowed) uri.port = String(server.port);
    const sending = client({ resolve }).send(request(uri.href));
    if (isAllowed) return assertEquals(await finished(await sending), "200 here");
    await assertRejects(() => sending, HttpError, "may not be reached from here");
  });
}

Deno.test("HttpClient.send() resolves a name once, and connects to the address that was checked", async () => {
  await using server = new MisbehavingServer(() => answer(200, "here"));
  let count = 0;
  const resolve = () => Promise.resolve([count++ === 0 ? "127.0.0.1" : "169.254.169.254"]);
  assertEquals(
    await finished(await client({ resolve }).send(request(`http://a.test:${server.port}`))),
    "200 here",
  );
  assertEquals(count, 1);
});

Deno.test("HttpClient.send() checks the address of each redirection", async () => {
  await using server = new MisbehavingServer(() => answer(302, "", { Location: "http://169.254.169.254/" }));
  await assertRejects(() => client().send(request(server.url)), HttpError, "may not be reached from here");
});

Deno.test("HttpClient.send() obeys the rules of the server, and exceptions win", async () => {
  await using server = new MisbehavingServer(() => answer(200, "here"));
  const denied = client({ addresses: { deny: ["loopback"] } });
  await assertRejects(() => denied.send(request(server.url)), HttpError, "may not be reached from here");
  const allowed = client({ addresses: { deny: ["all"], allow: ["127.0.0.1"] } });
  assertEquals(await finished(await allowed.send(request(server.url))), "200 here");
});

Deno.test("HttpClient.send() goes through an HTTP proxy", async () => {
  await using proxy = new MisbehavingServer(() => answer(200, "by proxy"));
  const options = {
    proxy: { type: "HTTP", address: "127.0.0.1", port: proxy.port, username: "u", password: "p" },
  } as const;
  assertEquals(
    await finished(await client().send(request("http://far.test/a?b", { options }))),
    "200 by proxy",
  );
  const head = proxy.requests[0]?.head ?? "";
  assertMatch(head, /^GET http:\/\/far\.test\/a\?b HTTP\/1\.1\r\nHost: far\.test\r\n/);
  assertMatch(head, /^Proxy-Authorization: Basic dTpw\r?$/m);
});

Deno.test("HttpClient.send() connects to the address of a proxy as it has read it", async () => {
  await using proxy = new MisbehavingServer(
    () => answer(200, "by proxy"),
    Deno.listen({ hostname: "127.0.0.10", port: 0 }),
  );
  const options = { proxy: { type: "HTTP", address: "127.0.0.010", port: proxy.port } } as const;
  assertEquals(
    await finished(await client().send(request("http://far.test/", { options }))),
    "200 by proxy",
  );
});

Deno.test("HttpClient.send() asks an HTTP proxy for a tunnel where the address is https", async () => {
  await using proxy = new MisbehavingServer(() => "HTTP/1.1 407 No\r\n\r\n");
  const options = { proxy: { type: "HTTP", address: "127.0.0.1", port: proxy.port } } as const;
  await assertRejects(
    () => client().send(request("https://far.test/", { options })),
    HttpError,
    "the proxy responded with 407",
  );
  assertMatch(proxy.requests[0]?.head ?? "", /^CONNECT far\.test:443 HTTP\/1\.1\r\nHost: far\.test:443/);
});

Deno.test("HttpClient.send() goes through a SOCKS proxy, which resolves the name", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const asked: number[][] = [];
  const serving = (async () => {
    using connection = await listener.accept();
    for (const reply of ["\x05\x02", "\x01\x00", "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"]) {
      asked.push(await readBytes(connection));
      await writeAll(connection, reply);
    }
    await readBytes(connection);
    await writeAll(connection, answer(200, "far"));
  })();
  const { port } = listener.addr as Deno.NetAddr;
  const options = {
    proxy: { type: "SOCKS", address: "127.0.0.1", port, username: "u", password: "p" },
  } as const;
  assertEquals(await finished(await client().send(request("http://far.test/", { options }))), "200 far");
  await serving;
  listener.close();
  const name = [...new TextEncoder().encode("far.test")];
  assertEquals(asked, [[5, 2, 0, 2], [1, 1, 117, 1, 112], [5, 1, 0, 3, 8, ...name, 0, 80]]);
});

async function readBytes(connection: Deno.Conn): Promise<number[]> {
  const buffer = new Uint8Array(4_096);
  return [...buffer.subarray(0, await connection.read(buffer) ?? 0)];
}

Deno.test("HttpClient.send() checks certificates, unless the flow says otherwise", async () => {
  const listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: SELF_SIGNED_CERT,
    key: SELF_SIGNED_KEY,
  });
  await using server = new MisbehavingServer(() => answer(200, "safe"), listener);
  const uri = `https://127.0.0.1:${server.port}/`;
  await assertRejects(() => client().send(request(uri)), HttpError, "certificate");
  assertEquals(server.requests, []);
  assertEquals(
    await finished(await client().send(request(uri, { options: { isInsecure: true } }))),
    "200 safe",
  );
});
