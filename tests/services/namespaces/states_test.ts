/** States beside other writers of their KV pairs. */
import { assertEquals } from "@std/assert";
import { kvValueOf } from "../../../src/model/namespaces/kv_pair.ts";
import { States } from "../../../src/services/namespaces/states.ts";
import { ACTOR, startNamespaceServices } from "../../support/flows/namespace_services.ts";

const STATE = { namespace: "team.data", flowId: "load", name: "last", value: undefined };

Deno.test("merge() keeps what another writer of the pair writes meanwhile, and its description", async () => {
  const { kvPairs } = await startNamespaceServices();
  const states = new States(kvPairs);
  const { key } = await states.merge("main", STATE, { a: 1 });
  const id = { namespace: STATE.namespace, key };
  await kvPairs.put(ACTOR, id, kvValueOf({ a: 1 }), { description: "of the last load" });
  // One of them at least would be lost if each read the pair before the other wrote it.
  await Promise.all([
    states.merge("main", STATE, { b: 2 }),
    kvPairs.update(ACTOR, id, (value) => kvValueOf({ ...value as object, c: 3 })),
  ]);
  const { value, description } = await kvPairs.get(ACTOR, id);
  assertEquals([value, description], [{ a: 1, b: 2, c: 3 }, "of the last load"]);
});
