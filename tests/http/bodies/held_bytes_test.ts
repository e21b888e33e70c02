import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Hono } from "hono";
import { DomainError } from "../../../src/model/errors.ts";
import { MAX_HELD_BODY_BYTES, MAX_HELD_BODY_BYTES_PER_CALLER } from "../../../src/model/limits.ts";
import { readRequestBytes } from "../../../src/http/bodies/body.ts";
import { HeldBody, HeldBytes } from "../../../src/http/bodies/held_bytes.ts";
import { readMultipart } from "../../../src/http/bodies/multipart.ts";
import type { AppEnv } from "../../../src/http/env.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { startApp } from "../app_under_test.ts";

const ENCODER = new TextEncoder();
const FORM = { "content-type": "multipart/form-data; boundary=XX" };
const part = (name: string, content: string) =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;

/** A request whose body arrives as it is sent. */
function arriving(held: HeldBytes, holder: string | undefined, headers: HeadersInit = {}) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const request = new Request("http://localhost/", { method: "POST", body: readable, headers });
  held.attach(request, () => holder);
  return {
    request,
    send: async (text: string) => {
      await writer.write(ENCODER.encode(text));
      await settle();
    },
    end: () => writer.close(),
    breakOff: () => writer.abort(new Error("connection reset")),
  };
}

const read = (request: Request) => readRequestBytes(request, 1_000);

async function code(reading: Promise<unknown>): Promise<unknown[]> {
  const { code, retryAfter } = await assertRejects(() => reading, DomainError);
  return [code, retryAfter];
}

Deno.test("a body is refused beyond what its sender may hold, and while all hold too much", async () => {
  const held = new HeldBytes(100, 60);
  const first = arriving(held, "anna");
  const reading = read(first.request);
  await first.send("a".repeat(60));
  const second = arriving(held, "anna");
  const refused = code(read(second.request));
  await second.send("a");
  assertEquals(await refused, ["too_many_requests", 10]);
  const third = arriving(held, undefined);
  const unavailable = code(read(third.request));
  await third.send("a".repeat(41));
  assertEquals(await unavailable, ["unavailable", 10]);
  await first.end();
  assertEquals((await reading).length, 60);
});

for (
  const [end, finish] of [
    ["it has arrived", async (body, reading) => {
      await body.end();
      await reading;
    }],
    ["it broke off", async (body, reading) => {
      const refused = assertRejects(() => reading, DomainError, "broke off");
      await body.breakOff().catch(() => undefined);
      await refused;
    }],
    ["it was refused", async (body, reading) => {
      const refused = assertRejects(() => reading, DomainError, "Cannot take the body");
      await body.send("a".repeat(60));
      await refused;
    }],
  ] as readonly (readonly [
    string,
    (body: ReturnType<typeof arriving>, reading: Promise<unknown>) => Promise<void>,
  ])[]
) {
  Deno.test(`a body holds nothing once ${end}`, async () => {
    const held = new HeldBytes(100, 60);
    const body = arriving(held, "anna");
    const reading = read(body.request);
    await body.send("a".repeat(50));
    assertThrows(() => held.take("anna", 11), DomainError, "bodies of anna may hold 60 bytes");
    await finish(body, reading);
    held.take("anna", 60);
    held.take("ben", 40);
  });
}

Deno.test("a form holds the values that were read until it ends, and nothing of a file that is stored", async () => {
  const held = new HeldBytes(100, 60);
  const form = arriving(held, "anna", FORM);
  const reading = (async () => {
    for await (const each of readMultipart(form.request, { maxBytes: 10_000 })) {
      if (each.name === "value") await each.text();
      else for await (const _ of each.stream()) continue;
    }
  })();
  await form.send(part("value", "a".repeat(50)) + part("file", "a".repeat(500)));
  assertThrows(() => held.take("anna", 11), DomainError);
  held.take("anna", 10);
  held.release("anna", 10);
  await form.send("--XX--");
  await reading;
  held.take("anna", 60);
});

Deno.test("a request holds bytes for its user, or without a login for its network", async () => {
  const routes = new Hono<AppEnv>();
  routes.post("/hold", (c) => {
    using body = new HeldBody(c.req.raw);
    body.add(MAX_HELD_BODY_BYTES_PER_CALLER + 1);
    return c.json({});
  });
  const credentials = { authorization: `Basic ${btoa("admin:correct:horse")}` };
  for (
    const [isProtected, holder] of [[true, 'the user "admin"'], [false, "the network 192.0.2.1"]] as const
  ) {
    await using server = await startApp({ isProtected, tenantRoutes: [{ path: "/flows", routes }] });
    const init = { method: "POST", headers: isProtected ? credentials : {} };
    const response = await server.send("/api/v1/flows/hold", init, "192.0.2.1");
    const { message } = await response.json();
    const reason = `bodies of ${holder} may hold ${MAX_HELD_BODY_BYTES / 4} bytes while they arrive`;
    assertEquals([response.status, response.headers.get("retry-after")], [429, "10"]);
    assertEquals(
      message,
      `Cannot take the body: ${reason}; send fewer at a time`,
    );
  }
});
