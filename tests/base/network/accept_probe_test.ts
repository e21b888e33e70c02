import { assertEquals } from "@std/assert";
import { EventEmitter } from "node:events";
import type { connect } from "node:net";
import { AcceptProbe } from "../../../src/base/network/accept_probe.ts";

/** A probe whose connections are these emitters; the numbers of the sweeps that found that the server accepts nothing. */
function probeOf() {
  const sockets: (EventEmitter & { isOpen: boolean })[] = [];
  const open = () => {
    const socket = Object.assign(new EventEmitter(), {
      isOpen: true,
      end: () => {},
      unref: () => {},
      destroy: () => socket.isOpen = false,
    });
    sockets.push(socket);
    return socket;
  };
  const probe = new AcceptProbe({ hostname: "127.0.0.1", port: 1 }, open as unknown as typeof connect);
  let count = 0;
  const sweeps = (number: number): number[] =>
    Array.from({ length: number }, () => ++count).filter(() => probe.sweep());
  return { probe, sockets, sweeps };
}

Deno.test("AcceptProbe.sweep() finds a server that accepts nothing, and asks again after that", () => {
  const { sockets, sweeps } = probeOf();
  assertEquals(sweeps(30), [13, 26]);
  assertEquals(sockets.map(({ isOpen }) => isOpen), [false, false]);
});

Deno.test("AcceptProbe.sweep() connects only when no connection came for ten sweeps", () => {
  const { probe, sockets, sweeps } = probeOf();
  for (let count = 0; count < 10; count++) {
    assertEquals(sweeps(9), []);
    probe.accepted();
  }
  assertEquals(sockets.length, 0);
  sweeps(10);
  assertEquals(sockets.length, 1);
});

Deno.test("AcceptProbe.sweep() reports nothing when its connection is accepted, and closes it", () => {
  const { probe, sockets, sweeps } = probeOf();
  sweeps(11);
  probe.accepted();
  assertEquals(sweeps(9), []);
  assertEquals(sockets.map(({ isOpen }) => isOpen), [false]);
});

Deno.test("AcceptProbe.sweep() reports nothing when its own connection fails, and tries again", () => {
  const { sockets, sweeps } = probeOf();
  sweeps(10);
  sockets[0]?.emit("error", new Error("EMFILE"));
  assertEquals(sweeps(6), []);
  assertEquals(sweeps(10), [26]);
});
