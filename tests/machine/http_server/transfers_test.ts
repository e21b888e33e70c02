/** When a body counts as stalled. */
import { assertEquals } from "@std/assert";
import { Transfers } from "../../../src/machine/http_server/transfers.ts";

function startTransfer() {
  const transfers = new Transfers();
  let stalls = 0;
  const transfer = transfers.watch(30, () => stalls++);
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) transfers.sweep();
    return stalls;
  };
  return { transfers, transfer, pass };
}

Deno.test("Transfers: a client that is waited for 30 s has stalled, once", () => {
  const { transfers, transfer, pass } = startTransfer();
  transfer.wait();
  assertEquals([pass(29), pass(1), pass(100), transfers.count], [0, 1, 1, 0]);
});

Deno.test("Transfers: a client that moves a byte a second has stalled", () => {
  const { transfer, pass } = startTransfer();
  for (let second = 0; second < 30; second++) {
    transfer.wait();
    pass(1);
    transfer.moved(1);
  }
  assertEquals(pass(0), 1);
});

Deno.test("Transfers: a slow client that moves 1,024 bytes within 30 s continues", () => {
  const { transfer, pass } = startTransfer();
  for (let round = 0; round < 100; round++) {
    transfer.wait();
    assertEquals(pass(29), 0);
    transfer.moved(1_024);
  }
});

Deno.test("Transfers: time in which the server works does not count", () => {
  const { transfer, pass } = startTransfer();
  transfer.wait();
  transfer.moved(10);
  assertEquals(pass(1_000), 0);
});

Deno.test("Transfers: a transfer that has ended is forgotten", () => {
  const { transfers, transfer, pass } = startTransfer();
  transfer.wait();
  transfer.end();
  transfer.end();
  assertEquals([pass(100), transfers.count], [0, 0]);
});
