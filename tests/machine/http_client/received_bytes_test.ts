import { assertEquals, assertRejects } from "@std/assert";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { ReceivedBytes } from "../../../src/machine/http_client/received_bytes.ts";

const CHUNK = new Uint8Array(256 * 1024);

/** A socket that notes whether it is paused. */
class FakeSocket extends EventEmitter {
  isPaused = false;

  pause(): void {
    this.isPaused = true;
  }

  resume(): this {
    this.isPaused = false;
    return this;
  }
}

function setUp() {
  const socket = new FakeSocket(), source = new FakeSocket();
  const received = new ReceivedBytes(socket as unknown as Socket, source as unknown as Socket);
  return { socket, source, received };
}

Deno.test("ReceivedBytes pauses the source at 1 MiB until less than 512 KiB are left, and never the socket", async () => {
  const { socket, source, received } = setUp();
  const paused: boolean[] = [];
  const note = () => paused.push(source.isPaused);
  for (let chunk = 0; chunk < 4; chunk++) {
    socket.emit("data", CHUNK);
    note();
  }
  for (let chunk = 0; chunk < 4; chunk++) {
    assertEquals(await received.next(), CHUNK);
    note();
  }
  assertEquals(paused, [false, false, false, true, true, true, false, false]);
  assertEquals(socket.isPaused, false);
});

Deno.test("ReceivedBytes.next() waits for bytes, gives those before the end, and then undefined", async () => {
  const { socket, received } = setUp();
  const first = received.next();
  socket.emit("data", CHUNK);
  assertEquals(await first, CHUNK);
  socket.emit("data", CHUNK);
  socket.emit("end");
  socket.emit("close");
  assertEquals([await received.next(), await received.next(), await received.next()], [
    CHUNK,
    undefined,
    undefined,
  ]);
});

Deno.test("ReceivedBytes.next() fails when the socket is closed before its end", async () => {
  const { socket, received } = setUp();
  const waiting = received.next();
  socket.emit("close");
  await assertRejects(() => waiting, Error, "the connection was closed before its end");
});

Deno.test("ReceivedBytes.leave() takes no more bytes", () => {
  const { socket, received } = setUp();
  received.leave();
  assertEquals([socket.listenerCount("data"), socket.isPaused], [0, true]);
});
