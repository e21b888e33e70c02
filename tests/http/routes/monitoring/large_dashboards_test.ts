import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { Key, Store } from "../../../../src/store/store.ts";
import { Harness } from "../../../support/harness.ts";
import type { MemoryStore } from "../../../support/fakes/memory_store.ts";
import { yaml } from "../../../support/flows/request_bodies.ts";

/** Counts the reads of single dashboards. */
function counting(store: MemoryStore, counts: { reads: number }): Store {
  return new Proxy<Store>(store, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (name === "get" && (args[0] as Key)[1] === "da") counts.reads++;
        return Reflect.apply(member, target, args);
      };
    },
  });
}

Deno.test("GET /dashboards reads the dashboards of a page while the client reads it", async () => {
  const counts = { reads: 0 };
  await using server = await Harness.start({ wrap: (store) => counting(store, counts) });
  const [charts, text] = ["charts: []", "d".repeat(55_000)];
  for (let n = 0; n < 40; n++) {
    await server.json(
      "POST",
      "/dashboards",
      yaml(`id: d${n}\ntitle: T${99 - n}\ndescription: ${text}\n${charts}\n`),
    );
  }
  counts.reads = 0;
  const { results, total } = await server.page<JsonObject>("/dashboards?size=100&sort=title:asc");
  assertEquals([results.length, total, results[0]?.id, counts.reads], [40, 40, "d39", 40]);
  counts.reads = 0;
  const response = await server.open("GET", "/dashboards?size=100");
  await response.body?.cancel();
  assertEquals(counts.reads < 40, true);
});
