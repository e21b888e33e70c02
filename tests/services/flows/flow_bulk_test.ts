/** How bulk saves check their documents. */
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
