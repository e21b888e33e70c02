/** How bulk saves check their documents, and when they read what they deleted. */
import { assertEquals } from "@std/assert";
import { setImmediate } from "node:timers";
import type { Flows } from "../../../src/services/flows/flows.ts";
import { FlowBulk } from "../../../src/services/flows/flow_bulk.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const ACTOR = { tenant: "main", user: "u" };
const DOCUMENTS = Array.from({ length: 20 }, (_, n) => `id: f${n}\nnamespace: demo\n`);

/** Flows of which each check takes as long as a turn; notes the calls. */
function flowsOf(clock: FakeClock, calls: string[]): Flows {
  const keyOf = (source: string) => ({ id: source.slice(4, source.indexOf("\n")), namespace: "demo" });
  return {
    check: (_actor: unknown, source: string) => {
      calls.push(`check ${keyOf(source).id}`);
      clock.jump(4);
      return Promise.resolve({ ...keyOf(source), source });
    },
    putChecked: (_actor: unknown, { id, namespace }: { id: string; namespace: string }) => {
      calls.push(`save ${id}`);
      return Promise.resolve({ id, namespace });
    },
    select: () => [],
  } as unknown as Flows;
}

Deno.test("FlowBulk.update() checks each document once, with turns for other work, before it saves the first one", async () => {
  const clock = new FakeClock(), calls: string[] = [];
  const options = { delete: false, allowNamespaceChild: false };
  const updated = new FlowBulk(flowsOf(clock, calls), clock).update(ACTOR, DOCUMENTS.join("---\n"), options);
  setImmediate(() => calls.push("other work"));
  await updated;
  const own = calls.filter((call) => call !== "other work");
  const ids = DOCUMENTS.map((_, n) => `f${n}`);
  assertEquals(own, [...ids.map((id) => `check ${id}`), ...ids.map((id) => `save ${id}`)]);
  assertEquals(calls.slice(0, calls.indexOf("save f0")).includes("other work"), true);
});

Deno.test("FlowBulk.replace() reads the flows that it deleted only when its pieces are taken, before those that it saved", async () => {
  const clock = new FakeClock(), calls: string[] = [];
  const heads = ["old1", "old2"].map((id) => ({ tenant: "main", namespace: "demo", id, revision: 1 }));
  const read = (head: typeof heads[number]) => {
    calls.push(`read ${head.id}@${head.revision}`);
    return head;
  };
  const flows = {
    ...flowsOf(clock, calls),
    select: () => heads,
    delete: (_actor: unknown, head: typeof heads[number]) => {
      calls.push(`delete ${head.id}`);
      return Promise.resolve({ ...head, revision: 2 });
    },
    get: (_actor: unknown, head: typeof heads[number]) => Promise.resolve(read(head)),
    async *pieces(_actor: unknown, given: typeof heads) {
      for (const head of given) yield await Promise.resolve([read(head)]);
    },
  } as unknown as Flows;
  const options = { delete: true, override: false };
  const { keys, pieces } = await new FlowBulk(flows, clock).replace(
    ACTOR,
    "demo",
    DOCUMENTS[0] ?? "",
    options,
  );
  assertEquals(calls, ["check f0", "save f0", "delete old1", "delete old2"]);
  assertEquals(keys.map(({ id }) => id), ["old1", "old2", "f0"]);
  for await (const piece of pieces) calls.push(`take ${piece.map(({ id }) => id).join(" ")}`);
  assertEquals(calls.slice(4), ["read old1@2", "take old1", "read old2@2", "take old2", "take f0"]);
});
