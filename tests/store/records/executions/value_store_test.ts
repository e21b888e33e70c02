import { assertEquals } from "@std/assert";
import { IdSource } from "../../../../src/base/id.ts";
import { Blobs } from "../../../../src/store/blobs/blobs.ts";
import { encodeText } from "../../../../src/store/codec.ts";
import { newForm } from "../../../../src/store/records/executions/execution_form.ts";
import { HEADER_PLACES } from "../../../../src/store/records/executions/large_values.ts";
import { ValueStore } from "../../../../src/store/records/executions/value_store.ts";
import { FakeClock } from "../../../support/fakes/fake_clock.ts";
import { MemoryStore } from "../../../support/fakes/memory_store.ts";
import { quietCommitter } from "../../../support/fakes/quiet_committer.ts";

Deno.test("resolve() keeps the values of another execution from the check that it exists until they are read", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  await using committer = quietCommitter(store, clock);
  await committer.start();
  const blobs = new Blobs({ store, committer, ids: new IdSource(), clock });
  const owner = { tenant: "main", owner: "parent" };
  const { blobId, size, mutations } = await blobs.writeBytes(
    owner,
    encodeText(`{"word":"kept"}`),
  );
  await committer.commit({ mutations });
  const removed: boolean[] = [];
  const values = new ValueStore(blobs, async () => {
    const removal = () => Promise.resolve(void removed.push(true));
    if (!blobs.defer("parent", removal)) {
      await blobs.commit(owner, [], () => blobs.retire(owner, { blobId, size }));
    }
    return true;
  });
  const child = { tenant: "main", id: "child", form: newForm() };
  const stored: unknown = [blobId, size, "parent"];
  const inputs = await values.resolve(child, HEADER_PLACES.inputs, stored as { word: string });
  assertEquals([inputs, removed], [{ word: "kept" }, [true]]);
});
