import { assert, assertEquals, assertRejects } from "@std/assert";
import { ExecutionFiles } from "../../../src/store/blobs/execution_files.ts";
import { BLOB_CHUNK_BYTES } from "../../../src/model/limits.ts";
import {
  collect,
  patternBytes,
  sourceOf,
  startNamespaceServices,
} from "../../support/flows/namespace_services.ts";

const EXECUTION = { tenant: "main", executionId: "x1" };
/** More than the deletions that wait for the end of an attempt. */
const MANY_FILES = 40;
const LARGE = patternBytes(2 * BLOB_CHUNK_BYTES);

async function startFiles() {
  const services = await startNamespaceServices();
  const files = new ExecutionFiles({ ...services, maxBytes: Infinity });
  const { tenant, executionId } = EXECUTION;
  for (let n = 0; n < MANY_FILES; n++) {
    const staged = await files.write(tenant, executionId, `file${n}`, sourceOf(LARGE));
    await services.committer.commit({ mutations: staged.mutations });
  }
  return { ...services, files };
}

Deno.test("delete() of more files than one commit takes keeps those whose deletion the disk refuses", async () => {
  const { files, store, clock, committer } = await startFiles();
  const { tenant, executionId } = EXECUTION;
  const batch = files.batch({ ...EXECUTION, folder: "t/", batchId: "b1" });
  store.plan = () => "full";
  await assertRejects(async () => {
    for (let n = 0; n < MANY_FILES; n++) await batch.delete(`file${n}`);
  });
  store.plan = () => "none";
  await clock.advance(1_000);
  // The attempt ends FAILED; its end is committed with its files.
  await committer.commit({ mutations: batch.take() });
  await batch.committed();
  for (let n = 0; n < MANY_FILES; n++) {
    const stored = await files.find(tenant, executionId, `file${n}`);
    if (stored) assertEquals(await collect(stored.open()), LARGE, `file${n}`);
    assert(!files.isWaiting(tenant, executionId, `file${n}`));
  }
  assert(await files.find(tenant, executionId, "file0"));
});
