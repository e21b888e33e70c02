import { assertEquals, assertStringIncludes } from "@std/assert";
import { Hono } from "hono";
import { Double } from "../../../src/base/json.ts";
import {
  readBytes,
  readJson,
  readOptionalJson,
  readText,
  requireMediaType,
} from "../../../src/http/bodies/body.ts";
import type { AppEnv } from "../../../src/http/env.ts";
import { startApp } from "../app_under_test.ts";

const MAX_BYTES = 100;

function startBodyApp() {
  const routes = new Hono<AppEnv>();
  routes.post("/text", async (c) => c.json({ text: await readText(c, MAX_BYTES) }));
  routes.post("/bytes", async (c) => c.json({ length: (await readBytes(c, MAX_BYTES)).length }));
  routes.post("/json", async (c) => {
    const value = await readJson(c);
    return c.json({ value, isDouble: value instanceof Double });
  });
  routes.post("/optional", async (c) => c.json({ value: await readOptionalJson(c, MAX_BYTES) ?? "none" }));
  routes.post("/typed", (c) => {
    requireMediaType(c, "application/json", "text/plain");
    return c.json({});
  });
  return startApp({ tenantRoutes: [{ path: "/flows", routes }] });
}

/** A body without a declared length, in chunks of 30 bytes. */
function chunked(length: number): ReadableStream<Uint8Array> {
  let left = length;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(left, 30);
      left -= size;
      if (size === 0) controller.close();
      else controller.enqueue(new Uint8Array(size).fill(97));
    },
  });
}

Deno.test("readText() accepts what fits, and refuses the rest with the limit", async () => {
  await using server = await startBodyApp();
  const send = (body: BodyInit | null, headers: Record<string, string> = {}) =>
    server.send("/api/v1/flows/text", { method: "POST", body, headers });
  for (const length of [0, 1, 99, 100]) {
    for (const body of ["a".repeat(length), chunked(length)]) {
      const response = await send(body);
      assertEquals((await response.json()).text.length, length);
    }
  }
  for (const body of ["a".repeat(101), chunked(101), chunked(10_000)]) {
    const response = await send(body);
    assertEquals(response.status, 413);
    assertStringIncludes((await response.json()).message, "100 bytes");
  }
  const declared = await send("a", { "content-length": "101" });
  assertEquals(declared.status, 413);
  assertEquals(await (await send(null)).json(), { text: "" });
  assertEquals(await (await send("é€😀")).json(), { text: "é€😀" });
});

Deno.test("readBytes() returns what was sent", async () => {
  await using server = await startBodyApp();
  const response = await server.send("/api/v1/flows/bytes", { method: "POST", body: chunked(77) });
  assertEquals(await response.json(), { length: 77 });
});

Deno.test("readText() takes a body that breaks off for the caller's doing", async () => {
  await using server = await startBodyApp();
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new Error("connection reset"));
    },
  });
  const response = await server.send("/api/v1/flows/text", { method: "POST", body });
  assertEquals(response.status, 400);
  await response.body?.cancel();
});

Deno.test("readJson() keeps number kinds and refuses invalid JSON", async () => {
  await using server = await startBodyApp();
  const send = (path: string, body: string) => server.send(`/api/v1/flows/${path}`, { method: "POST", body });
  assertEquals(await (await send("json", "2.0")).json(), { value: 2, isDouble: true });
  assertEquals(await (await send("json", '{"a":[1,null]}')).json(), {
    value: { a: [1, null] },
    isDouble: false,
  });
  for (const body of ["", "  ", "{", "{'a':1}", "undefined"]) {
    const response = await send("json", body);
    assertEquals(response.status, 422, body);
    assertStringIncludes((await response.json()).message, "Invalid json: ");
  }
  assertEquals(await (await send("optional", " \n")).json(), { value: "none" });
  assertEquals(await (await send("optional", "1")).json(), { value: 1 });
  assertEquals((await send("optional", "{")).status, 422);
});

Deno.test("readJson() refuses a body of more than 500 levels", async () => {
  await using server = await startBodyApp();
  const send = async (levels: number) => {
    const body = `${"[".repeat(levels)}1.5${"]".repeat(levels)}`;
    const response = await server.send("/api/v1/flows/json", { method: "POST", body });
    return [response.status, (await response.json()).message];
  };
  assertEquals(await send(500), [200, undefined]);
  const reason = "Invalid json: the body is nested deeper than 500 levels; send flatter values";
  assertEquals(await send(501), [422, reason]);
});

Deno.test("requireMediaType() refuses other types with 415", async () => {
  await using server = await startBodyApp();
  const types: [type: string, status: number][] = [
    ["application/json", 200],
    ["Application/JSON; charset=utf-8", 200],
    ["text/plain", 200],
    ["application/x-www-form-urlencoded", 415],
    ["application/json-seq", 415],
  ];
  for (const [type, status] of types) {
    const response = await server.send("/api/v1/flows/typed", {
      method: "POST",
      headers: { "content-type": type },
    });
    assertEquals(response.status, status, type);
    await response.body?.cancel();
  }
  const response = await server.send("/api/v1/flows/typed", { method: "POST" });
  assertEquals(response.status, 200);
});
